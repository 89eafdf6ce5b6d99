"""Reads lessons (config/lessons, one file a game), which newcomers follow in a match."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec

from device.resources import every
from engine.catalogue import AnyGame
from engine.entry import Act, Entry
from engine.errors import Refusal, Violation
from engine.game import Options, OptionValue, Words
from engine.grammar import phrase_words, sentences, wander
from engine.table import Seat
from engine.text import Text
from vision.files import read_toml

FOLDER = "lessons"
MOST_ACTIONS = 2000
"""Actions among which a beginning is looked for. Planet X has about 400."""

TRIES = 200


class LessonStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One card of a lesson.

    text: what to do, and why
    clause: rule taught
    action: beginning of the action that ends the step; "" for a card to read
    also: beginnings of other actions that end it
    illegal: a refused action to try
    others: beginnings of other seats' actions before that, likely ones first"""

    text: str
    clause: str
    action: str = ""
    also: tuple[str, ...] = ()
    illegal: str = ""
    others: tuple[str, ...] = ()

    @property
    def words(self) -> Words:
        return tuple(self.action.split())

    def ends_with(self, words: Words) -> bool:
        """Return True if the newcomer's action ends the step."""
        ends = (tuple(each.split()) for each in (self.action, *self.also) if each)
        return any(words[: len(each)] == each for each in ends)


class Lesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lesson's steps; the last lets the newcomer play on.

    seats: fitting seat counts; () for all
    when: fitting values of options"""

    steps: tuple[LessonStep, ...]
    seats: tuple[int, ...] = ()
    when: dict[str, tuple[OptionValue, ...]] = {}

    def fits(self, options: Options, seats: int) -> bool:
        """Return True if it suits the options and seat count."""
        return (not self.seats or seats in self.seats) and all(options[name] in self.when[name] for name in self.when)

    def follow(self, at: int, seat: Seat, entries: Iterable[Entry]) -> int:
        """Return the step reached when these entries follow step `at`."""
        for entry in entries:
            if isinstance(entry, Act) and entry.seat == seat and self.steps[at].ends_with(entry.words):
                at = min(at + 1, len(self.steps) - 1)
        return at

    def is_read(self, at: int) -> bool:
        """Return True if a button, not an action, leads on; False for the last step."""
        return not self.steps[at].action and at < len(self.steps) - 1

    def waits(self, at: int) -> bool:
        """Return True if others wait until a step was read."""
        return self.is_read(at) and not self.steps[at].illegal


class LessonCard(msgspec.Struct, frozen=True):
    """A lesson's step, as the newcomer's page shows it.

    at, of: its number, from 0, and the number of steps
    told: sentences up to now, each with its clause
    moves: actions that end it, as texts of their words; None if all are welcome
    refusal: the referee's answer to its illegal action, or None
    reads: a button leads on
    waits: the lesson's own match has not begun, so nothing leads on yet
    """

    at: int
    of: int
    told: tuple[tuple[Text, str], ...]
    moves: tuple[tuple[Text, ...], ...] | None
    refusal: Text | None
    reads: bool
    waits: bool

    def put_into_words(self, put: Callable[[Text], str]) -> dict[str, Any]:
        """Return the card as a page reads it. put: translates."""
        return {
            "at": self.at,
            "of": self.of,
            "told": [(put(text), clause) for text, clause in self.told],
            "moves": self.moves and [[put(text) for text in path] for path in self.moves],
            "refusal": self.refusal and put(self.refusal),
            "reads": self.reads,
            "waits": self.waits,
        }


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lessons: tuple[Lesson, ...]


def lessons() -> dict[str, tuple[Lesson, ...]]:
    """Return all lessons by game. Raises BadFile."""
    return {path.stem: read_toml(path, _File).lessons for path in every(FOLDER)}


def card_of(lesson: Lesson, at: int, seat: Seat, game: AnyGame | None, state: Any) -> LessonCard:
    """Return a step's card. game: None before the lesson's own match."""
    step, reads = lesson.steps[at], lesson.is_read(at)
    told = tuple((Text(each.text), each.clause) for each in lesson.steps[: at + 1])
    moves: tuple[tuple[Text, ...], ...] | None = () if reads else None
    refusal: tuple[Violation, ...] = ()
    if game is not None:
        refusal = refusals(game, state, seat, step)
        if seat in game.actors(state) and (found := fitting(game, state, seat, step)):
            moves = tuple(texts(game, state, seat, words) for words in found)
    refused = next((each.text for each in refusal if each.clause == step.clause), None)
    leads_on = reads and game is not None and (lesson.waits(at) or seat in game.actors(state))
    return LessonCard(at, len(lesson.steps), told, moves, refused, leads_on, game is None)


def fitting(game: AnyGame, state: Any, seat: Seat, step: LessonStep) -> tuple[Words, ...]:
    """Return at most MOST_ACTIONS legal actions that end a step; () if none does."""
    return _actions_from(game, state, seat, step.words) if step.action else ()


def texts(game: AnyGame, state: Any, seat: Seat, words: Words) -> tuple[Text, ...]:
    """Return the menu's texts of an action's words."""
    found: list[Text] = []
    for place, word in enumerate(words):
        text = next(each.text for each in game.choices(state, seat, words[:place]) if each.word == word)
        found.append(text if found else phrase_words((text,)))
    return tuple(found)


def refusals(game: AnyGame, state: Any, seat: Seat, step: LessonStep) -> tuple[Violation, ...]:
    """Return the violations by a step's illegal action; () without one, or out of turn."""
    if not step.illegal or seat not in game.actors(state):
        return ()
    try:
        return game.judge(state, seat, game.read(state, seat, tuple(step.illegal.split())))
    except Refusal as refusal:
        return tuple(Violation(clause, refusal.text) for clause in refusal.clauses)


def reply(
    game: AnyGame, state: Any, seat: Seat, step: LessonStep, rng: random.Random, able: Callable[[Words], bool]
) -> Words:
    """Return another seat's action: of the step's `others`, else random; () if none passes `able`."""
    for beginning in step.others:
        found = [words for words in _actions_from(game, state, seat, tuple(beginning.split())) if able(words)]
        if found:
            return rng.choice(found)
    drawn = (wander(game, state, seat, rng.randrange) for _ in range(TRIES))
    return next((words for words in drawn if able(words)), ())


def _actions_from(game: AnyGame, state: Any, seat: Seat, words: Words) -> tuple[Words, ...]:
    return tuple(islice(_beginning(game, state, seat, words), MOST_ACTIONS))


def _beginning(game: AnyGame, state: Any, seat: Seat, words: Words) -> Iterator[Words]:
    for place, word in enumerate(words):
        choice = next((each for each in game.choices(state, seat, words[:place]) if each.word == word), None)
        if choice is None:
            return
        if choice.final:
            yield words[: place + 1]
            return
    yield from sentences(game, state, seat, words)
