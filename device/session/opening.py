"""From the answers to a match: the table is checked, the match begins; or one that was interrupted goes on."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from device.session.check import faults
from device.session.matches import begun, record
from device.session.messages import Append, Effect, Look
from device.session.places import sides_of
from device.session.state import CARD_PAGES, Page, Play, Session, Setup
from device.session.table import LANGUAGES, Known, Table
from engine.arbiter.watch import agreed
from engine.entry import Entry, Start
from engine.errors import Invalid
from engine.table import Health
from engine.text import Text, say
from vision.link import Rebase
from vision.link import Setup as LookAt

replace = msgspec.structs.replace


class CheckPage(msgspec.Struct, frozen=True):
    """The last page before a match: what lies wrong, what may be answered, and what vision is told to look at."""

    faults: tuple[Text, ...]
    answers: tuple[Text, ...]
    looks: tuple[Look, ...]


def check_page(table: Table, session: Session, setup: Setup) -> CheckPage:
    """Raises Invalid if the rules do not go together."""
    known = table.games[setup.game]
    play = begun(known, start_of(setup, session.seed), None)
    looks = look_at(table, known, play.match.start)
    if not looks:
        return CheckPage((), (say("Start"),), ())
    layout = known.game.layout(play.match.state)
    wrong = faults(layout, session.seen) if session.seen else (say("Looking at the table..."),)
    if session.silence is not None:
        wrong = (session.silence,)
    return CheckPage(wrong, (say("Start anyway"),) if wrong else (say("Start"),), looks)


def start_of(setup: Setup, seed: int) -> Start:
    """The first entry of the match that was set up."""
    return Start(0.0, setup.game, dict(setup.options), setup.seats, seed, dict(setup.clock))


def open_match(table: Table, session: Session, setup: Setup) -> tuple[Session, tuple[Effect, ...]]:
    """The match begins. Who starts anyway says that the table is right; what is not is named at the next look."""
    known = table.games[setup.game]
    start = start_of(setup, session.seed)
    play = begun(known, start, session.now)
    looks = look_at(table, known, start)
    layout = known.game.layout(play.match.state)
    if looks and session.seen is not None and session.health is Health.OK:
        play = replace(play, watch=agreed(layout, session.seen))
    return replace(session, stage=play), (Append((start,)),)


def look_at(table: Table, known: Known, start: Start) -> tuple[Look, ...]:
    """What the camera is to look at in this match; () if it needs none or there is none."""
    laid = known.spec.table(start.options, len(start.seats))
    if laid is None:
        raise Invalid(say("These rules cannot be played by {count} players.", count=len(start.seats)))
    mat = table.mats.get(laid.mat or "")
    if not table.camera or mat is None:
        return ()
    sets = {zone.name: zone.set for zone in mat.zones if zone.name in laid.zones}
    sides = sides_of(table, mat, start.seats)
    return (Look(LookAt(mat.name, laid.zones, sets, sides)), Look(Rebase()))


def look_at_stage(table: Table, session: Session) -> tuple[Look, ...]:
    """What a vision worker that has just started is told."""
    stage = session.stage
    if isinstance(stage, Play):
        return look_at(table, table.games[stage.match.start.game], stage.match.start)
    if stage.page in CARD_PAGES:
        return look_at(table, table.games[stage.game], start_of(stage, session.seed))
    return check_page(table, session, stage).looks if stage.page is Page.CHECK else ()


def again(table: Table, session: Session, play: Play) -> tuple[Session, tuple[Effect, ...]]:
    """The same rules, seats and clock once more: the table is checked anew."""
    start = play.match.start
    clock = start.clock or {"kind": "none"}
    setup = Setup(Page.CHECK, start.game, start.seats, dict(start.options), dict(clock))
    setup = replace(setup, trail=(replace(setup, page=Page.OPTIONS),))
    return replace(session, stage=setup, seen=None), check_page(table, session, setup).looks


def power_on(
    table: Table, entries: Sequence[Entry], *, seed: int, now: float, language: str | None = None
) -> tuple[Session, tuple[Effect, ...]]:
    """A session at power-on: with the match that was interrupted, if there is one, otherwise with the first question.

    After a restart the clocks stand still until somebody presses or acts. Raises Refusal if the entries do not make a
    match of the games known.
    """
    spoken = language or table.language
    codes = [code for code, _ in LANGUAGES]
    setup = Setup(cursor=codes.index(spoken) if spoken in codes else 0)
    session = Session(setup, now, seed, spoken)
    if not entries:
        return session, ()
    play, known = _resumed(table, entries)
    session = replace(session, stage=play)
    return session, look_at(table, known, play.match.start)


def _resumed(table: Table, entries: Sequence[Entry]) -> tuple[Play, Known]:
    start = entries[0]
    if not isinstance(start, Start):
        raise Invalid(say("A match begins with a start entry."))
    if start.game not in table.games:
        raise Invalid(say("The game {game} is not known here.", game=start.game))
    if not set(start.seats) <= set(table.seats):
        raise Invalid(say("This match has seats that this table lacks."))
    known = table.games[start.game]
    return record(known, begun(known, start, None), entries[1:]), known
