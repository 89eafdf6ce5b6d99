"""One step of a session: an input in, the next session and its effects out. Pure."""

from __future__ import annotations

import msgspec

from device.keys import Key
from device.session import desk, ending, panels, setup, sight
from device.session.matches import known_of, match_time, record
from device.session.messages import Append, Effect, Input, Restarted, Silence, Tick, Unkept
from device.session.sight import Result
from device.session.state import Play, Session, Setup, Told
from device.session.table import Table
from device.session.times import next_change
from engine import clocks
from engine.entry import Flag
from engine.errors import Refusal
from engine.table import Health, Seat
from engine.text import say
from vision.link import Report

replace = msgspec.structs.replace
_EVER = 0.001
"""No wait is shorter: entries count in milliseconds."""


def step(table: Table, session: Session, given: Input) -> Result:
    """The session after one input. Never raises for what players do."""
    unkept = None if isinstance(given, Key) else session.unkept
    session = replace(session, now=max(session.now, given.at), unkept=unkept)
    following, effects = _dispatched(table, session, given)
    stage = following.stage
    if isinstance(stage, Play):
        following = replace(following, stage=panels.handed(table, stage))
    return following, effects


def wake_at(session: Session) -> float | None:
    """When the session changes by itself, on the clock of its inputs; None if it waits for somebody."""
    play = session.stage
    if not isinstance(play, Play) or play.match.result is not None:
        return None
    times = [play.due] if play.due is not None else []
    if play.epoch is not None:
        change = next_change(play.match.clocks, match_time(session, play))
        times += [session.now + change] if change is not None else []
    return max(session.now + _EVER, min(times)) if times else None


def _dispatched(table: Table, session: Session, given: Input) -> Result:
    match given:
        case Key():
            return _key(table, session, given)
        case Report():
            return _report(table, session, given)
        case Tick():
            return _tick(table, session)
        case Silence():
            return replace(session, silence=given.text), ()
        case Restarted():
            return _blind(session), ()
        case Unkept():
            return replace(session, unkept=given.text), ()


def _key(table: Table, session: Session, key: Key) -> Result:
    stage = session.stage
    if isinstance(stage, Setup):
        return setup.handle_key(table, session, stage, key)
    if stage.match.result is not None:
        return ending.handle_key(table, session, stage, key)
    play = panels.holding(_running(session, stage), key)
    seat = panels.presser(play, key)
    if seat is None:
        return replace(session, stage=play), ()
    flagged, effects = _flags(table, replace(session, stage=play))
    if effects:
        return flagged, effects
    try:
        return desk.handle_key(table, session, play, seat, key)
    except Refusal as refusal:
        return _told(session, play, seat, refusal), ()


def _report(table: Table, session: Session, report: Report) -> Result:
    session = replace(session, health=report.health, silence=None)
    play = session.stage
    if report.observation is None:
        return _tick(table, session)
    if isinstance(play, Setup):
        return replace(session, seen=report.observation), ()
    if play.match.result is not None or not desk.watched(table, play) or report.health is not Health.OK:
        return session, ()
    flagged, effects = _flags(table, session)
    if effects:
        return flagged, effects
    return sight.observe(table, session, play, report.observation)


def _blind(session: Session) -> Session:
    """What the camera knew of the pieces' past is gone; the table is compared anew when it is seen again."""
    session = replace(session, seen=None)
    play = session.stage
    if not isinstance(play, Play) or play.watch is None:
        return session
    unseen = say("The camera was away: hidden pieces may have been moved unseen.")
    told = (*play.told, Told(match_time(session, play), unseen, None))
    blind = replace(play, watch=None, bases=(None,) * len(play.bases), question=None, waiting=None, told=told)
    return replace(session, stage=blind)


def _tick(table: Table, session: Session) -> Result:
    flagged, effects = _flags(table, session)
    play = flagged.stage
    if effects or not isinstance(play, Play):
        return flagged, effects
    if play.due is not None and session.now >= play.due:
        play = replace(play, due=None)
        return sight.look_again(table, session, play, overdue=True)
    return flagged, ()


def _flags(table: Table, session: Session) -> Result:
    """A flag that has fallen counts before whatever comes now."""
    play = session.stage
    if not isinstance(play, Play) or play.match.result is not None or play.epoch is None:
        return session, ()
    at = match_time(session, play)
    effects: list[Effect] = []
    for seat in clocks.due(play.match.clocks, at):
        entry = Flag(at, seat)
        play = record(known_of(table, play), play, (entry,))
        effects.append(Append((entry,)))
        if play.match.result is not None:
            break
    return replace(session, stage=play), tuple(effects)


def _running(session: Session, play: Play) -> Play:
    """After a restart time goes on with the first press."""
    return play if play.epoch is not None else replace(play, epoch=session.now - play.match.at)


def _told(session: Session, play: Play, seat: Seat, refusal: Refusal) -> Session:
    """A refusal stands on the display of the seat that it concerns, and nowhere else."""
    told = replace(play.desk(seat), alert=refusal.text)
    return replace(session, stage=replace(play, desks={**play.desks, seat: told}))
