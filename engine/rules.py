"""The base that a game may stand on: a command is one class, and menus, notation and verdicts follow from it.

class Place(Order, frozen=True, tag="place"):
    mat: Annotated[int, MatLetter()]        # the fields are its words: each `Word` offers, writes and reads one
    kind: Annotated[str, PooledStone()]
    index: Annotated[int, End()]

    def breaches(self, state, seat): ...    # every clause that it breaks; legality is written here and nowhere else
    def after(self, state, seat): ...       # the state after it, if it breaks none

A press goes this way: `Rules.choices` asks the command whose verb was pressed for its `menu`; that takes each candidate
of the next word and keeps it if `violations` finds nothing against one of the commands that begin with it; the words of
the last press are `read` back into the command, `judge` asks `violations` once more, and `apply` takes `after`. Random
play (`Rules.draw`) proves less than menus do: it tries one candidate of each word, and another only if that one fails.
The arbiter walks through no menu: `Rules.visible_actions` takes the candidates that a glance at the table leaves
possible, and only those are judged and followed.
"""

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
from engine.view import Event

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")
C = TypeVar("C", bound="Command[Any]")

Values: TypeAlias = "tuple[Any, ...]"
"""What the words of a command stand for, from the first on: in a menu only those that were chosen."""

Arranged: TypeAlias = "Callable[[Values], Values]"
"""Puts the values of a command's words into the order of its fields."""

Search: TypeAlias = "Callable[[Any, Seat, Values], Any]"
"""Gives the first legal command, for this state and seat, that begins with these values; None if there is none."""

Pick: TypeAlias = "Callable[[int], int]"
"""Chooses among so many things: gives a number below that."""

Drawing: TypeAlias = "Callable[[Any, Seat, Values, Pick], Any]"
"""Gives a random legal command, for this state and seat, that begins with these values; None if there is none. Or the
words of one with its verb, if menus were walked for it."""

TABLE: Seat = "table"
"""Who speaks a correction: nobody alone (law 2)."""


class Word(Generic[S, T]):
    """How one field of a command is offered, written and read: derive one class for each kind of word of a game.

    `before` holds the values of the same command's earlier words. `text` is what a menu shows.
    """

    missing: Text
    """What is asked of a command that ends before this word, unless it is read otherwise."""

    optional: ClassVar[bool] = False
    """Whether some value goes without saying, so that `write` gives ()."""

    several: ClassVar[bool] = False
    """Whether `write` gives more than one word for some candidate."""

    def candidates(self, state: S, seat: Seat, before: Values) -> Iterable[T]:
        """The values that may be legal, in the order of the menu; the fewer are not, the faster the menu."""
        raise NotImplementedError

    def write(self, state: S, value: T, before: Values) -> Words:
        """The notation of a value: mostly one word, () if it goes without saying, more for a card with its number."""
        return (str(value),)

    def text(self, state: S, value: T, before: Values, number: int) -> Text:
        """Return the value as a menu names it; `number`: the word that the menu is at, 0 for the first."""
        raise NotImplementedError

    def under(self, state: S, value: T, number: int) -> Text | None:
        """The heading under which a long menu may put the value; None: it has none."""
        return None

    def read(self, state: S, word: str, before: Values) -> T:
        """The value that a word means, legal or not. Raises Invalid or Ambiguous."""
        raise NotImplementedError


class MenuWord(Word[S, T]):
    """A word that is chosen from a menu alone, as those of corrections are."""

    def __init__(
        self,
        offered: Callable[[S, Values], Iterable[T]],
        called: Callable[[T], Text],
        believed: Callable[[S, Values], T] | None = None,
    ) -> None:
        """offered: what it may be; called: each in a menu; believed: what it is taken for now, and so no correction."""
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
    """A verb and its words: an action of a seat or a correction of the table. The verb is the tag of the struct.

    Fields are annotated with their `Word`, and come in menus and in notation in the order of the class, or of `order`.
    """

    name: ClassVar[Text]
    """The verb as menus show it."""

    order: ClassVar[tuple[str, ...]] = ()
    """The names of the fields in the order of the words, where it is not that of the class."""

    @classmethod
    def title(cls, state: S, seat: Seat) -> Text:
        """The verb as a menu shows it now."""
        return cls.name

    def costs(self, state: S, seat: Seat) -> bool:
        """Return True if the buttons ask once more: the command cannot be taken back, or uses something up."""
        return False

    @classmethod
    def verb_violations(cls, state: S, seat: Seat) -> Iterator[Violation]:
        """Yield those of `violations` that hold for every command of this verb now: menus leave the verb out."""
        return iter(())

    def violations(self, state: S, seat: Seat) -> Iterator[Violation]:
        """Every clause that it breaks, if `seat` is asked for such a command; nothing if it is legal."""
        return iter(())

    @classmethod
    def candidates(cls, state: S, seat: Seat, before: Values = ()) -> Iterator[Any]:
        """The commands of this verb that may be legal and begin with these values, in the order of the menus.

        Derived from the fields. Override it where the candidates of a whole command are easier told than those of each
        word, and `menu` with it (see `menu_of`).
        """
        words = grammar(cls).words
        if len(before) == len(words):
            yield make(cls, before)
            return
        for value in words[len(before)].candidates(state, seat, before):
            yield from cls.candidates(state, seat, (*before, value))

    @classmethod
    def first(cls, state: S, seat: Seat, before: Values = ()) -> Any:
        """The first legal command among the candidates, or None. A menu asks no more of what lies behind a word."""
        return next(legal(cls.candidates(state, seat, before), state, seat), None)

    @classmethod
    def menu(cls, state: S, seat: Seat, rest: Words) -> Iterable[Choice]:
        """The words that may follow the verb and `rest`, each if a legal command begins so."""
        found: dict[str, Choice] = {}
        _offer(found, cls, state, seat, rest, ())
        return found.values()

    def is_said(self, state: S, count: int) -> bool:
        """Return True if nothing is written after the first `count` fields."""
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
        """The verb and its words."""
        return (verb(type(self)), *self.words(state))

    @classmethod
    def read(cls, state: S, seat: Seat, rest: Words) -> Any:
        """The command that the words after the verb mean, legal or not: one word a field, in their order.

        Override it where notation is freer. Raises Invalid if the words mean nothing, Ambiguous if they are not enough.
        """
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
        """The refusal of words for which there is no field."""
        return Invalid(say("Too many words: {words}", words=" ".join(rest[len(grammar(cls).words) :])))

    @classmethod
    def too_few(cls, rest: Words) -> Refusal:
        """The refusal of a command whose later words are missing."""
        return Ambiguous(grammar(cls).words[len(rest)].missing)


class Action(Command[S], Generic[S], frozen=True):
    """A command of a seat by the rules of the game."""

    clauses: ClassVar[tuple[str, ...]] = ()
    """By which it is judged, apart from who may do it and when. The same of all actions that look alike to all (law 5),
    as the public stream names them."""

    time_first: ClassVar[bool] = False
    """Whether of an action at the wrong time nothing further is judged, and of another each sentence is told; otherwise
    all is judged at once, and each clause told once."""

    declared: ClassVar[bool] = False
    """Whether no camera can tell any of them, so that they are ordered at the buttons (see `engine.table.Trace`)."""

    def untimely(self, state: S, seat: Seat) -> Iterator[Violation]:
        """Every clause that it breaks by whoever does it, or by when it is done."""
        raise NotImplementedError

    def judge(self, state: S, seat: Seat) -> tuple[Violation, ...]:
        """Every breach that is told; () if it is legal now."""
        untimely = tuple(self.untimely(state, seat))
        if self.time_first:
            return untimely or tuple(self.violations(state, seat))
        found: dict[str, Violation] = {}
        for breach in chain(untimely, self.violations(state, seat)):
            found.setdefault(breach.clause, breach)
        return tuple(found.values())

    def after(self, state: S, seat: Seat) -> S:
        """The state after it. Total on what is asked of the seat and breaks no clause."""
        raise NotImplementedError

    def sentence(self, state: S, seat: Seat) -> Text:
        """Return the command as a sentence in words that hold for everybody."""
        raise NotImplementedError

    def events(self, before: S, after: S, seat: Seat) -> Iterator[Event]:
        """Yield the events of the action, each with its audience."""
        yield Event(self.sentence(before, seat), audience=None)

    def trace(self, state: S, seat: Seat) -> Trace:
        """Return what a camera sees of the action (law 3)."""
        raise NotImplementedError

    def may_be_seen(self, state: S, seat: Seat, glance: Prefilter) -> bool:
        """False if no camera can tell it, or if a glance rules it out: asked of every candidate before it is judged."""
        return True

    def execution_errors(self, state: S, seat: Seat) -> Iterator[Attempt]:
        """Yield what a hand may do wrong in carrying it out."""
        return iter(())


class Correction(Command[S], Generic[S], frozen=True):
    """A command of the table that repairs what the referee believes (law 2): what the menus offer is allowed."""

    def after(self, state: S) -> S:
        """The repaired state."""
        raise NotImplementedError


A = TypeVar("A", bound=Action[Any])


class Rules(Generic[S, A]):
    """What `engine.game.Game` asks for, as far as it follows from the commands; a game adds the rest.

    actions: every class of action, in the order in which a reader who asks is told of them; several may share a verb,
    of which then the one that is asked for is meant. repairs: every class of correction, in the order of the menu.
    """

    actions: ClassVar[tuple[type[Action[Any]], ...]]
    repairs: ClassVar[tuple[type[Correction[Any]], ...]] = ()

    def learn(self) -> None:
        """Works out now what the annotations of every command say, not when a menu first asks for it. On any thread."""
        for kind in (*self.actions, *self.repairs):
            grammar(kind)

    # --- what each game says

    def actors(self, state: S) -> frozenset[Seat]:
        """Return the seats that may act now."""
        raise NotImplementedError

    def asked_actions(self, state: S, seat: Seat) -> Collection[type[Action[Any]]]:
        """The actions that the phase asks of one who may act, in the order of the menu."""
        raise NotImplementedError

    def spell(self, words: Words) -> Words:
        """Words as the notation writes them: capitals do not matter."""
        return tuple([word.lower() for word in words])

    def unknown(self, words: Words) -> Refusal:
        """The refusal of words that begin with no verb, or of no words at all."""
        raise NotImplementedError

    # --- what follows

    def choices(self, state: S, seat: Seat, prefix: Words = ()) -> tuple[Choice, ...]:
        """The words that may follow `prefix` in a legal action of `seat`."""
        if seat not in self.actors(state):
            return ()
        return _menu(self.asked_actions(state, seat), state, seat, prefix)

    def draw(self, state: S, seat: Seat, pick: Pick) -> A | None:
        """A legal action of `seat` at random; None if there is none.

        As likely as by a walk through the menus, with `pick` among the words of each (see `engine.random_play`).
        """
        kinds = list(self.asked_actions(state, seat)) if seat in self.actors(state) else []
        while kinds:
            kind = kinds.pop(pick(len(kinds)) if len(kinds) > 1 else 0)
            known = grammar(kind)
            if not (known.closes and any(kind.verb_violations(state, seat))):
                found: A | Words | None = known.drawing(state, seat, (), pick)
                if found is not None:
                    return self.read(state, seat, found) if isinstance(found, tuple) else found
        return None

    def read(self, state: S, seat: Seat, words: Words) -> A:
        """The action that `words` mean, legal or not. Raises Invalid, Ambiguous or Illegal."""
        written = self.spell(words)
        action: A = self._action_class(state, seat, written).read(state, seat, written[1:])
        return action

    def clauses(self, state: S, seat: Seat, words: Words) -> tuple[str, ...]:
        """The clauses by which the action is judged that `words` mean. Raises Invalid."""
        return self._action_class(state, seat, self.spell(words)).clauses

    def _action_class(self, state: S, seat: Seat, words: Words) -> type[Action[Any]]:
        """The class of the action that words mean. Raises Invalid."""
        kinds: tuple[type[Action[Any]], ...] = by_verb(self.actions).get(words[0], ()) if words else ()
        if not kinds:
            raise self.unknown(words)
        if len(kinds) == 1:
            return kinds[0]
        asked = self.asked_actions(state, seat)
        return next((each for each in kinds if each in asked), kinds[0])

    def words(self, state: S, action: A) -> Words:
        """The notation of an action."""
        return action.notation(state)

    def judge(self, state: S, seat: Seat, action: A) -> tuple[Violation, ...]:
        """Every clause that the action breaks."""
        return action.judge(state, seat)

    def apply(self, state: S, seat: Seat, action: A) -> tuple[S, tuple[Event, ...]]:
        """The state after a legal action, and what is told to whom."""
        after = action.after(state, seat)
        return after, tuple(action.events(state, after, seat))

    def trace(self, state: S, seat: Seat, action: A) -> Trace:
        """Return what a camera sees of the action."""
        return action.trace(state, seat)

    def visible_actions(self, state: S, seat: Seat, glance: Prefilter) -> Iterator[tuple[Words, Trace]]:
        """The legal actions of one who may act that a camera may tell, in notation and with their traces, but for those
        that the glance rules out. They come as the candidates do: `in_menus` puts them in order."""
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
        """Yield what a hand may do wrong in carrying out this order."""
        return action.execution_errors(state, seat)

    def corrections(self, state: S, prefix: Words = ()) -> tuple[Choice, ...]:
        """The words that may follow in a correction."""
        return _menu(self.repairs, state, TABLE, prefix)

    def correct(self, state: S, words: Words) -> tuple[S, tuple[Event, ...]]:
        """The repaired state. Raises Invalid if the menus do not offer the words, Ambiguous if some are missing."""
        told = correction(partial(self.corrections, state), words)
        repaired: S = self.repair(state, words).after(state)
        return repaired, (told,)

    def repair(self, state: S, words: Words) -> Correction[Any]:
        """The correction that the words mean. Raises Invalid if the menus do not offer them."""
        for kind in self.repairs:
            if words[:1] == (verb(kind),):
                found: Correction[Any]
                for found in kind.candidates(state, TABLE):
                    if found.words(state) == words[1:]:
                        return found
        raise Invalid(say("This cannot be corrected so: {words}", words=" ".join(words)))


def _menu(kinds: Iterable[type[Command[Any]]], state: Any, seat: Seat, prefix: Words) -> tuple[Choice, ...]:
    """The verbs; after a verb only what that verb's own commands offer."""
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
    """Return what was found for some actions in the order of the menus that offer just these; it may differ from that
    of the whole menus where a glance left some out. words: of an action."""
    every, ranks = list(found), dict[Words, int]()

    def path(each: T) -> list[int]:
        written = words(each)
        return [ranks.setdefault(written[:count], len(ranks)) for count in range(1, len(written) + 1)]

    return sorted(every, key=path) if len(every) > 1 else every


@cache
def by_verb(kinds: tuple[type[Command[Any]], ...]) -> dict[str, tuple[type[Any], ...]]:
    """The classes of each verb."""
    return {verb(kind): tuple(each for each in kinds if verb(each) == verb(kind)) for kind in kinds}


def verbs_of(kinds: Iterable[type[Command[Any]]], state: Any, seat: Seat) -> tuple[Choice, ...]:
    """The verbs of those commands of which at least one is legal; nothing beyond the first is looked at."""
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
            final = command.is_said(state, 0)
            found.append(Choice(verb(kind), kind.title(state, seat), final, final and command.costs(state, seat)))
    return tuple(found)


def legal(commands: Iterable[C], state: Any, seat: Seat) -> Iterator[C]:
    """The commands against which nothing speaks."""
    return (command for command in commands if not any(command.violations(state, seat)))


def menu_of(
    commands: Iterable[Command[Any]],
    label: Callable[[Words, int], Text],
    state: Any,
    seat: Seat,
    rest: Words,
    under: Callable[[str], Text | None],
) -> Iterator[Choice]:
    """A menu of legal commands that are told as wholes: for `Command.menu` where `candidates` is overridden.

    label: what a menu calls the word of that number among a command's words; under: its heading in a long menu.
    """
    found, depth = set[str](), len(rest)
    for command in commands:
        words = command.words(state)
        if len(words) <= depth or words[:depth] != rest or words[depth] in found:
            continue
        found.add(words[depth])
        final = len(words) == depth + 1
        costs = final and command.costs(state, seat)
        yield Choice(words[depth], label(words, depth), final, costs, under(words[depth]))


def _offer(
    found: dict[str, Choice], kind: type[Command[Any]], state: Any, seat: Seat, rest: Words, before: Values
) -> None:
    """Adds what may follow the words of `before` and then `rest`: from the next field on, as far as it is said."""
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
                final = number + 1 == len(written) and (last or (spoken and command.is_said(state, count + 1)))
                costs = final and command.costs(state, seat)
                text = word.text(state, value, before, number)
                under = word.under(state, value, number) if known.grouped[count] else None
                found[written[number]] = Choice(written[number], text, final, costs, under)


@cache
def verb(kind: type[Command[Any]]) -> str:
    """The verb of a class of commands: the tag of its struct."""
    return str(kind.__struct_config__.tag)


class Grammar(msgspec.Struct, frozen=True):
    """What follows a verb, as the class of its commands says it.

    words: in their order. searches: for each count of words that are given, the search for the first legal command that
    begins with them. drawing: of a random legal command. arranged: puts the values of the words into the order of the
    class, None if it is the same. names: of the fields, in the order of the words. spoken: as many of them are there at
    least in every command's notation. opening: the verb in a menu, if it never changes. closes: it may be that nothing
    of the verb is legal. grouped: of each word, whether its values may have a heading.
    """

    words: tuple[Word[Any, Any], ...]
    searches: tuple[Search, ...]
    drawing: Drawing
    arranged: Arranged | None
    names: tuple[str, ...]
    spoken: int
    opening: Choice | None
    closes: bool
    grouped: tuple[bool, ...]


@cache
def grammar(kind: type[Command[Any]]) -> Grammar:
    """Return the grammar that the annotations of a class of commands give."""
    hints = get_type_hints(kind, include_extras=True)
    fields = kind.__struct_fields__
    names = kind.order or fields
    words = tuple(next(each for each in get_args(hints[name]) if isinstance(each, Word)) for name in names)
    spoken = max((number for number, word in enumerate(words, start=1) if not word.optional), default=0)
    arranged = None if names == fields else itemgetter(*map(names.index, fields))
    nested = _inherits(kind, "candidates") and _inherits(kind, "first")
    searches = _searches(kind, words, arranged) if nested else (kind.first,) * (len(words) + 1)
    return Grammar(
        words,
        searches=searches,
        drawing=_drawing(kind, words, searches[-1], by_menus=not nested or not _inherits(kind, "menu")),
        arranged=arranged,
        names=names,
        spoken=spoken,
        opening=Choice(verb(kind), kind.name, False) if spoken and _inherits(kind, "title") else None,
        closes=not _inherits(kind, "verb_violations"),
        grouped=tuple(type(word).under is not Word.under for word in words),
    )


def _searches(
    kind: type[Command[Any]], words: tuple[Word[Any, Any], ...], arranged: Arranged | None
) -> tuple[Search, ...]:
    """Return searches that do what `Command.first` does, faster: candidates of each word nested in those of the word
    before."""
    judged = kind.violations is not Command.violations

    def whole(state: Any, seat: Seat, values: Values) -> Any:
        command = kind(*(values if arranged is None else arranged(values)))
        return None if judged and any(command.violations(state, seat)) else command

    searches: list[Search] = [whole]
    for word in reversed(words):
        searches.append(_search(word, searches[-1]))
    return tuple(reversed(searches))


def _search(word: Word[Any, Any], beyond: Search) -> Search:
    """The search among the candidates of one word, with that beyond it."""
    candidates = word.candidates

    def search(state: Any, seat: Seat, before: Values) -> Any:
        for value in candidates(state, seat, before):
            found = beyond(state, seat, (*before, value))
            if found is not None:
                return found
        return None

    return search


def _drawing(kind: type[Command[Any]], words: tuple[Word[Any, Any], ...], whole: Search, *, by_menus: bool) -> Drawing:
    """Draws a command of a class: the candidates of each word in random order, until one leads to a legal command.

    Each menu is then made of the candidates of one word, so that nobody needs to ask which of them are legal. by_menus:
    it is not, because the class overrides what its menus offer; nor is it where a word may go without saying, unless
    nothing can be chosen before it and there.
    """
    menus = partial(_walk_menu, kind)
    said = [not word.optional for word in words]
    if by_menus or said != sorted(said):
        return menus

    def complete(state: Any, seat: Seat, before: Values, _pick: Pick) -> Any:
        return whole(state, seat, before)

    drawing: Drawing = complete
    for word in reversed(words):
        if word.optional:
            drawing = _forced_menu(word, drawing, menus)
        else:
            drawing = _drawn_in_parts(word, drawing) if word.several else _word_menu(word, drawing)
    return drawing


def _word_menu(word: Word[Any, Any], beyond: Drawing) -> Drawing:
    """The drawing of a word that is written as one, with that beyond it."""
    candidates = word.candidates

    def drawing(state: Any, seat: Seat, before: Values, pick: Pick) -> Any:
        offered = list(candidates(state, seat, before))
        while offered:
            value = offered.pop(pick(len(offered)) if len(offered) > 1 else 0)
            found = beyond(state, seat, (*before, value), pick)
            if found is not None:
                return found
        return None

    return drawing


def _drawn_in_parts(word: Word[Any, Any], beyond: Drawing) -> Drawing:
    """The drawing of a word that is written as several, with that beyond it: a menu shows one of them after another."""
    candidates, write = word.candidates, word.write

    def drawing(state: Any, seat: Seat, before: Values, pick: Pick) -> Any:
        offered = [(write(state, value, before), value) for value in candidates(state, seat, before)]

        def among(offered: list[tuple[Words, Any]], number: int) -> Any:
            items: dict[Words, list[tuple[Words, Any]]] = {}
            for written, value in offered:
                items.setdefault(written[number : number + 1], []).append((written, value))
            left = list(items.values())
            while left:
                alike = left.pop(pick(len(left)) if len(left) > 1 else 0)
                written, value = alike[0]
                whole = len(alike) == 1 or len(written) <= number + 1
                found = beyond(state, seat, (*before, value), pick) if whole else among(alike, number + 1)
                if found is not None:
                    return found
            return None

        return among(offered, 0)

    return drawing


def _forced_menu(word: Word[Any, Any], beyond: Drawing, otherwise: Drawing) -> Drawing:
    """The drawing beyond a word for which there is but one candidate; `otherwise` if there are more."""
    candidates = word.candidates

    def drawing(state: Any, seat: Seat, before: Values, pick: Pick) -> Any:
        offered = tuple(candidates(state, seat, before))
        if len(offered) == 1:
            return beyond(state, seat, (*before, *offered), pick)
        return otherwise(state, seat, before, pick)

    return drawing


def _walk_menu(kind: type[Command[Any]], state: Any, seat: Seat, _before: Values, pick: Pick) -> Any:
    """The drawing of a verb by a walk through its menus."""
    command = grammar(kind).searches[0](state, seat, ())
    if command is None or command.is_said(state, 0):
        return command
    words: Words = ()
    while True:
        offered = tuple(kind.menu(state, seat, words))
        if not offered:
            return None
        chosen = offered[pick(len(offered))]
        words = (*words, chosen.word)
        if chosen.final:
            return (verb(kind), *words)


def _inherits(kind: type[Command[Any]], name: str) -> bool:
    """Return True if a class of commands does not override a method of `Command`."""
    own: Any = getattr(kind, name)
    return bool(own.__func__ is vars(Command)[name].__func__)


def make(kind: type[C], values: Values) -> C:
    """The command with these values, which come in the order of the words."""
    arranged = grammar(kind).arranged
    return kind(*values) if arranged is None else kind(*arranged(values))
