"""Lays out phone pages: a pure function of the session. Private text is on its seat's page only (law 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from unicodedata import bidirectional

import msgspec

from device.screens.page_view import (
    MOST_TOLD,
    AnswerList,
    BoardView,
    ClockView,
    EndingView,
    Invitation,
    PageView,
    PieceView,
    PlayerView,
    ZoneView,
)
from device.screens.screen import Called, put_in
from device.session import consent, evening, maintenance, names, phones, setup, tapping
from device.session.aim import TapLists
from device.session.match_start import check_page, start_of
from device.session.matches import LiveMatch, acting, asked_seat, begin_match, missing_steps, over, shown_state, view_of
from device.session.screens import players, trouble
from device.session.sentences import order_text
from device.session.state import Play, Session, Setup, SetupPage, page_of
from device.session.table import Table
from device.session.tapping import Listing
from device.session.times import minutes, short_s
from device.session.touches import thing_key, touch_moves
from engine.arbiter import doubt
from engine.catalogue import Side
from engine.clocks import ClockKind
from engine.table import SEATS, Face, Layout, Piece, Seat, Sighting, Spot, public
from engine.text import Text, first_player, list_texts, many, say, verbatim, who
from engine.view import Gauge, Line, NamedCard, Outcome, Panel, Ring, Score, heard_by
from vision.mat import Box, Mat, MatZone

replace = msgspec.structs.replace


def sheet(table: Table, session: Session, audience: Seat | None) -> PageView:
    """Return a seat's page, or the table's own (None)."""
    stage = session.stage
    if isinstance(stage, Setup):
        found = _before(table, session, stage, audience)
    else:
        found = _during(LiveMatch(table, session), audience)
    called = players(stage)
    codes = _codes(table, session, audience)
    found = replace(found, codes=codes, aloud=table.aloud, sounds=table.sounds)
    return put_in(found, {key: _apart(each) for key, each in called.items()}) if called else found


SET_APART = "\u2068\u2069"
"""Unicode isolates around a name of any direction."""


def _apart(player: Called) -> Called:
    """Isolate a right-to-left name: a browser would move a following number before it."""
    name = player.name
    if isinstance(name, Text) or not any(bidirectional(char) in ("R", "AL") for char in name):
        return player
    return msgspec.structs.replace(player, name=name.join(SET_APART))


def _codes(table: Table, session: Session, audience: Seat | None) -> tuple[Invitation, ...]:
    """Return the codes on a page. The table's page, open to the whole network, has only free seats without a display,
    outside a real match."""
    stage = session.stage
    if audience is None:
        seats = _free(session)
        if isinstance(stage, Play) and not (over(stage) or table.simulated):
            seats = _given_up(LiveMatch(table, session), seats)
    elif isinstance(stage, Setup):
        seats = (stage.phone,) if stage.page is SetupPage.PHONE and not _hides_code(session, stage, audience) else ()
    else:
        asked = phones.seat_of_code(stage, page_of(audience))
        seats = () if asked is None else (asked,)
    found = ((seat, session.invited.get(seat)) for seat in seats)
    return tuple(Invitation(seat, who(seat), address) for seat, address in found if address is not None)


def _given_up(live: LiveMatch, free: Iterable[Seat]) -> tuple[Seat, ...]:
    """Return the match's free seats, if nobody is left in it who could agree to a code."""
    table, seats = live.table, live.play.match.start.seats
    left = any(seat in live.session.phones or table.display_of(seat) in table.displays for seat in seats)
    return () if left else tuple(seat for seat in free if seat in seats)


def _free(session: Session) -> tuple[Seat, ...]:
    """Return the seats without a display that wait for a phone."""
    return tuple(s for s in session.invited if s not in session.phones and s not in session.displayed)


def _hides_code(session: Session, stage: Setup, audience: Seat) -> bool:
    return stage.phone != audience and stage.phone in session.displayed


# --- before a match


def _before(table: Table, session: Session, stage: Setup, audience: Seat | None) -> PageView:
    checked = check_page(table, session, stage) if stage.page is SetupPage.CHECK else None
    wrong = tuple(text for text in (session.unkept, session.unsaved, stage.alert) if text is not None)
    answers, _ = _lists(table, session, audience)
    if audience is None and table.simulated and checked is not None:
        answers = AnswerList(lines=checked.answers)  # its page presses the table's button
    board = _to_lay(table, session, stage) if checked else None
    waits = (checked.waits,) if checked and checked.waits is not None else ()
    comes = evening.arrival(stage) if checked and not checked.faults else ()
    seated = stage.evening is not None
    return PageView(
        heading=Text(table.games[stage.game].spec.title) if stage.game else say("Set-up"),
        game=stage.game,
        wanted=_asked_for(
            table, session, stage, audience, laid=board is not None, faulty=bool(checked and checked.faults)
        ),
        alert=(*wrong, *(checked.faults if checked else ())),
        lacks=(*waits, *(() if seated else comes), *checked.left) if checked and not checked.faults else (),
        answers=answers,
        panels=tuple(map(Line, comes)) if seated else (),
        players=tuple(_before_match(table, session, stage, seat) for seat in sorted(session.phones)),
        nameable=tuple(_before_match(table, session, stage, seat) for seat in nameable(table, session, audience)),
        colours=names.may_choose(_sides(table, stage)),
        board=board,
    )


def nameable(table: Table, session: Session, audience: Seat | None) -> tuple[Seat, ...]:
    """Return the seats that anybody may name on a page: on the table's, before a match, those that need no phone."""
    stage = session.stage
    if audience is not None or table.simulated or not isinstance(stage, Setup) or stage.page is SetupPage.CARE:
        return ()
    return tuple(seat for seat in stage.seats if seat not in {*session.phones, *_free(session)})


def _sides(table: Table, stage: Setup) -> tuple[Side, ...]:
    return table.games[stage.game].spec.sides if stage.game else ()


def _asked_for(
    table: Table, session: Session, stage: Setup, audience: Seat | None, *, laid: bool, faulty: bool = False
) -> Text:
    if stage.page is SetupPage.CARE:
        return maintenance.ELSEWHERE
    shows = stage.page is SetupPage.PHONE and stage.phone in session.invited
    if shows and audience is not None and _hides_code(session, stage, audience):
        return say("{seat}'s code is on the seat's own display.", seat=who(stage.phone))
    if stage.page is SetupPage.CHECK:
        laid = laid and not table.simulated and not faulty  # all is set out there; else it says what to do
        return say("Set up as shown, then tap Start.") if laid else say("Start when all are ready.")
    asked = setup.title(stage, table)
    if audience is None:
        # Translators: {what} is a heading of the set-up: the language, the game, the rules.
        return say("Choose at a seat: {what}", what=asked)
    if stage.page is SetupPage.LANGUAGE:
        return _spoken_here(table)
    return say("Choose the rules, then continue.") if stage.page is SetupPage.OPTIONS else asked


def _spoken_here(table: Table) -> Text:
    if not table.draws:
        return say("Choose this page's language in its menu.")
    return say("This sets the displays' language. Choose this page's language in its menu.")


def _to_lay(table: Table, session: Session, stage: Setup) -> BoardView | None:
    known = table.games[stage.game]
    return _board(table, begin_match(known, start_of(known, stage, session.seed), None))


def _before_match(table: Table, session: Session, stage: Setup, seat: Seat) -> PlayerView:
    seats = stage.seats or SEATS
    named = {each: person for each in seats if (person := stage.people.get(names.place_of(stage, each))) is not None}
    person = named.get(seat)
    colours = names.colours(seats, named, _sides(table, stage))
    name = who(seat) if person is None else verbatim(person.name)
    return PlayerView(seat, name, None, False, seat in session.phones, colours.get(seat, ""))


def _lists(table: Table, session: Session, audience: Seat | None) -> tuple[AnswerList, AnswerList]:
    if audience is None:
        return AnswerList(), AnswerList()
    lists = session.lists.get(audience, TapLists())
    asked, always = tapping.answers(table, session, audience), tapping.menu(table, session, audience)
    answers = _list_lines(asked, lists.answers.serial)
    if isinstance(session.stage, Play) and audience in session.stage.match.start.seats:
        touch = touch_moves(session.stage, audience, asked.moves) if asked.moves.found else None
        answers = replace(answers, touch=touch)
    return answers, _list_lines(always, lists.menu.serial)


def _list_lines(listing: Listing, serial: int) -> AnswerList:
    return AnswerList(serial, listing.asks, listing.path, listing.texts, listing.back is not None)


# --- during a match, and at its end


def _during(live: LiveMatch, audience: Seat | None) -> PageView:
    play, known = live.play, live.play.known
    seat = audience if audience in play.match.start.seats else None
    view = view_of(play, seat)
    told, undo = _heard_texts(play, seat)
    answers, menu = _lists(live.table, live.session, audience)
    board = _board(live.table, play)
    ending = _ending(play, board)
    shown = () if ending is None else (*ending.scores, ending.ring)
    return PageView(
        heading=Text(known.spec.title),
        game=known.spec.name,
        status=_status(play, seat),
        wanted=_wanted_text(play, seat, view.prompt),
        alert=_alert(live, seat),
        lacks=(*_starting(live), *_lacks(play, seat)),
        answers=answers,
        menu=menu,
        panels=_with_evening(play, tuple(panel for panel in view.panels if panel not in shown)),
        told=told,
        undo=undo,
        regret=_regret(play, seat),
        clocks=_clocks(play),
        players=_players(live),
        board=board,
        rules=known.game.reference(play.match.start.options),
        colours=names.may_choose(known.spec.sides),
        last=_last_named(play, seat),
        ending=ending,
    )


def _regret(play: Play, seat: Seat | None) -> float | None:
    """Return the end of the time to undo, also once past: a change would show that somebody acted (law 5). None unless
    the seat acted last."""
    if play.regretted is None or play.epoch is None or seat != play.regretted[0]:
        return None
    return round(play.regretted[1] + consent.REGRET_S + play.epoch, 3)


def _ending(play: Play, board: BoardView | None) -> EndingView | None:
    result = play.match.result
    if result is None or not over(play):
        return None
    public = play.known.game.view(play.match.state, None).panels
    scores = tuple(panel for panel in public if isinstance(panel, Score))
    gauges = tuple(panel for panel in public if isinstance(panel, Gauge))
    ring = next((panel for panel in public if isinstance(panel, Ring)), None)
    things = _deciding_things(result, board, ring)
    return EndingView(
        tuple(sorted(result.winners)),
        things,
        ring if any(key.startswith("#") for key in things) else None,
        (*play.decided, *result.how),
        scores or gauges,
        tuple(_pace(play)),
        _heads(play),
    )


def _deciding_things(result: Outcome, board: BoardView | None, ring: Ring | None) -> tuple[str, ...]:
    if result.decided_by is None:
        pieces = () if board is None else board.pieces
        return tuple(f"{piece.zone}/{piece.index}" for piece in pieces if piece.marked)
    keys = (thing_key(thing, mat=board is not None, ring=ring is not None) for thing in result.decided_by)
    return tuple(filter(None, keys))


def _heads(play: Play) -> tuple[str, ...]:
    """Return a signed record's first and last head, as `referee verify` reads them; () until both exist."""
    notes = [dict(note.args) for note in (play.head, play.last_head) if note is not None]
    lines = tuple(f"{note['n']} {note['hash']}" for note in notes if "hash" in note)
    return lines if len(lines) == 2 else ()


def _pace(play: Play) -> Iterator[Text]:
    """Yield a match's length and longest thought. Actions of one seat in a row are a move."""
    if play.thoughts:
        moves = sum(1 for _ in groupby(play.thoughts, key=itemgetter(0)))
        yield many("1 move in {time}", "{count} moves in {time}", moves, time=minutes(play.heard_at))
        seat, seconds = max(play.thoughts, key=lambda thought: thought[1])
        yield say("Longest thinking time: {seat}, {time}", seat=who(seat), time=minutes(seconds))


def _status(play: Play, seat: Seat | None) -> Text | None:
    if over(play):
        stands = evening.stands(play)
        return say("The match is over.") if stands is None else evening.verdict(stands)
    actors = play.known.game.actors(shown_state(play.match))
    if seat in actors:
        return say("Your turn.")
    waited = [who(actor) for actor in play.match.start.seats if actor in actors]
    if not waited:
        return None
    listed = list_texts(waited)
    return say("{seat}'s turn", seat=listed) if len(waited) == 1 else say("{seats} to play", seats=listed)


def _with_evening(play: Play, shown: tuple[Panel, ...]) -> tuple[Panel, ...]:
    stands = evening.stands(play)
    results = () if stands is None else evening.results(stands)
    return (*results, *shown) if over(play) else (*shown, *results)


def _wanted_text(play: Play, seat: Seat | None, otherwise: Text | None) -> Text | None:
    match = play.match
    if over(play):
        return match.result.text if match.result is not None else None
    if match.paused:
        return say("Paused.")
    if play.resting:
        return say("Welcome back. The clocks wait until somebody continues.")
    if (by := asked_seat(play)) is not None:
        return None if seat is not None and play.asks(seat) else say("{seat} is answering a question.", seat=who(by))
    return otherwise if match.pending is None else order_text(play, seat)


def _alert(live: LiveMatch, seat: Seat | None) -> tuple[Text, ...]:
    play, session = live.play, live.session
    own = play.menu_state(page_of(seat)).alert if seat is not None else None
    doubts = tuple(doubt(word) for word in play.case.overruled[:1])
    blind = None if session.starting else trouble(live)
    found = (session.unkept, own, *play.alert, *doubts, blind)
    return tuple(dict.fromkeys(text for text in found if text is not None))


def _starting(live: LiveMatch) -> tuple[Text, ...]:
    found = trouble(live) if live.session.starting else None
    return () if found is None else (found,)


def _lacks(play: Play, seat: Seat | None) -> tuple[Text, ...]:
    question, waiting = play.case.question, play.case.waiting
    if question is not None and question.seat == seat and question.missing is not None:
        return (question.missing,)
    if play.match.pending is not None or waiting is None:
        return missing_steps(play, seat)
    return (waiting.text,)


def _heard_texts(play: Play, seat: Seat | None) -> tuple[tuple[Text, ...], tuple[int, ...]]:
    heard = [heard_by(told.audience, seat) for told in play.told]
    texts = [told.text for told, mine in zip(play.told, heard, strict=True) if mine]
    first = max(0, len(texts) - MOST_TOLD)
    places = dict.fromkeys(sum(heard[:point]) for point in play.points)
    return tuple(texts[first:]), tuple(place - first for place in places if first <= place < len(texts))


def _last_named(play: Play, seat: Seat | None) -> Seat | None:
    """Return the player named first in this audience's newest message, or else the mover; None if the message is of
    no move."""
    newest = next((told for told in reversed(play.told) if heard_by(told.audience, seat)), None)
    if newest is None or newest.at != play.heard_at or play.mover is None:
        return None
    return first_player(newest.text) or play.mover


def _clocks(play: Play) -> tuple[ClockView, ...]:
    wound, epoch = play.clocks, play.epoch
    if wound.rules.kind is ClockKind.NONE:
        return ()
    hands, limit = [], short_s(wound.rules)
    for seat, left in wound.left:
        runs = seat in wound.running and epoch is not None
        ends = round(wound.since + left + epoch, 3) if runs and epoch is not None else None
        hands.append(ClockView(seat, who(seat), limit, None if runs else round(left, 3), ends))
    return tuple(hands)


def _players(live: LiveMatch) -> tuple[PlayerView, ...]:
    play, phones = live.play, live.session.phones
    actors, seats, sides = acting(play), play.match.start.seats, play.known.spec.sides
    called = {seat: Text(side.name) for seat, side in zip(seats, sides, strict=False)}
    colours = names.colours(seats, names.players_of_match(play), sides)
    return tuple(
        PlayerView(seat, who(seat), called.get(seat), seat in actors, seat in phones, colours[seat]) for seat in seats
    )


# --- the board


def _board(table: Table, play: Play) -> BoardView | None:
    mat = table.mats.get(play.mat)
    if mat is None:
        return None
    layout = _layout(play)
    laid_out = {zone.zone for zone in layout.zones}
    places = tuple(_place(zone) for zone in mat.zones if zone.name in laid_out)
    return BoardView(mat.title, mat.size_mm, places, _pieces(layout, mat, play))


def _layout(play: Play) -> Layout:
    believed = public(play.known.game.layout(shown_state(play.match)))
    seen = None if over(play) else play.case.differing(play.match)
    if seen is None:
        return believed
    zones = {zone.zone: tuple(piece and _piece(piece) for piece in zone.pieces) for zone in seen.zones}
    return Layout(tuple(replace(zone, pieces=zones.get(zone.zone, zone.pieces)) for zone in believed.zones))


def _piece(sighting: Sighting) -> Piece:
    up = sighting.face is Face.UP and sighting.kind is not None
    return Piece(sighting.kind, Face.UP) if up else Piece(None, Face.DOWN)


def _place(zone: MatZone) -> ZoneView:
    cells = tuple(_box(cell) for cell in zone.cells)
    return ZoneView(zone.name, Text(zone.name), zone.order.value, _box(zone.box), cells, zone.direction)


def _box(box: Box) -> tuple[float, float, float, float]:
    return (box.x, box.y, box.width, box.height)


def _pieces(layout: Layout, mat: Mat, play: Play) -> tuple[PieceView, ...]:
    drawn, result = {zone.name for zone in mat.zones}, play.match.result if over(play) else None
    marked = play.marked if result is None or result.decided_by is None else frozenset(result.decided_by)
    return tuple(
        PieceView(
            zone.zone, index, piece.kind or "", bool(marked & {Spot(zone.zone, index), NamedCard(piece.kind or "")})
        )
        for zone in layout.zones
        if zone.zone in drawn
        for index, piece in enumerate(zone.pieces)
        if piece is not None
    )
