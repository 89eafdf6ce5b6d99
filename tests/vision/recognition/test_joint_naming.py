"""Names of pieces that are told together, where each kind is there once."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.recognition.check_round import USUAL
from vision.recognition.confidence import kind_odds
from vision.recognition.joint_naming import ENOUGH, Rows, assign_kinds, named_together
from vision.recognition.naming import Candidate, Naming

KINDS = ("axe", "boat", "crown")


def seen(kind: str, confidence: float, scores: tuple[float, ...] = (0.2, 0.2, 0.2)) -> Naming:
    ratios = kind_odds(np.array(scores, np.float32), KINDS.index(kind), confidence)
    name = kind if confidence >= USUAL else None
    known = [Candidate(*each, 90.0 * number) for number, each in enumerate(zip(KINDS, map(float, ratios), strict=True))]
    return Naming(name, confidence, 90.0 * KINDS.index(kind), kind, candidates=tuple(known))


def named(*namings: Naming, single: tuple[str, ...] = KINDS) -> list[str | None]:
    return [naming.kind for naming in named_together(namings, single)]


def test_the_only_piece_left_is_the_only_kind_left() -> None:
    unsure = seen("crown", 0.6)
    assert named(unsure) == [None]
    assert named(seen("axe", 0.97), unsure) == ["axe", None]
    assert named(seen("axe", 0.97), seen("boat", 0.97), unsure) == ["axe", "boat", "crown"]


def test_what_looks_like_no_kind_stays_unnamed_even_if_one_kind_is_left() -> None:
    assert named(seen("axe", 0.97), seen("boat", 0.97), seen("crown", 0.05)) == ["axe", "boat", None]


def test_of_two_that_are_alike_the_far_surer_keeps_the_name() -> None:
    assert named(seen("axe", 0.999), seen("axe", 0.95)) == ["axe", None]
    assert named(seen("axe", 0.96), seen("axe", 0.95)) == [None, None]


def test_what_looks_most_like_a_kind_that_another_is_becomes_the_next_likely_in_its_turn() -> None:
    some = seen("axe", 0.5, (0.6, 0.55, 0.1))
    *_, told = named_together([seen("axe", 0.999), seen("crown", 0.999), some], KINDS)
    assert (told.kind, told.angle_deg) == ("boat", 90.0)


def test_two_doubtful_pieces_do_not_name_each_other() -> None:
    """Where both may be either, that the one is the axe and the other the boat is as likely the other way round."""
    doubtful = seen("axe", 0.6, (0.6, 0.58, 0.0)), seen("boat", 0.6, (0.58, 0.6, 0.0))
    assert named(*doubtful) == [None, None]


def test_the_guess_at_what_stays_unnamed_is_what_the_others_leave() -> None:
    some = seen("axe", 0.9, (0.6, 0.3, 0.3))
    (_, told) = named_together([seen("axe", 0.999), some], KINDS)
    assert (told.kind, told.guess) == (None, "boat")


def test_kinds_that_repeat_claim_nothing() -> None:
    assert named(seen("axe", 0.96), seen("axe", 0.95), seen("crown", 0.9), single=()) == ["axe", "axe", None]


def test_a_name_without_candidates_claims_its_kind_and_such_a_guess_stays_a_guess() -> None:
    back, guess = Naming("back", 0.95, 0.0, "back"), Naming(None, 0.9, 0.0, "boat")
    assert named(back, back, Naming("axe", 0.99, 0.0, "axe"), guess) == ["back", "back", "axe", None]


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.929, 0.931, 0.98])
def test_a_lone_piece_is_named_from_the_usual_threshold_on(confidence: float) -> None:
    told = named(seen("crown", confidence))
    assert (told == ["crown"]) is (confidence >= USUAL)


def test_a_lone_piece_at_the_threshold_has_just_enough() -> None:
    (told,) = named_together([seen("crown", USUAL)], KINDS)
    assert told.confidence == pytest.approx(ENOUGH)


def summed(ratios: Rows) -> Rows:
    """The same probabilities by summing over every assignment."""
    pieces, kinds = ratios.shape
    total, each = 0.0, np.zeros_like(ratios)
    for choice in product(range(-1, kinds), repeat=pieces):
        taken = [kind for kind in choice if kind >= 0]
        if len(taken) == len(set(taken)):
            weight = float(np.prod([ratios[piece, kind] for piece, kind in enumerate(choice) if kind >= 0]))
            total += weight
            for piece, kind in enumerate(choice):
                if kind >= 0:
                    each[piece, kind] += weight
    return each / total


LIKELY = st.lists(st.floats(0.001, 0.9), min_size=4, max_size=4)


@given(st.lists(st.tuples(st.integers(0, 3), LIKELY), min_size=1, max_size=4))
def test_the_probabilities_are_nearly_those_of_all_assignments(pieces: list[tuple[int, list[float]]]) -> None:
    """Belief propagation is not exact on graphs with loops: it is off by less than a tenth."""
    ratios = np.array([[each * (30 if kind == best else 1) for kind, each in enumerate(some)] for best, some in pieces])
    told = assign_kinds(ratios, np.ones(4, np.bool_))
    assert np.abs(told - summed(ratios)).max() < 0.1
    assert (told.sum(axis=1) <= 1 + 1e-9).all()


def test_the_probabilities_of_one_piece_are_its_own() -> None:
    ratios = np.array([[3.0, 1.0, 0.0]])
    np.testing.assert_allclose(assign_kinds(ratios, np.ones(3, np.bool_)), [[0.6, 0.2, 0.0]])
