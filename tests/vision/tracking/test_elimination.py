"""Unrecognised pieces that can be nothing else than one."""

from __future__ import annotations

import numpy as np

from engine.table import Face, Sight
from vision.recognition.confidence import kind_odds
from vision.recognition.naming import Candidate
from vision.tracking.elimination import named_by_the_rest
from vision.tracking.looks import Look, Track

KINDS = ("axe", "boat", "crown")
SAME = 0.98


def up(number: int, kind: str) -> Track:
    return Track(number, Look(40.0 * number, 0.0, 0.0, kind, Face.UP, Sight.SEEN, 0.99), kind)


def down(number: int, known: str | None) -> Track:
    return Track(number, Look(40.0 * number, 0.0, 0.0, None, Face.DOWN, Sight.SEEN, 0.99), known)


def unsure(number: int, guess: str, confidence: float, known: str | None = None) -> Track:
    scores = np.full(3, 0.2, np.float32)
    odds = kind_odds(scores, KINDS.index(guess), confidence)
    may_be = [Candidate(kind, float(ratio), 30.0) for kind, ratio in zip(KINDS, odds, strict=True)]
    look = Look(40.0 * number, 0.0, 0.0, None, None, Sight.UNKNOWN, confidence, None, guess, tuple(may_be))
    return Track(number, look, known)


def named(*tracks: Track, single: tuple[str, ...] = KINDS) -> list[str | None]:
    return [track.look.kind for track in named_by_the_rest(tracks, single, SAME)]


def test_a_stone_is_named_if_all_others_are_known_though_they_lie_face_down() -> None:
    assert named(up(1, "axe"), down(2, "boat"), unsure(3, "crown", 0.6)) == ["axe", None, "crown"]


def test_a_stone_that_lies_face_down_may_be_any_kind_until_it_was_seen() -> None:
    assert named(up(1, "axe"), down(2, None), unsure(3, "crown", 0.6)) == ["axe", None, None]


def test_a_stone_keeps_its_name_in_a_bad_picture_if_it_looks_at_all_like_it() -> None:
    assert named(unsure(1, "crown", 0.5, known="crown")) == ["crown"]
    assert named(unsure(1, "crown", 0.05, known="crown")) == [None]
    assert named(unsure(1, "crown", 0.5, known="axe")) == [None]


def test_where_kinds_repeat_only_its_own_past_names_a_stone() -> None:
    pieces = (up(1, "axe"), down(2, "boat"))
    assert named(*pieces, unsure(3, "crown", 0.6), single=()) == ["axe", None, None]
    assert named(*pieces, unsure(3, "crown", 0.6, known="crown"), single=()) == ["axe", None, "crown"]


def test_a_name_by_elimination_lets_the_stone_lie_face_up_and_is_remembered() -> None:
    *_, told = named_by_the_rest([up(1, "axe"), up(2, "boat"), unsure(3, "crown", 0.6)], KINDS, SAME)
    look = told.look
    assert (told.known, look.kind, look.face, look.sight) == ("crown", "crown", Face.UP, Sight.SEEN)
    assert (look.guess, look.candidates, look.angle_deg) == (None, (), 30.0)
