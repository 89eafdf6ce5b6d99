"""Begins a match after the questions and the table check, or resumes an interrupted one with its open alerts and
questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import msgspec

from device.session import names, panels
from device.session.alerts import raise_alert
from device.session.check import LOOKING, begin_look, faults, is_awaited, unseen
from device.session.evening import following, rules
from device.session.matches import LiveMatch, Result, begin_match, over, record
from device.session.messages import Append, Effect, Leave, SendToVision
from device.session.state import CARD_PAGES, People, Person, Play, Proposal, Session, Setup, SetupPage
from device.session.table import LANGUAGES, KnownGame, Table
from engine.arbiter import AWAY, Case, Question, hides
from engine.catalogue import TableSetup as GameTable
from engine.catalogue import complete
from engine.entry import Entry, Start
from engine.errors import Invalid, Refusal
from engine.game import OptionValue, Words
from engine.table import SEATS, Health, Seat
from engine.text import Text, many, say
from vision.mat import Mat
from vision.messages import Rebase
from vision.messages import VisionSetup as LookAt

replace = msgspec.structs.replace
UNFIT = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Exceptions that a match stored by other rules or another version may raise; Refusal is a ValueError."""

OTHER_VERSION = say("Its record does not fit this version.")

_AROUND = dict(zip(SEATS, ("bottom", "left", "top", "right"), strict=True))
"""Sides of a table for four, clockwise from seat a."""

PENDING = "pending"
"""The journal's setting for open matters."""


class CheckPage(msgspec.Struct, frozen=True):
    """The last page before a match.

    faults: what to put right.
    looks: messages for the camera.
    left: what else to do before the start.
    waits: why the camera can't judge yet.
    """

    faults: tuple[Text, ...]
    answers: tuple[Text, ...]
    looks: tuple[SendToVision, ...]
    left: tuple[Text, ...] = ()
    waits: Text | None = None


def check_page(table: Table, session: Session, setup: Setup) -> CheckPage:
    """Compare the table with the set-up. Raises Invalid if the rules conflict."""
    known = table.games[setup.game]
    play = begin_match(known, start_of(known, setup, session.seed), None)
    looks = look_at(table, known, play.match.start)
    if not looks:
        return CheckPage((), (say("Start"),), ())
    layout = known.game.layout(play.match.state)
    blind = unseen(table, session, _lay_out(known, play.match.start).mat)
    if is_awaited(session):
        anyway = () if table.simulated else (say("Start anyway"),)
        return CheckPage((), anyway, looks, waits=blind or LOOKING)
    wrong = (blind,) if blind is not None else faults(layout, session.seen) if session.seen is not None else ()
    if wrong:
        return CheckPage(wrong, (say("Start anyway"),), looks)
    # From the start on, every card that leaves a pile is a draw.
    left = () if known.spec.dealer is None or table.simulated else (say("Deal the cards first."),)
    return CheckPage((), (say("Start"),), looks, left)


def enter_check(table: Table, session: Session, setup: Setup) -> tuple[Session, tuple[Effect, ...]]:
    """Go to the check page, or back to the rules with a reason if they conflict."""
    try:
        page = check_page(table, session, setup)
    except Refusal as refusal:
        return replace(session, stage=replace(setup, page=SetupPage.OPTIONS, cursor=0, alert=refusal.text)), ()
    return replace(begin_look(session), stage=replace(setup, cursor=0)), page.looks


def objection(table: Table, session: Session, setup: Setup) -> Text | None:
    """Return why the chosen rules conflict; None if they don't."""
    known = table.games[setup.game]
    try:
        look_at(table, known, begin_match(known, start_of(known, setup, session.seed), None).match.start)
    except Refusal as refusal:
        return refusal.text
    return None


def start_of(known: KnownGame, setup: Setup, seed: int, lots: int = 0) -> Start:
    """Return the match's first entry. lots: separate seed of a new evening."""
    options, clock = {**setup.options, **rules(known.spec, setup.evening)}, dict(setup.clock)
    start = Start(0.0, setup.game, options, setup.seats, seed, clock, deck=known.corrections, data=known.data)
    evening = setup.evening
    if evening is None:
        return start
    return replace(start, evening=evening if evening.played else replace(evening, lots=lots))


def fitting(known: KnownGame, options: Mapping[str, OptionValue], seats: int) -> dict[str, OptionValue]:
    """Return the options, one unset one changed if this many players need it.

    Raises Invalid if nothing fits.
    """
    changes = [{option.name: value} for option in known.spec.options for value in option.values]
    fault = None
    for change in ({}, *(each for each in changes if not each.keys() & options.keys())):
        try:
            known.game.setup(complete(known.spec.options, {**options, **change}), SEATS[:seats], 0)
        except Refusal as refusal:
            fault = fault or refusal
            continue
        return {**options, **change}
    raise Invalid(
        say("{game} can't be played with this many players: {count}.", game=known.spec.title, count=seats)
    ) from fault


def open_match(table: Table, session: Session, setup: Setup) -> tuple[Session, tuple[Effect, ...]]:
    """Begin the match. Starting anyway says that the table is right. Raises Invalid if rules conflict."""
    known = table.games[setup.game]
    start = start_of(known, setup, session.seed, session.lots)
    play = replace(begin_match(known, start, session.now), people=names.players_now(setup))
    looks = look_at(table, known, start)
    layout = known.game.layout(play.match.state)
    case = Case(seen=session.seen)
    play = replace(play, case=case.agree(layout) if looks and session.health is Health.OK else case)
    session = names.remember_players(replace(session, seen=None), play.people)
    live = LiveMatch(table, replace(session, stage=play))
    if session.unsaved is not None:
        live = raise_alert(live, (session.unsaved,), (session.unsaved,))
    return live.session, (Append((start,)),)


def look_at(table: Table, known: KnownGame, start: Start) -> tuple[SendToVision, ...]:
    """Return the messages that aim the camera at this match; () without camera or mat. Raises Invalid if the rules
    exclude this many players."""
    laid = _lay_out(known, start)
    mat = table.mats.get(laid.mat or "")
    if not table.camera or mat is None:
        return ()
    sets = {zone.name: zone.set for zone in mat.zones if zone.name in laid.zones}
    sides = sides_of(table, mat, start.seats)
    return (SendToVision(LookAt(mat.name, laid.zones, sets, sides)), SendToVision(Rebase()))


def _lay_out(known: KnownGame, start: Start) -> GameTable:
    laid = known.spec.table(start.options, len(start.seats))
    if laid is None:
        raise Invalid(
            many(
                "You can't play by these rules alone.",
                "{count} players can't play by these rules.",
                len(start.seats),
            )
        )
    return laid


def look_at_stage(table: Table, session: Session) -> tuple[SendToVision, ...]:
    """Return the messages for a newly started vision worker; () if it need not watch."""
    stage = session.stage
    if isinstance(stage, Play):
        return look_at(table, table.games[stage.match.start.game], stage.match.start)
    if stage.page in CARD_PAGES:
        known = table.games[stage.game]
        return look_at(table, known, start_of(known, stage, session.seed))
    return check_page(table, session, stage).looks if stage.page is SetupPage.CHECK else ()


def again(live: LiveMatch, *, moved: bool = False) -> Result:
    """Set up the evening's next match, until whose start power-on resumes this one; else a rematch, for which the
    journal leaves this one at once."""
    setup = following(live.play, moved=moved)
    setup = replace(setup, people=names.carry_people(live.play, setup))
    goes_on = setup.evening is not None and setup.evening.played
    setup = replace(setup, page=SetupPage.CHECK, trail=(replace(setup, page=SetupPage.OPTIONS),))
    session, looks = enter_check(live.table, live.session, setup)
    return session, looks if goes_on else (Leave(), *looks)


def power_on(
    table: Table,
    entries: Sequence[Entry],
    *,
    seed: int,
    lots: int,
    now: float,
    language: str | None = None,
    remembered: tuple[Person, ...] = (),
    people: People | None = None,
    told: tuple[Text, ...] = (),
    unsaved: Text | None = None,
    last: Setup | None = None,
    pending: str | None = None,
) -> tuple[Session, tuple[Effect, ...]]:
    """Return the session at power-on: the interrupted match, or the first question. Clocks rest.

    told: faults to show.
    unsaved: why nothing is stored.
    last: first page, which offers the last match again.
    pending: stored open matters.

    Raises Refusal, with public text, if the match can't be resumed.
    """
    spoken = language or table.language
    codes = [code for code, _ in LANGUAGES]
    wrong = (*told, *((unsaved,) if unsaved else ()))
    setup = Setup(cursor=codes.index(spoken) if spoken in codes else 0)
    setup = replace(last or setup, alert=join_texts(wrong))
    session = Session(setup, now, seed, spoken, lots, people=remembered, unsaved=unsaved)
    if not entries:
        return session, ()
    play = replace(_resume_match(table, entries), people=names.with_colours(people or {}, remembered))
    live = _report_unwatched(LiveMatch(table, replace(session, stage=play)))
    live = live.with_play(restore_pending(live.play, pending))
    alert = tuple(dict.fromkeys((*wrong, *live.play.alert)))
    live = raise_alert(live, alert, wrong).replace(expires=None) if wrong else live
    live = panels.hand_over(live, session, pressed=False) if table.shared else live
    return live.session, look_at(table, play.known, play.match.start)


def _report_unwatched(live: LiveMatch) -> LiveMatch:
    play = live.play
    hidden = not over(play) and live.watched and hides(play.known.game.layout(play.match.state))
    return live.announce(AWAY) if hidden else live


def join_texts(texts: Sequence[Text]) -> Text | None:
    """Join sentences; None for none."""
    together = texts[0] if texts else None
    for text in texts[1:]:
        together = Text("{a} {b}", (("a", together or text), ("b", text)))
    return together


def _resume_match(table: Table, entries: Sequence[Entry]) -> Play:
    """Replay the entries. Raises Refusal, for a refused entry without its details, which may be private (law 5)."""
    start = entries[0]
    if not isinstance(start, Start):
        raise Invalid(say("A match must begin with a start entry."))
    if start.game not in table.games:
        raise Invalid(say("The game {game} is not known here.", game=start.game))
    if not set(start.seats) <= set(table.seats):
        raise Invalid(say("This match needs seats that this table doesn't have."))
    try:
        play = begin_match(table.games[start.game], start, None)
    except Refusal:
        raise
    except UNFIT:
        raise Invalid(OTHER_VERSION) from None
    try:
        return record(play, entries[1:])
    except UNFIT:
        raise Invalid(OTHER_VERSION) from None


def seatings(table: Table, count: int, phones: frozenset[Seat]) -> tuple[tuple[Seat, ...], ...]:
    """Return the seatings: fewest seats without controls first, then the evenest.

    If just one gives everybody controls, only that.
    """
    size = len(table.seats)

    def without(seats: tuple[Seat, ...]) -> int:
        return sum(table.display_of(seat) not in table.displays and seat not in phones for seat in seats)

    def strangeness(seats: tuple[Seat, ...]) -> tuple[int, int]:
        places = [table.seats.index(seat) for seat in seats]
        gaps = [(after - before) % size or size for before, after in zip(places, places[1:] + places[:1], strict=True)]
        return without(seats), max(gaps) - min(gaps)

    found = sorted(combinations(table.seats, count), key=strangeness)
    equipped = tuple(seats for seats in found if not without(seats))
    return equipped if len(equipped) == 1 else tuple(found)


def sides_of(table: Table, mat: Mat, seats: tuple[Seat, ...]) -> dict[Seat, str]:
    """Return each seat's side of the mat; {} if unknown. Wired panels fix the sides, however few play."""
    wired = table.panels if len(table.panels) >= len(seats) else seats
    for found in (mat.sides.get(str(len(wired)), {}), _AROUND):
        if set(seats) <= found.keys():
            return {seat: found[seat] for seat in seats}
    return {}


class Pending(msgspec.Struct, frozen=True, omit_defaults=True):
    """The open matters after the entry at `at` (s) of the match with this seed.

    alert: without alerts that expire.
    unseen: see `Case.refused`.
    """

    seed: int
    at: float
    alert: tuple[Text, ...] = ()
    disorder: bool = False
    unseen: bool = False
    question: Question | None = None
    proposal: Proposal | None = None
    declined: Words = ()


def encode_pending(play: Play) -> str:
    """Return the open matters for the journal; "" for none."""
    found = _pending_of(play)
    return "" if found == Pending(found.seed, found.at) else _encode_pending(found).decode()


def restore_pending(play: Play, setting: str | None) -> Play:
    """Return the resumed match with its open matters, unless unreadable or of another moment."""
    try:
        found = msgspec.json.decode(setting or "", type=Pending)
    except msgspec.DecodeError:
        return play
    if (found.seed, found.at) != (play.match.start.seed, play.match.at):
        return play
    case = play.case.resume(found.question, disorder=found.disorder, unseen=found.unseen)
    return replace(play, case=case, alert=found.alert, proposal=found.proposal, declined=found.declined)


def _pending_of(play: Play) -> Pending:
    alert = play.alert if play.expires is None else ()
    start, case = play.match.start, play.case
    return Pending(
        start.seed, play.match.at, alert, case.disorder, case.refused, case.question, play.proposal, play.declined
    )


_encode_pending = msgspec.json.Encoder(order="deterministic").encode
