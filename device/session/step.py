"""Computes one step of a session. Pure."""

from __future__ import annotations

import msgspec

from device.key_gestures import Gesture, Key
from device.session import (
    alerts,
    ending,
    maintenance,
    menu_state,
    names,
    observing,
    offers,
    panels,
    phones,
    setup,
    tapping,
)
from device.session.check import is_lost, trouble
from device.session.matches import LiveMatch, Result, over
from device.session.messages import (
    Able,
    Append,
    Effect,
    Given,
    Input,
    Invited,
    Joined,
    LanguageChosen,
    Left,
    MaintenanceShown,
    NameForgotten,
    NameGiven,
    Objected,
    Restarted,
    Silence,
    Tap,
    Tick,
    Unkept,
)
from device.session.state import OPEN, MenuState, Play, Session, Setup, Stage, owner_of, page_of
from device.session.table import Table
from device.session.times import fall_of, falls, next_change
from engine import clocks
from engine.arbiter import AWAY, with_covered
from engine.clocks import ClockKind, Fall
from engine.entry import Flag
from engine.errors import Illegal, Refusal
from engine.match import time_is_up
from engine.table import Health, Seat
from engine.text import Text, say, who
from vision.messages import Report

replace = msgspec.structs.replace
_EVER = 0.001
"""Shortest wait in seconds; entries count milliseconds."""

LATE_S = 3.0
"""Seconds to hold a flag or reminder while vision reports on a motion."""

TOLD_AT_ONCE = (Health.DARK, Health.GLARE, Health.BUMPED)
"""Faults that a single picture shows; vision takes longer to be sure of others."""


def step(table: Table, session: Session, given: Input) -> Result:
    """Return the session after one input, and its effects. Never raises for players' actions."""
    session = session if session.aims else offers.begin(table, session)
    at = max(session.now, given.at)
    idle = isinstance(given, Report) and _tells_nothing(session, given, at)
    session = replace(session, now=at, sighted=session.sighted or _shows(given))
    if idle:
        return session, ()
    following, effects = _dispatch(table, session, given)
    if isinstance(following.stage, Play) and table.shared:
        pressed = isinstance(given, Key) and given.seat is None
        following = panels.hand_over(LiveMatch(table, following), session, pressed=pressed).session
    if _only_felt(session, following, given):
        return following, effects
    following = offers.renew(table, following, given)
    same = following.stage is session.stage and following.phones == session.phones
    same = same and not isinstance(given, Report | Able)
    if same or not following.phones:
        return following, effects
    return tapping.relist(table, following, given if isinstance(given, Tap) else None), effects


def _only_felt(session: Session, following: Session, given: Input) -> bool:
    felt = isinstance(given, Key) and given.gesture in (Gesture.DOWN, Gesture.UP)
    return felt and following.stage is session.stage and following.unkept is session.unkept


def wake_at(session: Session) -> float | None:
    """Return the input-clock time at which the session next changes by itself; None if never."""
    play = session.stage
    if not isinstance(play, Play) or over(play):
        return None
    late = _late(session)
    times = [] if play.case.due is None else [play.case.due + late]
    times += [] if play.expires is None else [play.expires]
    if play.epoch is not None and play.match.clocks.rules.kind is not ClockKind.NONE:
        wound = play.clocks
        change = next_change(wound, play.time(session.now))
        times += [session.now + change] if change is not None else []
        times += [play.epoch + fall + late for fall in falls(wound)] if late or change is None else []
    return max(session.now + _EVER, min(times)) if times else None


def _late(session: Session) -> float:
    return LATE_S if session.motion else 0.0


def _shows(given: Input) -> bool:
    return isinstance(given, Report) and not given.health.lost and given.health is not Health.FORBIDDEN


def _tells_nothing(session: Session, report: Report, at: float) -> bool:
    seeing = (report.observation, report.health, report.instead) == (None, session.health, session.instead)
    if not seeing or session.silence is not None:
        return False
    if report.health is Health.OK:
        news = report.moving and not session.motion
    else:
        news = session.motion or (isinstance(session.stage, Play) and not session.stage.case.sightless)
    due = None if news else wake_at(session)
    return not news and (due is None or at < due)


def _dispatch(table: Table, session: Session, given: Input) -> Result:
    match given:
        case Key() | Tap():
            return _apply_given(table, session, given)
        case Report():
            return _report(table, session, given)
        case Tick():
            return _tick(LiveMatch(table, session)) if isinstance(session.stage, Play) else (session, ())
        case LanguageChosen() | MaintenanceShown():
            return maintenance.apply_owned(session, given)
        case NameForgotten():
            return names.forget(session, given.name), ()
        case _:
            return _apply_input(table, session, given), ()


def _apply_given(table: Table, session: Session, given: Given) -> Result:
    return _key(table, session, given) if isinstance(given, Key) else _tap(table, session, given)


def _apply_input(
    table: Table,
    session: Session,
    given: NameGiven | Able | Objected | Joined | Left | Invited | Silence | Restarted | Unkept,
) -> Session:
    match given:
        case NameGiven():
            return _apply_name(table, session, given)
        case Able() | Objected():
            return _known_hands(session, given)
        case Joined() | Left() | Invited():
            return _apply_phone(table, session, given)
        case Silence():
            return _silent(session, given)
        case Restarted():
            return _blind(session)
        case Unkept():
            return _unkept(session, given.text)


def _unkept(session: Session, text: Text) -> Session:
    """Note what can't be kept; clocks rest meanwhile, as nobody can act."""
    stage = session.stage
    if isinstance(stage, Play):
        stage = replace(stage, epoch=None)
    return replace(session, unkept=text, stage=stage)


def _apply_phone(table: Table, session: Session, given: Joined | Left | Invited) -> Session:
    match given:
        case Joined(seat=seat, again=again):
            joined = replace(session, phones=session.phones | ({seat} & frozenset(table.seats)))
            told = not again and _plays(session, seat)
            return _all_told(joined, say("{seat} plays by phone now.", seat=who(seat))) if told else joined
        case Left(seat=seat):
            left = replace(session, phones=session.phones - {seat})
            told = _plays(session, seat)
            return _all_told(left, say("{seat} no longer plays by phone.", seat=who(seat))) if told else left
        case Invited(addresses=addresses, told=told, displayed=displayed):
            invited = replace(phones.invite(session, addresses), displayed=displayed)
            return invited if told is None else _all_told(invited, told)


def _plays(session: Session, seat: Seat) -> bool:
    """Return True if the seat has a part in the match."""
    return isinstance(session.stage, Play) and seat in session.stage.match.start.seats


def _apply_name(table: Table, session: Session, given: NameGiven) -> Session:
    stage = session.stage
    try:
        return names.name_seat(
            table,
            session,
            given.seat,
            given.text,
            leaves=given.leaves,
            colour=given.colour,
            by_anyone=given.by_anyone,
        )
    except Refusal as refusal:
        if isinstance(stage, Setup):
            return replace(session, stage=replace(stage, alert=refusal.text))
        return _show_refusal(session, page_of(given.seat), refusal)


def _known_hands(session: Session, given: Able | Objected) -> Session:
    if isinstance(given, Able):
        return replace(session, able={**session.able, given.seat: given})
    if not isinstance(session.stage, Play):
        return session
    return _show_refusal(session, page_of(given.seat), Refusal(given.text))


def _all_told(session: Session, text: Text) -> Session:
    play = session.stage
    if not isinstance(play, Play):
        return session
    return replace(session, stage=play.announce(play.time(session.now), text))


def _key(table: Table, session: Session, key: Key) -> Result:
    meant = offers.is_meant(session, key)
    session = offers.feel(session, key)
    if meant and key.gesture not in (Gesture.DOWN, Gesture.UP):
        session = replace(session, unkept=None)
    if isinstance(session.stage, Setup):
        return setup.handle_key(table, session, session.stage, key) if meant else (session, ())
    live = panels.holding(_running(LiveMatch(table, session)), key, stood=offers.was_readable(session, key))
    live, effects = _flags(live)
    if not meant or (effects and offers.has_changed(table, live.session, key)):
        return live.session, effects
    passing = panels.take_over(live, key)
    if passing is not None:
        return passing.session, effects
    following, more = _press_key(live, key)
    return following, (*effects, *more)


def _press_key(live: LiveMatch, key: Key) -> Result:
    seat = panels.presser(live.play, key)
    if over(live.play) and (seat is None or ending.concerns_result(live.play, seat, key)):
        return ending.handle_key(live, seat, key)
    if seat is None:
        return live.session, ()
    try:
        return menu_state.handle_key(live, seat, key)
    except Refusal as refusal:
        return _show_refusal(live.session, seat, refusal), ()


def _tap(table: Table, session: Session, tap: Tap) -> Result:
    meant = tapping.is_meant(session, tap)
    if meant:
        session = replace(session, unkept=None)
    if isinstance(session.stage, Setup):
        return tapping.tap_line(table, session, tap) if meant else (session, ())
    if not meant:
        return session, ()
    stood, dead = session.stage, session.stage.epoch is None and not tapping.hits(table, session, tap)
    live, effects = _flags(_running(LiveMatch(table, session)))
    if effects and tapping.has_changed(table, live.session, tap):
        return live.session, effects
    try:
        following, more = tapping.tap_line(table, live.session, tap)
    except Refusal as refusal:
        following, more = _show_refusal(live.session, page_of(tap.seat), refusal), ()
    if stood.epoch is None and (dead or _leafs(stood, following.stage)):
        following = LiveMatch(table, following).replace(epoch=None).session
    return following, (*effects, *more)


def _leafs(before: Play, stage: Stage) -> bool:
    """Return True if somebody only browsed, which restarts no clocks (law 5)."""
    if not isinstance(stage, Play) or replace(stage, desks=before.desks, epoch=before.epoch) != before:
        return False
    return any(stage.menu_state(panel) != before.menu_state(panel) for panel in stage.desks)


def _report(table: Table, session: Session, report: Report) -> Result:
    was, seen = session.health, None if report.observation is None else with_covered(report.observation)
    motion = report.health is Health.OK and (report.moving or (seen is None and session.motion))
    session = replace(
        session, health=report.health, instead=report.instead, silence=None, starting=False, motion=motion
    )
    if isinstance(session.stage, Setup):
        return replace(session, seen=seen or session.seen), ()
    live = LiveMatch(table, session)
    if over(live.play) or not live.watched:
        return session, ()
    if report.health is not Health.OK:
        # Touches count all the same; vision tells what lies there once it sees.
        case = live.play.case.observe_badly(seen, session.now, moment=session.health in TOLD_AT_ONCE)
        return _tick(live.replace(case=case))
    if was is not Health.OK:
        live = live.replace(case=live.play.case.regain_sight(session.now))
    live, effects = _flags(live, None if seen is None else seen.at)
    if seen is None:
        session, more = _tick(live)
    elif over(live.play):
        return live.session, effects
    else:
        session, more = observing.observe(live, seen)
    return session, (*effects, *more)


def _silent(session: Session, given: Silence) -> Session:
    """Apply a silence. A lost camera counts as lost while its worker restarts."""
    if given.starting and is_lost(session):
        given = Silence(given.at, session.silence or trouble(session.health))
    session = replace(session, silence=given.text, starting=given.starting)
    play = session.stage
    if given.text is None or not isinstance(play, Play):
        return session
    return replace(session, stage=replace(play, case=play.case.lose_sight(session.now, moment=False)))


def _blind(session: Session) -> Session:
    session, play = replace(session, seen=None), session.stage
    if not isinstance(play, Play):
        return session
    told = () if play.case.evidence is None else (AWAY,)
    blind = replace(play, case=play.case.blind()).announce(play.time(session.now), *told)
    return replace(session, stage=blind)


def _tick(live: LiveMatch) -> Result:
    live, effects = _flags(live)
    play, now = live.play, live.session.now
    if over(play):
        return live.session, effects
    if play.expires is not None and now >= play.expires:
        live = alerts.clear_alert(live.replace(expires=None))
    # What lies there while hands are at work is not what they leave: nobody is refused for it until they are done or
    # LATE_S have passed.
    if play.case.due is not None and now >= play.case.due + _late(live.session):
        following, more = observing.look_again(live.replace(case=play.case.remind()), overdue=True)
        return following, (*effects, *more)
    return live.session, effects


def _flags(live: LiveMatch, seen_at: float | None = None) -> tuple[LiveMatch, tuple[Effect, ...]]:
    """Record fallen flags, but not yet while vision reports a motion, or ordered pieces are turned up, which clocks
    would reveal (law 5)."""
    play = live.play
    if play.match.result is not None or play.epoch is None or play.match.clocks.rules.kind is ClockKind.NONE:
        return live, ()
    at = live.time if seen_at is None else play.time(seen_at)
    late = _late(live.session) if seen_at is None and live.watched else 0.0
    effects: list[Effect] = []
    fell = {seat: fall_of(play.clocks, seat) for seat in clocks.due(play.clocks, at)}
    for seat in sorted(fell, key=fell.__getitem__):  # of two that fell between ticks, the first one counts
        if late and at < fell[seat] + late:
            break
        entry = Flag(at, seat)
        live = live.record(entry)
        effects.append(Append((entry,)))
        if live.play.match.result is not None:
            break
        if live.play.clocks.rules.fall is not Fall.NOTE:
            live = alerts.raise_alert(live, (time_is_up(seat),))
    return live, tuple(effects)


def _running(live: LiveMatch) -> LiveMatch:
    return live if live.play.epoch is not None else live.replace(epoch=live.session.now - live.play.match.at)


def _show_refusal(session: Session, panel: str, refusal: Refusal) -> Session:
    play = session.stage
    assert isinstance(play, Play)
    asked = play.asks(owner_of(panel))
    before = MenuState() if asked else play.menu_state(panel)
    on_page = panel != owner_of(panel)  # where the clause can be opened
    alert = alerts.cite(refusal.violations[0]) if on_page and isinstance(refusal, Illegal) else refusal.text
    told = replace(before, alert=alert, plain=asked or before.mode in OPEN)
    return replace(session, stage=play.put(panel, told))
