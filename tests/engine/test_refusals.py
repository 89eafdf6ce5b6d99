"""What is refused, by which clause and with which sentence, when somebody says anything at all at any time.

Words are thrown together from all that menus offered in a match, and each sentence of refusal is told once.
`python -m tests.engine.test_refusals` writes the files anew; read the difference before committing it.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from device.conformance.playouts import load, wander
from engine.catalogue import AnyGame
from engine.errors import Refusal
from engine.game import Words
from engine.table import Seat
from tests.engine.test_transcripts import FOLDER, PLAYED

ACTIONS, TRIES = 80, 40
"""Actions of a match, and what is said after each of them."""

ODD = ("0", "1", "2", "3", "5", "7", "12", "99", "-1", "½", "a", "c", "x", "", "left", "pass", "crown", "None")


Vocabulary = dict[Words, set[str]]
"""After a verb and some more words, whichever they were: what came next in any menu. The length of the key counts."""


def refusals(name: str) -> Iterator[str]:
    """Each sentence of refusal that is heard, with the first words that brought it about."""
    game, seats, given = PLAYED[name]
    rules, options = load(game, given)
    rng = Random(len(name))
    vocabulary: Vocabulary = {}
    heard: set[tuple[str, ...]] = set()
    for state in _walk(rules, options, seats, rng, vocabulary):
        verbs = sorted(vocabulary[()])
        for _ in range(TRIES):
            seat, said = rng.choice(seats), _thrown(rng, vocabulary, rng.choice(verbs))
            for key, line in _refused(rules, state, seat, said):
                if key not in heard:
                    heard.add(key)
                    yield line


def _thrown(rng: Random, vocabulary: Vocabulary, verb: str) -> Words:
    """A verb and words that followed it somewhere: here and there a wrong one, now and then too few or too many."""
    words: Words = (verb,)
    while (known := vocabulary.get((verb, *("",) * (len(words) - 1)))) and rng.random() < 0.95:
        words = (*words, rng.choice(sorted(known) if rng.random() < 0.85 else ODD))
    return (*words, rng.choice(ODD)) if rng.random() < 0.1 else words


def _walk(rules: AnyGame, options: Any, seats: tuple[Seat, ...], rng: Random, vocabulary: Vocabulary) -> Iterator[Any]:
    """States of random play; collects what the menus offered until then."""
    state = rules.setup(options, seats, rng.randrange(10**6))
    for _ in range(ACTIONS):
        if rules.outcome(state) is not None:
            yield state
            state = rules.setup(options, seats, rng.randrange(10**6))
        for seat in sorted(rules.actors(state)):
            _listen(rules, state, seat, vocabulary)
        seat = rng.choice(sorted(rules.actors(state)))
        said = wander(rules, state, seat, rng)
        yield state
        state, _ = rules.apply(state, seat, rules.read(state, seat, said))


def _listen(rules: AnyGame, state: Any, seat: Seat, vocabulary: Vocabulary, said: Words = ()) -> None:
    """Every menu along the first and the last item of each."""
    choices = rules.choices(state, seat, said)
    key = (said[0], *("",) * (len(said) - 1)) if said else ()
    if choices:
        vocabulary.setdefault(key, set()).update(choice.word for choice in choices)
    for choice in choices if not said else {choices[0], choices[-1]} if choices else ():
        if not choice.final:
            _listen(rules, state, seat, vocabulary, (*said, choice.word))


def _refused(rules: AnyGame, state: Any, seat: Seat, said: Words) -> Iterator[tuple[tuple[str, ...], str]]:
    try:
        breaches = rules.judge(state, seat, rules.read(state, seat, said))
    except Refusal as refusal:
        key = (refusal.kind, *refusal.clauses, refusal.text.message)
        yield key, f"{seat}: {' '.join(said)}: {refusal.kind} {' '.join(refusal.clauses)}: {refusal}"
    else:
        for breach in breaches:
            yield (breach.clause, breach.text.message), f"{seat}: {' '.join(said)}: {breach.clause}: {breach.text}"
    if rules.outcome(state) is None:
        try:
            rules.correct(state, said[1:])
        except Refusal as refusal:
            key = ("correct", refusal.kind, *refusal.clauses, refusal.text.message)
            yield key, f"correct {' '.join(said[1:])}: {refusal.kind} {' '.join(refusal.clauses)}: {refusal}"


@pytest.mark.parametrize("name", PLAYED)
def test_refusals_say_what_they_said(name: str) -> None:
    known = (FOLDER / f"{name}.refusals.txt").read_text("utf-8").splitlines()
    assert list(refusals(name)) == known, (
        "if this is meant: python -m tests.engine.test_refusals, and read the difference"
    )


def write() -> None:
    """Writes all files."""
    for name in PLAYED:
        (FOLDER / f"{name}.refusals.txt").write_text("\n".join(refusals(name)) + "\n", "utf-8")


if __name__ == "__main__":
    write()
