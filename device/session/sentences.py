"""Puts actions, readings and the history into words for a panel, and opens a menu's word tree into sentences.

A list opens as far as it has room; lines that continue end in an ellipsis. `fold` groups long lists for three buttons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import chain
from typing import Any, TypeAlias

import msgspec

from device.session.state import Play
from device.session.table import KnownGame
from engine.arbiter import ActionStep, Question
from engine.game import Choice, Words
from engine.grammar import in_words, phrase_words
from engine.match import reveals
from engine.table import Arrangement, Seat, ZoneLayout
from engine.text import Text, say, who
from engine.view import DrawnThing, heard_by

Choices: TypeAlias = "Callable[[Words], tuple[Choice, ...]]"
"""The words that may follow a prefix."""


FEW = 4
"""Lines for which whole sentences replace words: the height of the smallest display."""

LONG = 7
"""Lines of a list before it is folded."""

WHOLE = 12
"""Lines for which two independent answers after a verb share one list."""

COUNTED = 18
"""Lines before a list without headings is folded: its order is familiar."""

PRESSES = 8
"""Presses that reach any line of a folded list, where possible."""


class Sentence(msgspec.Struct, frozen=True):
    """One line of a list.

    path: texts of its words.
    final: complete, else one of `more` words follows.
    costs, under: see `engine.game.Choice`.
    drawn: the things that its words mean, in order.
    """

    words: Words
    path: tuple[Text, ...]
    final: bool
    costs: bool = False
    under: Text | None = None
    more: int = 0
    drawn: tuple[DrawnThing, ...] = ()

    @property
    def said(self) -> Text:
        """The line without an ellipsis."""
        return phrase_words(self.path)

    @property
    def text(self) -> Text:
        """The displayed line, with an ellipsis if it continues."""
        return self.said if self.final else say("{words} …", words=self.said)


class LineGroup(msgspec.Struct, frozen=True):
    """Neighbouring lines behind one line."""

    said: Text
    rows: tuple[Row, ...]


Row: TypeAlias = "Sentence | LineGroup"


class _Open(msgspec.Struct, frozen=True):
    line: Sentence
    following: tuple[Choice, ...]


def sentences(choices: Choices, prefix: Words = (), most: int = 1, widest: int | None = None) -> tuple[Sentence, ...]:
    """Return all that follows `prefix`, in at most `most` lines if possible.

    Shortest beginnings open first, unless over `widest` words follow. `choices` is called once per line.
    """
    lines = _enter_words(choices, choices(prefix), Sentence(prefix, (), final=False))
    while len(lines) < most:
        room = min(most - len(lines) + 1, most if widest is None else widest)
        fits = [each for each in lines if not each.line.final and len(each.following) <= room]
        if not fits:
            break
        opened = min(fits, key=lambda each: (len(each.line.path), len(each.following)))
        place = lines.index(opened)
        lines[place : place + 1] = _enter_words(choices, opened.following, opened.line)
    return tuple(each.line for each in lines)


def _enter_words(choices: Choices, following: tuple[Choice, ...], begun: Sentence) -> list[_Open]:
    return [_pass_word(choices, _longer(choice, begun)) for choice in following]


def _pass_word(choices: Choices, line: Sentence) -> _Open:
    while not line.final:
        following = choices(line.words)
        if len(following) != 1:
            return _Open(msgspec.structs.replace(line, more=len(following)), following)
        line = msgspec.structs.replace(_longer(following[0], line), under=line.under)
    return _Open(line, ())


def _longer(choice: Choice, begun: Sentence) -> Sentence:
    return Sentence(
        (*begun.words, choice.word),
        (*begun.path, choice.text),
        choice.final,
        choice.costs,
        choice.under,
        drawn=(*begun.drawn, *choice.means),
    )


def rows(choices: Choices, prefix: Words) -> tuple[Row, ...]:
    """Return the list for three buttons, grouped if long."""
    if not prefix:
        return sentences(choices, prefix, FEW)
    lines = sentences(choices, prefix, WHOLE)
    return lines if _is_product(lines) else fold(sentences(choices, prefix, FEW))


def _is_product(lines: tuple[Sentence, ...]) -> bool:
    seconds = Counter(line.words[:-1] for line in lines)
    pairs = all(line.final and len(line.path) == 2 for line in lines)
    return pairs and len(lines) <= WHOLE and len(seconds) > 1 and min(seconds.values()) == max(seconds.values()) > 1


def open_groups(found: tuple[Row, ...], within: tuple[int, ...]) -> tuple[Row, ...]:
    """Return the list inside these nested groups, as far as they exist."""
    for place in within:
        row = found[place] if place < len(found) else None
        if not isinstance(row, LineGroup):  # the list is another one by now
            break
        found = row.rows
    return found


@lru_cache(maxsize=32)  # asked at every step of a menu
def fold(lines: tuple[Sentence, ...]) -> tuple[Row, ...]:
    """Group a long list so that PRESSES presses reach any line, where possible.

    Headings stay together; levels, then presses are minimal. Only the list decides, so grouping reveals nothing.
    """
    if len(lines) <= (LONG if any(line.under for line in lines) else COUNTED):
        return lines
    headings = dict.fromkeys(_heading(line) for line in lines)
    units = tuple(tuple(line for line in lines if _heading(line) == heading) for heading in headings)
    tried = ((levels, presses) for levels in (2, 3, 4) for presses in range(levels, PRESSES + 1))
    more = ((4, presses) for presses in range(PRESSES + 1, PRESSES + len(lines)))
    found = (_pack_groups(units, levels, presses, units) for levels, presses in chain(tried, more))
    packed = next(rows for rows in found if rows is not None)
    return _spread(packed, max(PRESSES, _farthest(packed)))


Units: TypeAlias = "tuple[tuple[Sentence, ...], ...]"
"""Lines by heading."""


def _pack_groups(units: Units, levels: int, presses: int, every: Units) -> tuple[Row, ...] | None:
    if sum(map(len, units)) > _room(levels, presses):
        return None
    lines = tuple(chain.from_iterable(units))
    if len(_reachable(lines, presses)) == len(lines) and (len(lines) <= LONG or levels == 1):
        return lines
    if levels == 1:
        return None
    found: list[Row] = []
    while units and presses > 1:
        presses -= 1
        taken = 1
        while units[0] in every and taken < len(units) and _pack_groups(units[: taken + 1], levels - 1, presses, every):
            taken += 1
        inner = _pack_groups(units[:taken], levels - 1, presses, every)
        if inner is not None:
            found.append(_group(units[:taken], inner, every))
            units = units[taken:]
        elif part := _reachable(units[0][:LONG], presses):  # a heading with too many lines
            found.append(_group((part,), part, every))
            rest = units[0][len(part) :]
            units = (rest, *units[1:]) if rest else units[1:]
        else:
            return None
    return None if units else tuple(found)


def _spread(rows: tuple[Row, ...], presses: int) -> tuple[Row, ...]:
    rows = tuple(
        LineGroup(row.said, _spread(row.rows, presses - place)) if isinstance(row, LineGroup) else row
        for place, row in enumerate(rows, start=1)
    )
    for place in reversed(range(len(rows))):
        row = rows[place]
        if isinstance(row, LineGroup):
            wider = (*rows[:place], *row.rows, *rows[place + 1 :])
            rows = wider if len(wider) <= LONG and _farthest(wider) <= presses else rows
    return rows


def _farthest(rows: tuple[Row, ...]) -> int:
    beyond = (_farthest(row.rows) if isinstance(row, LineGroup) else row.more for row in rows)
    return max(place + more for place, more in enumerate(beyond, start=1))


@cache
def _room(levels: int, presses: int) -> int:
    if levels == 1:
        return presses
    return max(min(presses, LONG), sum(_room(levels - 1, left) for left in range(1, presses)))


def _reachable(lines: tuple[Sentence, ...], presses: int) -> tuple[Sentence, ...]:
    too_far = (number for number, line in enumerate(lines) if number + 1 + line.more > presses)
    return lines[: next(too_far, len(lines))]


def _group(units: Units, rows: tuple[Row, ...], every: Units) -> Row:
    if len(rows) == 1:
        return rows[0]
    first, last = units[0][0], units[-1][-1]
    if len(units) > 1:
        return LineGroup(_range(_heading(first), _heading(last)), rows)
    if first.under is None:
        return LineGroup(_range(first.said, last.said), rows)
    if units[0] in every:
        return LineGroup(first.under, rows)
    # Translators: some of the cards of a rank or colour, by the first and the last of them: "Rank 7: Cave – Castle".
    return LineGroup(say("{heading}: {cards}", heading=first.under, cards=_range(first.said, last.said)), rows)


def _heading(line: Sentence) -> Text:
    return line.said if line.under is None else line.under


def _range(first: Text, last: Text) -> Text:
    return say("{first} – {last}", first=first, last=last)


LINES = 4
"""Lines on one page of the history."""


def action_text(known: KnownGame, state: Any, seat: Seat, words: Words) -> Text:
    """Return an action in its menu's words."""
    return in_words(lambda prefix: known.game.choices(state, seat, prefix), words)


def correction_text(known: KnownGame, state: Any, words: Words) -> Text:
    return in_words(lambda prefix: known.game.corrections(state, prefix), words)


def order_text(play: Play, seat: Seat | None) -> Text:
    """Return the pending order as this audience may know it."""
    pending = play.match.pending
    turns = (
        [] if pending is None else [_turn_up(pending.before.zone(spot.zone), spot.index) for spot in reveals(pending)]
    )
    found = turns or order_messages(play, seat)[-1:] or [say("the move")]
    return found[0] if len(found) == 1 else Text("{a} {b}", (("a", found[0]), ("b", found[1])))


def _turn_up(zone: ZoneLayout, index: int) -> Text:
    if zone.order is Arrangement.PILE:
        return say("Turn up the top of {place}.", place=zone.place(index))
    return say("Turn up {place}.", place=zone.place(index))


def order_messages(play: Play, seat: Seat | None) -> list[Text]:
    return [t.text for t in play.order if heard_by(t.audience, seat)]


def reading_items(play: Play, question: Question) -> tuple[Text, ...]:
    """Return the shown readings, "another one" if there are more, and "something else"."""
    nothing = say("Done") if question.settles else say("No move was made")
    shown = question.shown
    readings = tuple(_reading(play, steps) if steps else nothing for steps in shown)
    more = () if shown == question.readings else (say("Another one..."),)
    return (*readings, *more, say("Something else"))


class History(msgspec.Struct, frozen=True):
    """An audience's history, newest page first. newer: pages added while it was open."""

    pages: tuple[tuple[Text, ...], ...]
    newer: int = 0

    def turn_cursor(self, cursor: int, by: int) -> int:
        """Return the cursor some pages on, wrapping round. 0 is the newest page at opening; newer ones are negative."""
        return (cursor + self.newer + by) % len(self.pages) - self.newer


def history(play: Play, seat: Seat | None, begun: int) -> History:
    """Return this audience's history. begun: messages at opening; later ones get their own pages."""
    heard = [heard_by(t.audience, seat) for t in play.told]
    told = [t.text for t, mine in zip(play.told, heard, strict=True) if mine]
    known = max(sum(heard[:begun]), min(LINES, len(told)))
    older = [tuple(told[max(0, end - LINES) : end]) for end in range(known, 0, -LINES)]
    newer = [tuple(told[start : start + LINES]) for start in range(known, len(told), LINES)]
    return History((*reversed(newer), *older) or ((say("No moves yet."),),), len(newer))


def _reading(play: Play, steps: tuple[ActionStep, ...]) -> Text:
    known, state, read = play.known, play.match.state, Text("")
    for number, (seat, words) in enumerate((step.seat, step.words) for step in steps):
        action = action_text(known, state, seat, words)
        if number == 0:
            read = say("{seat}: {action}", seat=who(seat), action=action)
        else:
            read = say("{first}, then {seat}: {action}", first=read, seat=who(seat), action=action)
        state, _ = known.game.apply(state, seat, known.game.read(state, seat, words))
    return read
