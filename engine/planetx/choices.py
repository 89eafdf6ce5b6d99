"""The next words of a legal action: menus, notation and random play walk this."""

from __future__ import annotations

from collections.abc import Callable

from engine.game import Choice, Words
from engine.planetx.actions import survey_cost
from engine.planetx.codes import LENGTH, LETTERS, VERSION
from engine.planetx.judge import most_theories
from engine.planetx.names import KIND_OF_WORD, LEVEL_NAMES, LEVELS, NAMES, PLURALS, TOPICS, WORDS
from engine.planetx.sentences import title
from engine.planetx.sky import run
from engine.planetx.state import (
    Acting,
    Asking,
    Choosing,
    Ending,
    Note,
    Placing,
    Pledging,
    State,
    Typing,
    actors,
    placeable,
    player_of,
    settled,
    visible,
)
from engine.table import Seat
from engine.text import Text, say

Choices = tuple[Choice, ...]


def choices(state: State, seat: Seat, prefix: Words = ()) -> Choices:
    """The words that may follow `prefix` in a legal action of `seat`; () if the prefix itself is none."""
    if seat not in actors(state):
        return ()
    if not prefix:
        return _verbs(state, seat)
    before = choices(state, seat, prefix[:-1])
    if not any(choice.word == prefix[-1] and not choice.final for choice in before):
        return ()
    return _NEXT[prefix[0]](state, seat, prefix[1:])


def _verbs(state: State, seat: Seat) -> Choices:  # noqa: PLR0911 -- one line a case
    match state.phase:
        case Typing():
            return (Choice("code", say("Type the code"), False),)
        case Choosing():
            return (Choice("level", say("Starting facts"), False),)
        case Acting() | Asking():
            return (*_asking(state, seat), *_app(state), *_notes(state, seat))
        case Pledging():
            pledge = (Choice("theories", say("Theories"), False),) if most_theories(state, seat) else ()
            return (Choice("pass", say("No theory"), True), *pledge, *_notes(state, seat))
        case Placing():
            return (Choice("submit", say("Place a theory"), False), *_notes(state, seat))
        case Ending():
            return (*_ending(state, seat), *_notes(state, seat))
        case _:
            return ()


def _asking(state: State, seat: Seat) -> Choices:
    """X31-X35: the four actions of a turn, as far as they are open to the player."""
    player = player_of(state, seat)
    verbs = [Choice("survey", say("Survey"), False)]
    if player.targets:
        verbs.append(Choice("target", say("Target: cost 4, {left} left", left=player.targets), False))
    if player.last != "research":
        verbs.append(Choice("research", say("Research: cost 1"), False))
    if not player.located:
        verbs.append(Choice("locate", say("Locate Planet X: cost 5"), False))
    return tuple(verbs)


def _app(state: State) -> Choices:
    """What the app is asked for where the players keep the track."""
    if not state.rules.app_only:
        return ()
    verbs = []
    if len(state.conferences) < len(state.setting.conferences):
        verbs.append(Choice("conference", say("Conference"), False))
    if len(state.settled) < state.mode.sectors:
        verbs.append(Choice("review", say("Review a theory"), False))
    if state.finder is not None:
        verbs.append(Choice("reveal", say("Reveal everything"), True))
    return tuple(verbs)


def _ending(state: State, seat: Seat) -> Choices:
    """X60."""
    verbs = [Choice("pass", say("No more"), True)]
    if not (isinstance(state.phase, Ending) and state.phase.begun):
        verbs.append(Choice("locate", say("Locate Planet X"), False))
    if isinstance(state.phase, Ending) and state.phase.left[0][1] and placeable(state, seat):
        verbs.append(Choice("submit", say("Place a theory"), False))
    return tuple(verbs)


def _notes(state: State, seat: Seat) -> Choices:
    if not state.rules.marks:
        return ()
    unmark = (Choice("unmark", say("Take back a mark"), True),) if player_of(state, seat).notes else ()
    return (Choice("mark", say("Mark"), False), *unmark)


def _survey(state: State, _seat: Seat, words: Words) -> Choices:
    """X31, X32: object, first and last sector; the last word shows the cost."""
    ends = [s for s in visible(state) if len(words) < 1 or words[0] != "comet" or s in state.mode.comet_sectors]
    if not words:
        has_comets = any(s in state.mode.comet_sectors for s in ends)
        return tuple(Choice(w, PLURALS[k], False) for k, w in WORDS.items() if k != "C" or has_comets)
    if len(words) == 1:
        return tuple(Choice(str(s), say("from {sector}", sector=s), False) for s in ends)
    first, n = int(words[1]), state.mode.sectors
    wide = [run(first, last, n) for last in ends]
    legal = sorted((r for r in wide if len(r) <= state.mode.half and set(r) <= set(visible(state))), key=len)
    return tuple(Choice(str(r[-1]), _to(r), True) for r in legal)


def _to(sectors: tuple[int, ...]) -> Text:
    return say("to {sector}: cost {cost}", sector=sectors[-1], cost=survey_cost(len(sectors)))


def _target(state: State, _seat: Seat, _words: Words) -> Choices:
    return _sectors(visible(state), True)


def _research(state: State, _seat: Seat, _words: Words) -> Choices:
    names = ((TOPICS[fact.id], title(fact)) for fact in state.game.topics)
    return tuple(Choice(name, say("{topic}: {title}", topic=name, title=about), True) for name, about in names)


def _locate(state: State, _seat: Seat, words: Words) -> Choices:
    """X35, X36."""
    n = state.mode.sectors
    if not words:
        return _sectors(tuple(range(1, n + 1)), False)
    sector, last = int(words[0]), len(words) == 2
    neighbour = sector % n + 1 if last else (sector - 2) % n + 1
    return tuple(
        Choice(w, say("sector {sector}: {object}", sector=neighbour, object=NAMES[k]), last) for k, w in WORDS.items()
    )


def _theories(state: State, seat: Seat, _words: Words) -> Choices:
    numbers = range(1, most_theories(state, seat) + 1)
    return tuple(Choice(str(k), say("{count} to be placed", count=k), True) for k in numbers)


def _submit(state: State, seat: Seat, words: Words) -> Choices:
    pairs = placeable(state, seat)
    if not words:
        return _sectors(tuple(dict.fromkeys(sector for sector, _ in pairs)), False)
    kinds = [kind for sector, kind in pairs if str(sector) == words[0]]
    return tuple(Choice(WORDS[kind], NAMES[kind], True) for kind in kinds)


def _level(_state: State, _seat: Seat, _words: Words) -> Choices:
    return tuple(Choice(level, LEVEL_NAMES[level], True) for level in LEVELS)


def _code(_state: State, _seat: Seat, words: Words) -> Choices:
    """X12: letter by letter; the first tells the version."""
    typed = "".join(words)
    letters = VERSION if not typed else LETTERS
    return tuple(Choice(x, say("letter {letter}", letter=x), len(typed) == LENGTH) for x in letters)


def _conference(state: State, _seat: Seat, _words: Words) -> Choices:
    names = [c.name for c in state.setting.conferences if c.name not in state.conferences]
    return tuple(Choice(name, say("Conference {name}", name=name), True) for name in names)


def _review(state: State, _seat: Seat, words: Words) -> Choices:
    if not words:
        return _sectors(tuple(s for s in range(1, state.mode.sectors + 1) if not settled(state, s)), False)
    return tuple(Choice(WORDS[kind], NAMES[kind], True) for kind in state.setting.tokens)


def _mark(state: State, seat: Seat, words: Words) -> Choices:
    kinds = {"planet": "X"} | KIND_OF_WORD
    notes = player_of(state, seat).notes
    free = [
        (sector, holds, word)
        for sector in range(1, state.mode.sectors + 1)
        for holds in (True, False)
        for word, kind in kinds.items()
        if Note(sector, kind, holds) not in notes
    ]
    if not words:
        return _sectors(tuple(dict.fromkeys(sector for sector, _, _ in free)), False)
    here = [(holds, word) for sector, holds, word in free if str(sector) == words[0]]
    if len(words) == 1:
        told = {True: ("is", say("is")), False: ("not", say("is not"))}
        return tuple(Choice(*told[holds], False) for holds in dict.fromkeys(holds for holds, _ in here))
    last = [word for holds, word in here if ("is" if holds else "not") == words[1]]
    return tuple(Choice(word, NAMES[kinds[word]], True) for word in last)


def _sectors(sectors: tuple[int, ...], final: bool) -> Choices:
    return tuple(Choice(str(s), say("sector {sector}", sector=s), final) for s in sectors)


_NEXT: dict[str, Callable[[State, Seat, Words], Choices]] = {
    "survey": _survey,
    "target": _target,
    "research": _research,
    "locate": _locate,
    "theories": _theories,
    "submit": _submit,
    "level": _level,
    "code": _code,
    "conference": _conference,
    "review": _review,
    "mark": _mark,
}
"""What follows each verb that is not complete by itself."""
