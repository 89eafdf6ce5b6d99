"""Applies entries to the match under way: folds them, tells each audience, and updates the expected table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from device.session.state import Desk, EndPage, Mode, Play, Session, ToldEvent, owner_of
from device.session.table import Known, Table
from engine import clocks
from engine.catalogue import AnyGame
from engine.clocks import Clocks
from engine.entry import Act, Correct, Entry, Pause, Restored, Settle, Start, Undo
from engine.match import Match, advance, begin, is_private, reveals
from engine.table import Seat, Spot
from engine.text import Text, say
from engine.view import Event

replace = msgspec.structs.replace


def known_of(table: Table, play: Play) -> Known:
    """The game that is played, with the cards of this match."""
    return table.games[play.match.start.game].playing(play.match.start)


def match_time(session: Session, play: Play, at: float | None = None) -> float:
    """Seconds since the match began, now or at another moment, in whole milliseconds; it stands still while the match
    is held, and never runs back."""
    if play.epoch is None:
        return play.match.at
    return max(play.match.at, round((session.now if at is None else at) - play.epoch, 3))


def told_by_order(game: AnyGame, match: Match) -> bool:
    """Whether the order that is owed says itself what it turns up, so that no belief of the referee's was wrong."""
    owed = match.owed
    if owed is None:
        return False
    goes = {move.source: move.target for move in owed.trace.moves}
    pieces = ((spot, owed.trace.layout.at(goes.get(spot) or spot)) for spot in reveals(owed))
    return not any(piece and piece.kind and game.identify(owed.state, spot, piece.kind) for spot, piece in pieces)


def shown_state(match: Match) -> Any:
    """The game's state that displays and menus show: an order that turns pieces up counts once they are turned."""
    return match.owed.state if match.owed is not None and reveals(match.owed) else match.state


def plays_alone(play: Play) -> bool:
    """Whether nobody else plays at the table: nothing is hidden from anybody there."""
    return len(play.match.start.seats) == 1


def secret_menus(known: Known, play: Play) -> bool:
    """Whether menus show what somebody else at the table must not know."""
    return not known.spec.open_menus and not plays_alone(play)


def acting(table: Table, play: Play) -> frozenset[Seat]:
    """Who may act now, as everybody may see it; nobody once the match is over."""
    return frozenset() if over(play) else known_of(table, play).game.actors(shown_state(play.match))


def watched(table: Table, play: Play) -> bool:
    """True if this match is one that a camera follows."""
    laid = known_of(table, play).spec.table(play.match.start.options, len(play.match.start.seats))
    return table.camera and laid is not None and laid.mat in table.mats


def over(play: Play) -> bool:
    """True once the match has ended, and everybody may see how."""
    return play.match.result is not None and not reveals(play.match.owed)


def begun(known: Known, start: Start, epoch: float | None) -> Play:
    """A match after its first entry. Raises Invalid if its rules do not go together or are not known here."""
    return Play(begin(known.playing(start).game, known.as_played_now(start)), epoch)


def record(known: Known, play: Play, entries: Sequence[Entry]) -> Play:
    """The play after these entries. Raises Refusal if one is not accepted; then none is.

    What nobody notices, such as a note, ends nothing that is asked or proposed: that would give it away (law 5). No
    entry at all stands for a table that lies as it should, which ends it.
    """
    told, noticed = len(play.told), not entries
    for entry in entries:
        after = followed(known.game, play, entry)
        private = isinstance(entry, Act) and is_private(known.game, play.match.state, after.match.state)
        noticed = noticed or not private
        play = replace(
            after,
            case=play.case.follow(known.game, play.match, entry, after.match),
            points=_points(play, after.match),
            marked=_marked(known.game, play, entry, after.match),
            held=_held(play, entry, after.match),
        )
        if play.proposal is not None and not private and not isinstance(entry, Settle | Pause | Restored):
            void = ToldEvent(entry.at, say("Play went on: what was proposed is void."), None)
            play = replace(play, proposal=None, told=(*play.told, void))
    desks = {panel: _still_open(known, play, owner_of(panel), desk) for panel, desk in play.desks.items()}
    play = replace(play, desks=desks | _looking(known, play, desks, told))
    if not noticed:
        return play
    return replace(play, case=play.case.close(), alert=(), expires=None, declined=(), cursor=0, closing=EndPage.MENU)


def noted(play: Play, first: Text | None, last: Text | None) -> Play:
    """With what everybody may note to prove the match by: told before all else, and after its end."""
    before = () if first is None else (ToldEvent(play.match.start.at, first, None),)
    after = () if last is None else (ToldEvent(play.match.at, last, None),)
    points = tuple(point + len(before) for point in play.points)
    return replace(play, told=(*before, *play.told, *after), points=points, head=first or play.head)


def followed(game: AnyGame, play: Play, entry: Entry) -> Play:
    """The match and what was told after one more entry, and the rest as it was: enough for who only follows it. Raises
    Refusal."""
    match, events = advance(game, play.match, entry)
    return _tell(replace(play, match=match), entry, _told(entry.at, events))


def _points(play: Play, following: Match) -> tuple[int, ...]:
    """Where in what was told each action begins that can still be taken back."""
    fresh = (len(play.told),) if len(following.past) > len(play.match.past) else ()
    return (*play.points, *fresh)[: len(following.past)]


def _held(play: Play, entry: Entry, following: Match) -> Clocks | None:
    """The clocks that are shown while an order waits for the hand that turns up what it named."""
    if not reveals(following.owed):
        return None
    return clocks.stop(play.clocks, entry.at) if isinstance(entry, Act) else play.held


def _marked(game: AnyGame, play: Play, entry: Entry, following: Match) -> frozenset[Spot]:
    """What the last action that a hand carried out touched: of an order, once it is carried out."""
    match entry:
        case Act() if following.owed is None:
            before: Any = play.match.state
            trace = game.trace(before, entry.seat, game.read(before, entry.seat, entry.words))
            return play.marked if trace.unseen else trace.touched
        case Settle() if play.match.owed is not None:
            return play.match.owed.trace.touched
        case Undo() | Correct():
            return frozenset()
        case _:
            return play.marked


def _tell(play: Play, entry: Entry, told: tuple[ToldEvent, ...]) -> Play:
    """Tells what an entry brought; what an order brings that turns pieces up, only once they are turned."""
    if not reveals(play.match.owed):
        sealed = () if isinstance(entry, Undo) else play.sealed
        order = told if isinstance(entry, Act) and play.match.owed is not None else ()
        order = play.order if isinstance(entry, Pause | Restored) else order
        return replace(play, told=(*play.told, *sealed, *told), sealed=(), order=order)
    if isinstance(entry, Act):
        return replace(play, told=(*play.told, *play.sealed), sealed=told, order=())
    if isinstance(entry, Correct):
        return replace(play, sealed=told)
    return replace(play, told=(*play.told, *told))


def _told(at: float, events: Sequence[Event]) -> tuple[ToldEvent, ...]:
    return tuple(ToldEvent(at, event.text, event.audience, event.reveals) for event in events)


def _looking(known: Known, play: Play, desks: Mapping[str, Desk], told: int) -> dict[str, Desk]:
    """Who has just learned something alone reads it before the menu of the next turn opens; else it opens by itself.
    told: how much had been told before."""
    found = {}
    for seat in play.match.start.seats:
        desk = desks.get(seat, Desk())
        news = any(each.reveals and each.audience is not None and seat in each.audience for each in play.told[told:])
        looks = (desk.looks or news) and seat in known.game.actors(play.match.state)
        if looks is not desk.looks:
            found[seat] = replace(desk, looks=looks)
    return found


def _still_open(known: Known, play: Play, seat: Seat, desk: Desk) -> Desk:
    """A desk whose words can no longer be chosen is closed; the others are left as they are."""
    if desk.mode is Mode.DONE and play.match.owed is None:
        return Desk()
    if desk.mode is Mode.CORRECT:
        return desk if known.game.corrections(shown_state(play.match), desk.words) else Desk(Mode.CORRECT)
    if desk.mode not in (Mode.ACT, Mode.CONFIRM):
        return desk
    if play.match.result is not None or play.match.owed is not None:
        return Desk()
    state, words = play.match.state, desk.words
    if seat not in known.game.actors(state):
        return Desk()
    fits = all(
        any(choice.word == word for choice in known.game.choices(state, seat, words[:place]))
        for place, word in enumerate(words)
    )
    return desk if fits else Desk()
