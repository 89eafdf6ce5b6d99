"""An optional base for games: each command is a class, and menus, notation and verdicts follow from it.

class Place(Order, frozen=True, tag="place"):
    mat: Annotated[int, MatLetter()]          # each field is a word; its `Word` offers, writes and reads it
    kind: Annotated[str, PooledStone()]
    index: Annotated[int, End()]

    def violations(self, state, seat): ...    # every clause it breaks: the only place for legality
    def after(self, state, seat): ...         # the state after it, if legal

`Rules.choices` offers each next word of a legal command (`Command.menu`). `read` makes the command, `judge` checks
`violations` again, `apply` takes `after`. For the arbiter, `Rules.visible_actions` judges only the candidates that a
`Prefilter` leaves possible."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, partial
from itertools import chain
from operator import itemgetter
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, get_args, get_type_hints

import msgspec

from engine.errors import Ambiguous, Invalid, Refusal, Violation
from engine.game import Attempt, Choice, Prefilter, Words
from engine.grammar import correction
from engine.table import Seat, Trace
from engine.text import Text, say
from engine.view import DrawnThing, Event

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")
C = TypeVar("C", bound="Command[Any]")

Values: TypeAlias = "tuple[Any, ...]"

Arranged: TypeAlias = "Callable[[Values], Values]"
"""Reorders values from word order to field order."""

Search: TypeAlias = "Callable[[Any, Seat, Values], Any]"
"""Returns the first legal command that begins with these values, or None."""

TABLE: Seat = "table"
"""The speaker of corrections, which belong to no seat (law 2)."""


class Word(Generic[S, T]):
    """The way to offer, write and read one field of a command. `before`: values of earlier words."""

    missing: Text

    optional: ClassVar[bool] = False
    """True if `write` may return ()."""

    several: ClassVar[bool] = False
    """True if `write` may return more than one word."""

    def candidates(self, state: S, seat: Seat, before: Values) -> Iterable[T]:
        """Yield values that may be legal, in menu order. Fewer illegal ones make faster menus."""
        raise NotImplementedError

    def write(self, state: S, value: T, before: Values) -> Words:
        """Return a value's notation; () if implied."""
        return (str(value),)

    def text(self, state: S, value: T, before: Values, number: int) -> Text:
        """Return the menu label. number: 0-based index among the value's words."""
        raise NotImplementedError

    def under(self, state: S, value: T, number: int) -> Text | None:
        return None

    def means(self, state: S, value: T, number: int) -> tuple[DrawnThing, ...]:
        """Return the drawn things that the word names, such as a sector."""
        return ()

    def read(self, state: S, word: str, before: Values) -> T:
        """Read a word, legal or not. Raises Invalid or Ambiguous."""
        raise NotImplementedError


class MenuWord(Word[S, T]):
    """A word chosen from a menu only, as in corrections."""

    def __init__(
        self,
        offered: Callable[[S, Values], Iterable[T]],
        called: Callable[[T], Text],
        believed: Callable[[S, Values], T] | None = None,
    ) -> None:
        """called: label of a value. believed: present value, which is not offered."""
        self._offered, self._called, self._believed = offered, called, believed

    def candidates(self, state: S, seat: Seat, before: Values) -> Iterable[T]:
        offered = self._offered(state, before)
        if self._believed is None:
            return offered
        believed = self._believed(state, before)
        return (value for value in offered if value != believed)

    def text(self, state: S, value: T, before: Values, number: int) -> Text:
        return self._called(value)


class Command(msgspec.Struct, Generic[S], frozen=True):
    """An action or a correction. Its tag is the verb; fields are annotated with their `Word`."""

    name: ClassVar[Text]

    order: ClassVar[tuple[str, ...]] = ()
    """Field names in word order, if it differs from the class."""

    @classmethod
    def title(cls, state: S, seat: Seat) -> Text:
        return cls.name

    def costs(self, state: S, seat: Seat) -> bool:
        """Return True if buttons ask for confirmation: no undo, or something is used up."""
        return False

    @classmethod
    def verb_violations(cls, state: S, seat: Seat) -> Iterator[Violation]:
        """Yield violations common to the verb's commands; menus then hide the verb."""
        return iter(())

    def violations(self, state: S, seat: Seat) -> Iterator[Violation]:
        """Yield all violations, assuming that `seat` may give it now."""
        return iter(())

    @classmethod
    def candidates(cls, state: S, seat: Seat, before: Values = ()) -> Iterator[Any]:
        """Yield commands that begin with these values and may be legal, in menu order. An override needs one of
        `menu` (see `menu_of`)."""
        words = grammar(cls).words
        if len(before) == len(words):
            yield make(cls, before)
            return
        for value in words[len(before)].candidates(state, seat, before):
            yield from cls.candidates(state, seat, (*before, value))

    @classmethod
    def first(cls, state: S, seat: Seat, before: Values = ()) -> Any:
        return next(legal(cls.candidates(state, seat, before), state, seat), None)

    @classmethod
    def menu(cls, state: S, seat: Seat, rest: Words) -> Iterable[Choice]:
        """Return the next words, after the verb and `rest`, of legal commands."""
        found: dict[str, Choice] = {}
        _offer(found, cls, state, seat, rest, ())
        return found.values()

    def is_complete(self, state: S, count: int) -> bool:
        """Return True if the words of the first `count` fields complete the command."""
        known = grammar(type(self))
        if count < known.spoken or count == len(known.words):
            return count >= known.spoken
        before: Values = ()
        for number, (name, word) in enumerate(zip(known.names, known.words, strict=True)):
            value = getattr(self, name)
            if number >= count and word.write(state, value, before):
                return False
            before = (*before, value)
        return True

    def words(self, state: S) -> Words:
        """Return the words after the verb; `read` is the inverse."""
        known = grammar(type(self))
        written: Words = ()
        before: Values = ()
        for name, word in zip(known.names, known.words, strict=True):
            value = getattr(self, name)
            written += word.write(state, value, before)
            before = (*before, value)
        return written

    def notation(self, state: S) -> Words:
        return (verb(type(self)), *self.words(state))

    @classmethod
    def read(cls, state: S, seat: Seat, rest: Words) -> Any:
        """Read the words after the verb, legal or not. Override for freer notation. Raises Invalid, or Ambiguous if
        words are missing."""
        words = grammar(cls).words
        if len(rest) > len(words):
            raise cls.too_many(rest)
        values: Values = ()
        for word, written in zip(words, rest, strict=False):
            values = (*values, word.read(state, written, values))
        if len(values) < len(words):
            raise cls.too_few(rest)
        return make(cls, values)

    @classmethod
    def too_many(cls, rest: Words) -> Refusal:
        return Invalid(say("Too many words: {words}", words=" ".join(rest[len(grammar(cls).words) :])))

    @classmethod
    def too_few(cls, rest: Words) -> Refusal:
        return Ambiguous(grammar(cls).words[len(rest)].missing)


class Action(Command[S], Generic[S], frozen=True):
    clauses: ClassVar[tuple[str, ...]] = ()
    """Clauses that judge it, without turn and time; equal for actions that look alike (law 5)."""

    time_first: ClassVar[bool] = False
    """If True, an untimely action is judged no further, and every sentence is reported; else each clause once."""

    declared: ClassVar[bool] = False
    """True if no camera can tell these actions apart, so buttons order them."""

    def untimely(self, state: S, seat: Seat) -> Iterator[Violation]:
        """Yield violations by the wrong seat or time."""
        raise NotImplementedError

    def judge(self, state: S, seat: Seat) -> tuple[Violation, ...]:
        untimely = tuple(self.untimely(state, seat))
        if self.time_first:
            return untimely or tuple(self.violations(state, seat))
        found: dict[str, Violation] = {}
        for breach in chain(untimely, self.violations(state, seat)):
            found.setdefault(breach.clause, breach)
        return tuple(found.values())

    def after(self, state: S, seat: Seat) -> S:
        """Return the state after it. Must work for any timely legal action."""
        raise NotImplementedError

    def sentence(self, state: S, seat: Seat) -> Text:
        raise NotImplementedError

    def events(self, before: S, after: S, seat: Seat) -> Iterator[Event]:
        yield Event(self.sentence(before, seat), audience=None)

    def trace(self, state: S, seat: Seat) -> Trace:
        """Return the action as a camera sees it (law 3)."""
        raise NotImplementedError

    def may_be_seen(self, state: S, seat: Seat, glance: Prefilter) -> bool:
        """Return False if no camera can see that the action was done, or the prefilter excludes it."""
        return True

    def execution_errors(self, state: S, seat: Seat) -> Iterator[Attempt]:
        return iter(())


class Correction(Command[S], Generic[S], frozen=True):
    """A command that repairs the referee's belief (law 2); all that menus offer is allowed."""

    def after(self, state: S) -> S:
        raise NotImplementedError


A = TypeVar("A", bound=Action[Any])


class Rules(Generic[S, A]):
    """The part of `engine.game.Game` that follows from commands.

    actions: all classes; `asked_actions` separates those that share a verb
    repairs: corrections, in menu order"""

    actions: ClassVar[tuple[type[Action[Any]], ...]]
    repairs: ClassVar[tuple[type[Correction[Any]], ...]] = ()

    def learn(self) -> None:
        """Build every command's grammar in advance. Thread-safe."""
        for kind in (*self.actions, *self.repairs):
            grammar(kind)

    # --- what each game says

    def actors(self, state: S) -> frozenset[Seat]:
        raise NotImplementedError

    def asked_actions(self, state: S, seat: Seat) -> Collection[type[Action[Any]]]:
        """Return the action classes that the phase asks of an acting seat, in menu order."""
        raise NotImplementedError

    def spell(self, words: Words) -> Words:
        """Return notation in its normal form: lower case."""
        return tuple([word.lower() for word in words])

    def unknown(self, words: Words) -> Refusal:
        raise NotImplementedError

    # --- what follows

    def choices(self, state: S, seat: Seat, prefix: Words = ()) -> tuple[Choice, ...]:
        if seat not in self.actors(state):
            return ()
        return _menu(self.asked_actions(state, seat), state, seat, prefix)

    def read(self, state: S, seat: Seat, words: Words) -> A:
        written = self.spell(words)
        action: A = self._action_class(state, seat, written).read(state, seat, written[1:])
        return action

    def clauses(self, state: S, seat: Seat, words: Words) -> tuple[str, ...]:
        return self._action_class(state, seat, self.spell(words)).clauses

    def _action_class(self, state: S, seat: Seat, words: Words) -> type[Action[Any]]:
        kinds: tuple[type[Action[Any]], ...] = by_verb(self.actions).get(words[0], ()) if words else ()
        if not kinds:
            raise self.unknown(words)
        if len(kinds) == 1:
            return kinds[0]
        asked = self.asked_actions(state, seat)
        return next((each for each in kinds if each in asked), kinds[0])

    def words(self, state: S, action: A) -> Words:
        return action.notation(state)

    def judge(self, state: S, seat: Seat, action: A) -> tuple[Violation, ...]:
        return action.judge(state, seat)

    def apply(self, state: S, seat: Seat, action: A) -> tuple[S, tuple[Event, ...]]:
        after = action.after(state, seat)
        return after, tuple(action.events(state, after, seat))

    def trace(self, state: S, seat: Seat, action: A) -> Trace:
        return action.trace(state, seat)

    def visible_actions(self, state: S, seat: Seat, glance: Prefilter) -> Iterator[tuple[Words, Trace]]:
        """Yield notation and trace of legal actions that a camera can tell apart and the prefilter allows; sort with
        `in_menus`."""
        told = set[Words]()
        for kind in self.asked_actions(state, seat):
            if kind.declared or _is_closed(kind, state, seat):
                continue
            for action in kind.candidates(state, seat):
                if action.may_be_seen(state, seat, glance) and not any(action.violations(state, seat)):
                    trace, words = self.trace(state, seat, action), action.notation(state)
                    if not trace.declared and words not in told:
                        told.add(words)
                        yield words, trace

    def misexecutions(self, state: S, seat: Seat, action: A) -> Iterable[Attempt]:
        return action.execution_errors(state, seat)

    def corrections(self, state: S, prefix: Words = ()) -> tuple[Choice, ...]:
        return _menu(self.repairs, state, TABLE, prefix)

    def correct(self, state: S, words: Words) -> tuple[S, tuple[Event, ...]]:
        """Return the corrected state and event. Raises Invalid if not offered, Ambiguous if words are missing."""
        told = correction(partial(self.corrections, state), words)
        repaired: S = self.repair(state, words).after(state)
        return repaired, (told,)

    def repair(self, state: S, words: Words) -> Correction[Any]:
        """Return the correction that the words mean. Raises Invalid if not offered."""
        for kind in self.repairs:
            if words[:1] == (verb(kind),):
                found: Correction[Any]
                for found in kind.candidates(state, TABLE):
                    if found.words(state) == words[1:]:
                        return found
        raise Invalid(say("This can't be corrected like that: {words}", words=" ".join(words)))


def _menu(kinds: Iterable[type[Command[Any]]], state: Any, seat: Seat, prefix: Words) -> tuple[Choice, ...]:
    if not prefix:
        return verbs_of(kinds, state, seat)
    found: list[Choice] = []
    for kind in by_verb(tuple(kinds)).get(prefix[0], ()):
        if not _is_closed(kind, state, seat):
            found += kind.menu(state, seat, prefix[1:])
    return tuple(found)


def _is_closed(kind: type[Command[Any]], state: Any, seat: Seat) -> bool:
    return grammar(kind).closes and any(kind.verb_violations(state, seat))


def in_menus(found: Iterable[T], words: Callable[[T], Words]) -> list[T]:
    """Sort items as menus would. words: notation of an item."""
    every, ranks = list(found), dict[Words, int]()

    def path(each: T) -> list[int]:
        written = words(each)
        return [ranks.setdefault(written[:count], len(ranks)) for count in range(1, len(written) + 1)]

    return sorted(every, key=path) if len(every) > 1 else every


@cache
def by_verb(kinds: tuple[type[Command[Any]], ...]) -> dict[str, tuple[type[Any], ...]]:
    return {verb(kind): tuple(each for each in kinds if verb(each) == verb(kind)) for kind in kinds}


def verbs_of(kinds: Iterable[type[Command[Any]]], state: Any, seat: Seat) -> tuple[Choice, ...]:
    found: list[Choice] = []
    for kind in kinds:
        known = grammar(kind)
        if known.closes and any(kind.verb_violations(state, seat)):
            continue
        command = known.searches[0](state, seat, ())
        if command is None:
            continue
        if known.opening is not None:
            found.append(known.opening)
        else:
            final = command.is_complete(state, 0)
            found.append(Choice(verb(kind), kind.title(state, seat), final, final and command.costs(state, seat)))
    return tuple(found)


def legal(commands: Iterable[C], state: Any, seat: Seat) -> Iterator[C]:
    return (command for command in commands if not any(command.violations(state, seat)))


def menu_of(
    commands: Iterable[Command[Any]],
    label: Callable[[Words, int], Text],
    state: Any,
    seat: Seat,
    rest: Words,
    under: Callable[[str], Text | None],
    means: Callable[[Words, int], tuple[DrawnThing, ...]],
) -> Iterator[Choice]:
    """Yield a menu of whole, legal commands. label: name of a word by its number; under: its heading; means: drawn
    things that it names."""
    found, depth = set[str](), len(rest)
    for command in commands:
        words = command.words(state)
        if len(words) <= depth or words[:depth] != rest or words[depth] in found:
            continue
        found.add(words[depth])
        final = len(words) == depth + 1
        costs = final and command.costs(state, seat)
        yield Choice(words[depth], label(words, depth), final, costs, under(words[depth]), means(words, depth))


def _offer(
    found: dict[str, Choice], kind: type[Command[Any]], state: Any, seat: Seat, rest: Words, before: Values
) -> None:
    known = grammar(kind)
    words, count, number = known.words, len(before), len(rest)
    if count == len(words):
        return
    word, search, last = words[count], known.searches[count + 1], count + 1 == len(words)
    spoken = count + 1 >= known.spoken
    for value in word.candidates(state, seat, before):
        written = word.write(state, value, before)
        if len(written) <= number:
            if written == rest[: len(written)]:
                _offer(found, kind, state, seat, rest[len(written) :], (*before, value))
        elif written[number] not in found and (not number or written[:number] == rest):
            command = search(state, seat, (*before, value))
            if command is not None:
                final = number + 1 == len(written) and (last or (spoken and command.is_complete(state, count + 1)))
                costs = final and command.costs(state, seat)
                text = word.text(state, value, before, number)
                under = word.under(state, value, number) if known.grouped[count] else None
                means = word.means(state, value, number)
                found[written[number]] = Choice(written[number], text, final, costs, under, means)


@cache
def verb(kind: type[Command[Any]]) -> str:
    return str(kind.__struct_config__.tag)


class Grammar(msgspec.Struct, frozen=True):
    """The grammar of a class of commands.

    searches: by count of given words
    arranged: None if words and fields have the same order
    names: fields in word order
    spoken: fields up to the last that must be written
    opening: the verb's menu item, if constant
    closes: `verb_violations` may hide the verb
    grouped: for each word, True if its values may have headings"""

    words: tuple[Word[Any, Any], ...]
    searches: tuple[Search, ...]
    arranged: Arranged | None
    names: tuple[str, ...]
    spoken: int
    opening: Choice | None
    closes: bool
    grouped: tuple[bool, ...]


@cache
def grammar(kind: type[Command[Any]]) -> Grammar:
    hints = get_type_hints(kind, include_extras=True)
    fields = kind.__struct_fields__
    names = kind.order or fields
    words = tuple(next(each for each in get_args(hints[name]) if isinstance(each, Word)) for name in names)
    spoken = max((number for number, word in enumerate(words, start=1) if not word.optional), default=0)
    arranged = None if names == fields else itemgetter(*map(names.index, fields))
    nested = inherits(kind, "candidates") and inherits(kind, "first")
    searches = _searches(kind, words, arranged) if nested else (kind.first,) * (len(words) + 1)
    return Grammar(
        words,
        searches=searches,
        arranged=arranged,
        names=names,
        spoken=spoken,
        opening=Choice(verb(kind), kind.name, False) if spoken and inherits(kind, "title") else None,
        closes=not inherits(kind, "verb_violations"),
        grouped=tuple(type(word).under is not Word.under for word in words),
    )


def _searches(
    kind: type[Command[Any]], words: tuple[Word[Any, Any], ...], arranged: Arranged | None
) -> tuple[Search, ...]:
    judged = kind.violations is not Command.violations

    def whole(state: Any, seat: Seat, values: Values) -> Any:
        command = kind(*(values if arranged is None else arranged(values)))
        return None if judged and any(command.violations(state, seat)) else command

    searches: list[Search] = [whole]
    for word in reversed(words):
        searches.append(_search(word, searches[-1]))
    return tuple(reversed(searches))


def _search(word: Word[Any, Any], beyond: Search) -> Search:
    candidates = word.candidates

    def search(state: Any, seat: Seat, before: Values) -> Any:
        for value in candidates(state, seat, before):
            found = beyond(state, seat, (*before, value))
            if found is not None:
                return found
        return None

    return search


def inherits(kind: type[Command[Any]], name: str) -> bool:
    own: Any = getattr(kind, name)
    return bool(own.__func__ is vars(Command)[name].__func__)


def make(kind: type[C], values: Values) -> C:
    arranged = grammar(kind).arranged
    return kind(*values) if arranged is None else kind(*arranged(values))
