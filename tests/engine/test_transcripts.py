"""Matches of every game go as they went: what is told, shown, offered and refused, and what the arbiter says.

`python -m tests.engine.test_transcripts` writes the transcripts anew; read the difference before committing it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.game import OptionValue
from engine.table import Seat
from tests.engine.specs import spec
from tests.engine.transcript import transcript
from tests.engine.verdicts import verdicts

FOLDER = Path(__file__).parent / "transcripts"

LIVES: Mapping[str, OptionValue] = {f"life_{seat}": 9 for seat in "abcd"}


def others(game: str, **given: OptionValue) -> Mapping[str, OptionValue]:
    """The last value of every ruling instead of its default; `given` are those that stay, or would not go together."""
    return {option.name: option.values[-1] for option in spec(game).options} | given


PLAYED: Mapping[str, tuple[str, tuple[Seat, ...], Mapping[str, OptionValue]]] = {
    "tellstones-duel": ("tellstones", ("a", "b"), {}),
    "tellstones-declared": ("tellstones", ("a", "b"), {"orders": "declared", "fixed_spots": True, "boast_minimum": 2}),
    "tellstones-teams": ("tellstones", ("a", "b", "c", "d"), {"first_stone": "chosen", "peek_three": "never"}),
    "tellstones-two-lines": ("tellstones", ("a", "b"), {"mode": "two-line", "peek_three": "previous-turn"}),
    "planetx-duel": ("planetx", ("a", "b"), {}),
    "planetx-expert": ("planetx", ("a", "b", "c"), {"mode": "expert", "level": "youth", "years": 5, "marks": True}),
    "planetx-solo": ("planetx", ("a",), {"opponent": "professor", "possible": True, "consistency": True}),
    "planetx-camera": ("planetx", ("a", "b"), {"camera": True, "level": "genius", "mode": "expert"}),
    "planetx-app-only": ("planetx", ("a", "b"), {"app_only": True, "level": "genius", "marks": True}),
    "planetx-typed": ("planetx", ("a", "b"), {"code": "typed", "level": "experienced", "consistency": True}),
    "fence-tutorial": ("fence", ("a", "b"), {"mode": "tutorial", "passivity": 6, "tutorial_timer": "twelve"}),
    "fence-basic": ("fence", ("a", "b"), {"mode": "basic", "stamina": "off", "starter": "b"}),
    "fence-advanced": ("fence", ("a", "b"), {"mode": "advanced"}),
    "fence-elimination": ("fence", ("b", "d"), {"mode": "advanced", "bout": "elimination", "period_timer": "twelve"}),
    "fence-other-rulings": ("fence", ("a", "b"), others("fence", mode="advanced", starter="a", both_actions=False)),
    "runes-duel": ("runes", ("a", "b"), {}),
    "runes-four": ("runes", ("a", "b", "c", "d"), {"life_a": 6, "life_counter": "own"}),
    "runes-solo": ("runes", ("a",), {"opponent": "automatic"}),
    "runes-other-rulings": ("runes", ("a", "b", "c"), others("runes", opponent="none", **LIVES)),
}


ANEW = "if this is meant: python -m tests.engine.test_transcripts, and read the difference"

NOT_SEEN = {"planetx-duel", "planetx-expert", "planetx-solo", "planetx-app-only", "planetx-typed"}
"""Without a camera the arbiter has nothing to say."""


def _played(name: str) -> list[str]:
    game, seats, options = PLAYED[name]
    return list(transcript(game, options, seats, seed=len(name)))


def _judged(name: str) -> list[str]:
    game, seats, options = PLAYED[name]
    return list(verdicts(game, options, seats, seed=len(name)))


@pytest.mark.parametrize("name", PLAYED)
def test_matches_go_as_they_went(name: str) -> None:
    assert _played(name) == _known(f"{name}.txt"), ANEW


@pytest.mark.parametrize("name", sorted(PLAYED.keys() - NOT_SEEN))
def test_the_arbiter_says_what_it_said(name: str) -> None:
    assert _judged(name) == _known(f"{name}.verdicts.txt"), ANEW


def _known(file: str) -> list[str]:
    return (FOLDER / file).read_text("utf-8").splitlines()


def write() -> None:
    """Writes all transcripts."""
    for name in PLAYED:
        (FOLDER / f"{name}.txt").write_text("\n".join(_played(name)) + "\n", "utf-8")
    for name in PLAYED.keys() - NOT_SEEN:
        (FOLDER / f"{name}.verdicts.txt").write_text("\n".join(_judged(name)) + "\n", "utf-8")


if __name__ == "__main__":
    write()
