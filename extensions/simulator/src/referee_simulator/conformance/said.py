"""Finds a game's sentences in a state, and incomplete or untranslated ones."""

from __future__ import annotations

import gettext
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import msgspec

from device.locale import LANGUAGES, chain
from device.resources import OWN, game_packages, package_data
from engine.catalogue import AnyGame, GameSpec
from engine.errors import Refusal, Violation
from engine.game import Choice, Words
from engine.table import Seat
from engine.text import PLURAL, Text, is_player
from engine.view import Event, Line
from referee_simulator.conformance.playouts import Step
from referee_simulator.conformance.way import Play


def menus(play: Play, state: Any, seat: Seat, prefix: Words = ()) -> Iterator[tuple[Words, tuple[Choice, ...]]]:
    """Yield all menus of a seat, with the words before each."""
    choices = play.rules.choices(state, seat, prefix)
    yield prefix, choices
    for choice in choices:
        if not choice.final:
            yield from menus(play, state, seat, (*prefix, choice.word))


def all_said(play: Play, step: Step) -> tuple[object, ...]:
    """Return what the game says in a state: views, attempts, menus of three words at most, answers to some actions."""
    rules, state = play.rules, step.state
    return (
        [rules.view(state, seat) for seat in (None, *play.seats)],
        [(*attempt.violations, attempt.what) for attempt in rules.attempts(state)],
        [choice for seat in play.seats for choice in _walk(partial(rules.choices, state, seat))],
        _walk(partial(rules.corrections, state)),
        [_judge(rules, state, seat, words) for seat in play.seats for words in play.corpus[::7]],
    )


def texts(value: object) -> Iterator[Text]:
    """Yield all texts in a value, also nested."""
    if isinstance(value, Text):
        yield value
    for part in _parts(value):
        yield from texts(part)


def halves(value: object) -> Iterator[str]:
    """Yield faults of a value's incomplete sentences."""
    told: object = value.text if isinstance(value, Violation | Event | Choice | Line) else None
    if told is not None and not isinstance(told, Text):
        yield f"{value} has no sentence, but {told!r}"
    if isinstance(value, Text):
        values: list[object] = [given for _, given in value.args]
        if not all(isinstance(given, Text | str | int) for given in values):
            yield f"{value!r} has a field that is neither a sentence nor a word nor a number"
        elif "{" in str(value):
            yield f"a sentence reads {str(value)!r}"
    for part in _parts(value):
        yield from halves(part)


def languages_of(spec: GameSpec) -> tuple[str, ...]:
    """Return the languages of a game's package."""
    package = game_packages().get(spec.name, OWN)
    data = None if package == OWN else package_data(package)
    return LANGUAGES if data is None else tuple(path.parts[-3] for path in data.glob("locale/*/LC_MESSAGES/*.mo"))


def translated_nowhere(messages: set[str], languages: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield languages, except English, with messages that their catalogues lack."""
    for language in sorted(set(languages) - {"en"}):
        lacking = _Lacking()
        known = chain(language)
        known.add_fallback(lacking)
        for message in messages:
            one, _, several = message.partition(PLURAL)
            if several:
                known.ngettext(one, several, 1)
            elif not is_player(message) and re.sub(r"\{\w+\}|\W", "", message):
                known.gettext(message)
        yield from ((language, message) for message in sorted(lacking.asked))


class _Lacking(gettext.NullTranslations):
    """A last catalogue that collects missing messages."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def gettext(self, message: str) -> str:
        self.asked.add(message)
        return message

    def ngettext(self, msgid1: str, msgid2: str, _n: int) -> str:
        return self.gettext(f"{msgid1}{PLURAL}{msgid2}")


def _parts(value: object) -> tuple[object, ...]:
    if isinstance(value, msgspec.Struct):
        return tuple(msgspec.structs.astuple(value))
    if isinstance(value, dict):
        return tuple(value.values())
    return tuple(value) if isinstance(value, tuple | list | frozenset) else ()


def _walk(choices: Callable[[Words], tuple[Choice, ...]], prefix: Words = ()) -> list[Choice]:
    found: list[Choice] = []
    for choice in choices(prefix):
        found.append(choice)
        if not choice.final and len(prefix) < 2:
            found += _walk(choices, (*prefix, choice.word))
    return found


def _judge(rules: AnyGame, state: Any, seat: Seat, words: Words) -> object:
    try:
        action = rules.read(state, seat, words)
        violations = rules.judge(state, seat, action)
        return violations or rules.apply(state, seat, action)[1]
    except Refusal as refusal:
        return refusal.text
