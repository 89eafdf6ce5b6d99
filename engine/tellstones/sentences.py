"""What is told of an action, by place alone: naming a stone that was just hidden would be an aid to memory (T54)."""

from __future__ import annotations

from engine.table import Seat
from engine.tellstones.actions import (
    Action,
    At,
    Believe,
    Boast,
    Challenge,
    First,
    Hide,
    Names,
    Peek,
    Place,
    Prove,
    Stop,
    Swap,
    Takeover,
    Target,
)
from engine.tellstones.places import LETTERS, place_word
from engine.tellstones.state import Challenged, End, Over, State, left_of, stone_at, team
from engine.tellstones.stones import NAMES
from engine.text import Text, say


def told(before: State, after: State, seat: Seat, action: Action) -> tuple[Text, ...]:
    """The sentences of an action: what is to be done, and what came of it."""
    texts = [_laid(before, seat, action) if isinstance(action, Place) else task(before, seat, action)]
    if isinstance(action, Names):
        at = before.phase.stone if isinstance(before.phase, Challenged) else action.stone
        if isinstance(at, At):
            stone = NAMES[stone_at(after, at).kind]
            texts.append(say("It is the {stone}.", stone=stone))
    for side, points in enumerate(after.score):
        if points != before.score[side]:
            texts.append(say("{side} scores. Points: {points}.", side=side_name(after, side), points=points))
    if isinstance(after.phase, Over):
        texts.append(won(after, after.phase))
    return tuple(texts)


def _laid(before: State, seat: Seat, action: Place) -> Text:
    """A placing in words that are the same from both sides of the table: by its place, not by left and right (T16)."""
    place = place_word(before, At(action.mat, action.index))
    hand = left_of(before, seat).upper()
    return say("{hand} puts the {stone} at place {place}.", hand=hand, stone=NAMES[action.kind], place=place)


def won(state: State, phase: Over) -> Text:
    """Who won, and why."""
    side, other = side_name(state, phase.winner), side_name(state, 1 - phase.winner)
    match phase.end:
        case End.PROOF:
            return say("{side} wins: every face-down stone was named.", side=side)
        case End.MISTAKE:
            return say("{side} wins: {other} named a stone wrongly.", side=side, other=other)
        case End.RESIGNED:
            return say("{side} wins: {other} gave up.", side=side, other=other)
        case _:
            return say("{side} wins with three points.", side=side)


def side_name(state: State, side: int) -> str:
    """The seats of a side: "A", or "A+C" for a team."""
    return "+".join(seat.upper() for seat in team(state, side))


def task(state: State, seat: Seat, action: Action, turned_round: bool = False) -> Text:  # noqa: PLR0911, PLR0912, C901
    """What an action asks of the table; `turned_round` for the player opposite (T16)."""
    who, hand = seat.upper(), left_of(state, seat).upper()  # T12, T56
    match action:
        case First(kind):
            return say("The {stone} is the first stone.", stone=NAMES[kind])
        case Place(mat, kind, index):
            left = (index == 0) is not turned_round
            end = say("left end") if left else say("right end")
            if len(state.mats) > 1:
                line = LETTERS[mat]
                return say(
                    "{hand} puts the {stone} on Line {line}, {end}.", hand=hand, stone=NAMES[kind], line=line, end=end
                )
            return say("{hand} puts the {stone} at the {end}.", hand=hand, stone=NAMES[kind], end=end)
        case Hide(stone):
            return say("{hand} turns stone {place} face down.", hand=hand, place=_place(state, stone))
        case Swap(one, two):
            places = {"one": _place(state, one), "two": _place(state, two)}
            return say("{hand} swaps stones {one} and {two}.", hand=hand, **places)
        case Peek(stone, looker):
            return say("{seat} looks at stone {place}.", seat=(looker or seat).upper(), place=_place(state, stone))
        case Stop():
            return say("{seat} peeks no more.", seat=who)
        case Challenge(stone):
            return say(
                "{seat} challenges {other}: name stone {place}.", seat=who, other=hand, place=_place(state, stone)
            )
        case Names(kind, None):
            return say("{seat} says {stone} and turns the stone up.", seat=who, stone=NAMES[kind])
        case Names(kind, stone):
            place = _place(state, stone)
            return say("{seat} says {stone} and turns stone {place} up.", seat=who, stone=NAMES[kind], place=place)
        case Boast():
            return say("{seat} boasts: I know every face-down stone.", seat=who)
        case Believe():
            return say("{seat}: I believe you.", seat=who)
        case Prove():
            return say("{seat}: prove it.", seat=who)
        case Takeover():
            return say("{seat}: I know them too.", seat=who)


def _place(state: State, stone: Target | None) -> str:
    return place_word(state, stone) if isinstance(stone, At) else "?"
