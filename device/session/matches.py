"""Applies a match's entries and publishes them to each audience.

`view_of`, `asked_seat` and `missing_steps` decide what an audience may know (law 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from device.session.messages import Effect
from device.session.sentences import action_text, order_messages
from device.session.state import EndPage, LogEvent, MenuState, PanelMode, Play, Session, owner_of
from device.session.table import KnownGame, Table
from engine import clocks
from engine.catalogue import AnyGame
from engine.clocks import Clocks
from engine.entry import Act, Correct, Entry, Flag, Pause, Resign, Restored, Settle, Source, Start, Undo
from engine.match import Match, advance, begin, is_private, reveals
from engine.table import Face, Seat, Spot
from engine.text import Text, say, who
from engine.view import Event, Line, View, heard_by

replace = msgspec.structs.replace

Result: TypeAlias = "tuple[Session, tuple[Effect, ...]]"
"""The session after a step, and the step's effects."""


class LiveMatch(msgspec.Struct, frozen=True):
    """The table's current or finished match, with its session. Changes return a new object."""

    table: Table
    session: Session

    @property
    def play(self) -> Play:
        assert isinstance(self.session.stage, Play)
        return self.session.stage

    @property
    def time(self) -> float:
        """Seconds since the match began."""
        return self.play.time(self.session.now)

    @property
    def watched(self) -> bool:
        """True if a camera follows this match."""
        return self.table.camera and self.play.mat in self.table.mats

    def with_play(self, play: Play) -> LiveMatch:
        return LiveMatch(self.table, replace(self.session, stage=play))

    def replace(self, **changes: Any) -> LiveMatch:
        """Return the match with these fields of its play changed."""
        return self.with_play(replace(self.play, **changes))

    def put(self, panel: str, menu_state: MenuState) -> LiveMatch:
        return self.with_play(self.play.put(panel, menu_state))

    def announce(self, *texts: Text) -> LiveMatch:
        """Return the match with these texts in everybody's history."""
        return self.with_play(self.play.announce(self.time, *texts))

    def record(self, *entries: Entry) -> LiveMatch:
        """Return the match after these entries. Raises Refusal if one is refused; then none counts."""
        return self.with_play(record(self.play, entries))

    def show(self, panel: str, menu_state: MenuState) -> Result:
        """Open this menu state at a panel, without effects."""
        return self.put(panel, menu_state).session, ()

    def close(self, panel: str) -> Result:
        """Show the view at a panel."""
        return self.show(panel, MenuState())


def told_by_order(game: AnyGame, match: Match) -> bool:
    """Return True if the pending order turns up no piece whose kind could be corrected; False without an order."""
    pending = match.pending
    if pending is None:
        return False
    goes = {move.source: move.target for move in pending.trace.moves}
    pieces = ((spot, pending.trace.layout.at(goes.get(spot) or spot)) for spot in reveals(pending))
    return not any(piece and piece.kind and game.identify(pending.state, spot, piece.kind) for spot, piece in pieces)


def shown_state(match: Match) -> Any:
    """Return the state to display: pieces count as turned up only once they are."""
    return match.pending.state if match.pending is not None and reveals(match.pending) else match.state


def view_of(play: Play, seat: Seat | None) -> View:
    """Return the audience's view, with the words of an order to turn pieces up where menus are public."""
    known, pending = play.known, play.match.pending
    found = known.game.view(shown_state(play.match), seat)
    if pending is None or not reveals(pending) or not known.spec.open_menus:
        return found
    action = action_text(known, pending.state, pending.seat, pending.words)
    order = Line(say("{seat}: {action}", seat=who(pending.seat), action=action))
    return replace(found, panels=(*found.panels[:1], order, *found.panels[1:]))


def asked_seat(play: Play) -> Seat | None:
    """Return the first seat that must answer the arbiter or a proposal; None if none must."""
    if play.case.question is not None:
        return play.case.question.seat
    return None if play.proposal is None else play.missing[0]


def missing_steps(play: Play, seat: Seat | None) -> tuple[Text, ...]:
    """Return the pending order's remaining steps; () if this audience doesn't know the order."""
    pending = play.match.pending
    return (
        ()
        if pending is None or reveals(pending) or not order_messages(play, seat)
        else play.case.missing_steps(play.match)
    )


def plays_alone(play: Play) -> bool:
    """Return True for a solo match, where nothing is hidden."""
    return len(play.match.start.seats) == 1


def secret_menus(play: Play) -> bool:
    """Return True if menus would reveal secrets to other players."""
    return not play.known.spec.open_menus and not plays_alone(play)


def acting(play: Play) -> frozenset[Seat]:
    """Return the seats that visibly may act; none after the match."""
    return frozenset() if over(play) else play.known.game.actors(shown_state(play.match))


def over(play: Play) -> bool:
    """Return True once the match has ended and all may see how."""
    return play.match.result is not None and not reveals(play.match.pending)


def begin_match(known: KnownGame, start: Start, epoch: float | None) -> Play:
    """Return a match after its first entry. Raises Invalid if its rules conflict or are unknown."""
    played = known.playing(start)
    return Play(played, begin(played.game, known.as_played_now(start)), epoch)


def record(play: Play, entries: Sequence[Entry]) -> Play:
    """Return the play after these entries. Raises Refusal if any is refused.

    Private entries leave questions and proposals open (law 5), as does a flag that is only noted. No entries mean that
    the table is right, which closes them.
    """
    game, told, noticed = play.known.game, len(play.told), not entries
    for entry in entries:
        after = follow(play, entry)
        private = isinstance(entry, Act) and is_private(game, play.match.state, after.match.state)
        noted = isinstance(entry, Flag) and after.match.result is None  # the table is as it was
        noticed = noticed or not (private or noted)
        heard_at, thoughts = (
            (play.heard_at, play.thoughts) if private else (entry.at, _thoughts(play, entry, after.match))
        )
        play = replace(
            after,
            case=play.case.follow(game, play.match, entry, after.match),
            points=_points(play, after.match),
            marked=_marked_spots(play, entry, after.match),
            held=_pausing_clocks(play, entry, after.match),
            heard_at=heard_at,
            thoughts=thoughts,
            mover=play.mover if private else _mover(play, entry),
            decided=_deciding_texts(play, after),
            regretted=_find_regret(play, entry, after),
        )
        if play.proposal is not None and not (private or noted) and not isinstance(entry, Settle | Pause | Restored):
            void = say("Play went on, so the proposal no longer counts.")
            play = replace(play, proposal=None).announce(entry.at, void)
    desks = {panel: _still_open(play, owner_of(panel), menu_state) for panel, menu_state in play.desks.items()}
    play = replace(play, desks=desks | _looking(play, desks, told))
    if not noticed:
        return play
    return replace(play, case=play.case.close(), alert=(), expires=None, declined=(), cursor=0, closing=EndPage.MENU)


def add_notes(play: Play, first: Text | None, last: Text | None) -> Play:
    """Add the notes that prove the match, before the first message and after the end."""
    before = () if first is None else (LogEvent(play.match.start.at, first, None),)
    after = () if last is None else (LogEvent(play.match.at, last, None),)
    points = tuple(point + len(before) for point in play.points)
    return replace(play, told=(*before, *play.told, *after), points=points, head=first or play.head, last_head=last)


def follow(play: Play, entry: Entry) -> Play:
    """Return the play with one more entry; only its match and messages change. Raises Refusal."""
    match, events = advance(play.known.game, play.match, entry)
    return _tell(replace(play, match=match), entry, _visible_events(entry.at, events))


def _points(play: Play, following: Match) -> tuple[int, ...]:
    fresh = (len(play.told),) if len(following.past) > len(play.match.past) else ()
    return (*play.points, *fresh)[: len(following.past)]


def _find_regret(play: Play, entry: Entry, after: Play) -> tuple[Seat, float] | None:
    """Return the seat and time of an action that may be undone at once, as it told nobody anything (law 5); else
    None."""
    following = after.match
    match entry:
        case Settle(source=Source.BUTTONS):  # without a camera an order is done at once
            return play.regretted
        case Act(seat=seat) if play.regretted and is_private(play.known.game, play.match.state, following.state):
            return None if seat == play.regretted[0] else play.regretted  # or it would show that somebody acted
        case Act(at=at, seat=seat, source=Source.BUTTONS):
            undone = len(following.past) == len(play.match.past) + 1
            over = following.result is not None or bool(reveals(following.pending))
            taught = not _follows_nothing(play, entry, after) or _shows_new(play, entry)
            return (seat, at) if undone and not over and not taught else None
        case _:
            return None


def _follows_nothing(play: Play, entry: Act, after: Play) -> bool:
    """Return True if an action can't have set off anything that others' secret choices decide.

    A lack of news may reveal a secret, too. But no choice counts while others still choose, and whatever follows brings
    more messages.
    """
    game, told = play.known.game, after.told[len(play.told) :]
    choosing = game.actors(after.match.state)
    awaits = bool(choosing) and choosing == game.actors(play.match.state) - {entry.seat}
    return play.known.spec.open_menus or awaits or [each.audience for each in told] == [None]


def _shows_new(play: Play, entry: Act) -> bool:
    """Return True if an action lays down, face up, a piece new to the mat."""
    game, before = play.known.game, play.match.state
    trace = game.trace(before, entry.seat, game.read(before, entry.seat, entry.words))
    came = (trace.layout.at(move.target) for move in trace.moves if move.source is None and move.target is not None)
    return any(piece is not None and piece.face is Face.UP for piece in came)


def _pausing_clocks(play: Play, entry: Entry, following: Match) -> Clocks | None:
    if not reveals(following.pending):
        return None
    return clocks.stop(play.clocks, entry.at) if isinstance(entry, Act) else play.held


def _thoughts(play: Play, entry: Entry, following: Match) -> tuple[tuple[Seat, float], ...]:
    """Return the seat and thinking time (s) of each public action: an action adds one, an undo drops the last.

    Only public entries measure times (law 5).
    """
    match entry:
        case Act(at=at, seat=seat):
            return (*play.thoughts, (seat, at - play.heard_at))
        case Undo() if not is_private(play.known.game, following.state, play.match.state):
            return play.thoughts[:-1]
        case _:
            return play.thoughts


def _mover(play: Play, entry: Entry) -> Seat | None:
    match entry:
        case Act(seat=seat) | Undo(seat=seat) | Resign(seat=seat):
            return seat
        case _:
            return play.mover if isinstance(entry, Settle) else None


def _deciding_texts(play: Play, after: Play) -> tuple[Text, ...]:
    """Return the public messages of the entry that ended the match, without the result."""
    if not over(after) or over(play):
        return play.decided if over(after) else ()
    fresh, result = after.told[len(play.told) :], after.match.result
    return tuple(told.text for told in fresh if told.audience is None and result and told.text != result.text)


def _marked_spots(play: Play, entry: Entry, following: Match) -> frozenset[Spot]:
    match entry:
        case Act() if following.pending is None or over(replace(play, match=following)):
            game, before = play.known.game, play.match.state
            trace = game.trace(before, entry.seat, game.read(before, entry.seat, entry.words))
            return play.marked if trace.unseen else trace.touched
        case Settle() if play.match.pending is not None:
            return play.match.pending.trace.touched
        case Undo() | Correct():
            return frozenset()
        case _:
            return play.marked


def _tell(play: Play, entry: Entry, told: tuple[LogEvent, ...]) -> Play:
    """Add an entry's messages; withhold an order's until its pieces are turned up."""
    if not reveals(play.match.pending):
        sealed = () if isinstance(entry, Undo) else play.sealed
        order = told if isinstance(entry, Act) and play.match.pending is not None else ()
        order = play.order if isinstance(entry, Pause | Restored) else order
        return replace(play, told=(*play.told, *sealed, *told), sealed=(), order=order)
    if isinstance(entry, Act):
        return replace(play, told=(*play.told, *play.sealed), sealed=told, order=())
    if isinstance(entry, Correct):
        return replace(play, sealed=told)
    return replace(play, told=(*play.told, *told))


def _visible_events(at: float, events: Sequence[Event]) -> tuple[LogEvent, ...]:
    return tuple(LogEvent(at, event.text, event.audience, event.reveals) for event in events)


def _looking(play: Play, desks: Mapping[str, MenuState], told: int) -> dict[str, MenuState]:
    """Return the menu states whose `looks` changes: news comes before the turn's menu.

    Public news counts only in games with secret menus; in the others everybody sees it on the table.
    """
    found, secret = {}, not play.known.spec.open_menus
    fresh = [each for each in play.told[told:] if each.reveals]
    for seat in play.match.start.seats:
        menu_state = desks.get(seat, MenuState())
        news = (heard_by(each.audience, seat) if secret else seat in (each.audience or ()) for each in fresh)
        looks = (menu_state.looks or any(news)) and seat in play.known.game.actors(play.match.state)
        if looks is not menu_state.looks:
            found[seat] = replace(menu_state, looks=looks)
    return found


def _still_open(play: Play, seat: Seat, menu_state: MenuState) -> MenuState:
    if menu_state.mode is PanelMode.DONE and play.match.pending is None:
        return MenuState()
    if menu_state.mode is PanelMode.CORRECT:
        return (
            menu_state
            if play.known.game.corrections(shown_state(play.match), menu_state.words)
            else MenuState(PanelMode.CORRECT)
        )
    if menu_state.mode not in (PanelMode.ACT, PanelMode.CONFIRM):
        return menu_state
    if play.match.result is not None or play.match.pending is not None or play.match.paused:
        return MenuState()
    game, state, words = play.known.game, play.match.state, menu_state.words
    if seat not in game.actors(state):
        return MenuState()
    fits = all(
        any(choice.word == word for choice in game.choices(state, seat, words[:place]))
        for place, word in enumerate(words)
    )
    return menu_state if fits else MenuState()
