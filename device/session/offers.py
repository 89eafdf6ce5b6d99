"""Finds each panel's offer after every step; cursors stay on their line."""

from __future__ import annotations

import msgspec

from device.key_gestures import Gesture, Key
from device.session import aim, ending, maintenance, menu_state, panels, setup
from device.session.aim import Aim, Offer
from device.session.match_start import check_page
from device.session.matches import LiveMatch, over, secret_menus
from device.session.messages import Input
from device.session.state import OPEN, MenuState, PanelMode, Play, Proposal, Session, Setup, SetupPage
from device.session.table import SHARED, Table
from engine.table import Seat
from engine.text import Text

replace = msgspec.structs.replace
_ASKS = frozenset({PanelMode.VIEW, PanelMode.CONFIRM, PanelMode.DONE})
"""Pages that ask a question, unlike those that a player opens."""


def panel_of(key: Key) -> str:
    """Return a key's panel, by its display's name."""
    return SHARED if key.seat is None else key.seat


def is_meant(session: Session, key: Key) -> bool:
    """Return True if this key answers its panel's current offer."""
    return aim.is_meant(session.aims.get(panel_of(key), Aim()), key)


def was_readable(session: Session, key: Key) -> bool:
    """Return True if the panel's offer was readable when this key came."""
    return aim.was_readable(session.aims.get(panel_of(key), Aim()), key.at)


def feel(session: Session, key: Key) -> Session:
    """Record a key (see `aim.feel`)."""
    panel = panel_of(key)
    return replace(session, aims={**session.aims, panel: aim.feel(session.aims.get(panel, Aim()), key)})


def has_changed(table: Table, session: Session, key: Key) -> bool:
    """Return True if this step has already changed the offer that the key was meant for."""
    panel = panel_of(key)
    before, now = session.aims.get(panel, Aim()).offer, offer(table, session, panel)
    return (before and replace(before, notice=None)) != (now and replace(now, notice=None))


def note_shown(session: Session, at: float) -> Session:
    """Note that displays show the current state since `at`."""
    return replace(
        session, aims={p: aim.note_shown(each, at) if each.fresh else each for p, each in session.aims.items()}
    )


def begin(table: Table, session: Session) -> Session:
    """Return the session with its first offers."""
    return replace(session, aims={p: Aim(offer(table, session, p), session.now) for p in _panels(table)})


def renew(table: Table, session: Session, given: Input) -> Session:
    """Keep every cursor on its line after a step, and note new offers."""
    own = panel_of(given) if isinstance(given, Key) and given.gesture is not Gesture.DOWN else None
    session = _with_cursors(table, session, own, keyed=isinstance(given, Key))
    aims = {}
    for panel in _panels(table):
        before = session.aims.get(panel, Aim())
        found = offer(table, session, panel)
        changed = found != before.offer
        aims[panel] = aim.renew_offer(before, found, session.now, own=panel == own) if changed else before
    return replace(session, aims=aims)


def offer(table: Table, session: Session, panel: str) -> Offer | None:
    """Return CHOOSE's decision at this panel; None without one."""
    stage = session.stage
    found = (
        _set_up(table, session, stage) if isinstance(stage, Setup) else _played_offer(LiveMatch(table, session), panel)
    )
    if session.unkept is None:
        return found
    return replace(found or Offer(()), notice=session.unkept, asks=True)


def _panels(table: Table) -> tuple[str, ...]:
    return (*table.panels, *((SHARED,) if table.shared else ()))


def _set_up(table: Table, session: Session, stage: Setup) -> Offer:
    if stage.page is SetupPage.CHECK:
        return Offer((stage.page,), item=next(iter(check_page(table, session, stage).answers), None), asks=True)
    found = setup.items(table, session, stage)
    return Offer(_set_up_page(session, stage), item=found[min(stage.cursor, len(found) - 1)].text if found else None)


def _set_up_page(session: Session, stage: Setup) -> tuple[Text | str, ...]:
    answered = stage.option, stage.card, stage.number, stage.asked, stage.spelt, stage.phone
    cared = maintenance.step_signature(session) if stage.page is SetupPage.CARE else ()
    return stage.page, stage.game, *answered, *cared


def _played_offer(live: LiveMatch, panel: str) -> Offer | None:
    play = live.play
    seat = _seat(play, panel)
    if over(play) and (seat is None or (play.menu_state(seat).mode is PanelMode.VIEW and not play.asks(seat))):
        return Offer(("ended", play.closing), item=ending.answers(live)[play.cursor], asks=True)
    if seat is None:
        return None
    if panel == SHARED and play.shared.dark:
        return Offer(("dark",), seat, asks=True)
    found, page = menu_state.standing(live, seat), _page(live, seat)
    if page is None:
        return _view_offer(live, seat, panel)
    if found.mode in (PanelMode.HELP, PanelMode.HISTORY, PanelMode.EVENING):
        return Offer(page, seat)
    lines = menu_state.items(live, seat)
    place = min(found.cursor, len(lines) - 1)
    public = panel != SHARED or play.shared.held or found.mode in OPEN or found.mode is PanelMode.VIEW
    return Offer(
        page,
        seat,
        item=lines[place] if lines else None,
        among=lines if _none_of_them(play, found, place) else (),
        asks=found.mode in _ASKS or menu_state.opens_itself(live, seat),
        hidden=not public and secret_menus(play),
    )


def _seat(play: Play, panel: str) -> Seat | None:
    seat = play.shared.holder if panel == SHARED else panel
    return seat if seat in play.match.start.seats else None


def _view_offer(live: LiveMatch, seat: Seat, panel: str) -> Offer | None:
    play, following = live.play, panels.waits_for(live) if panel == SHARED else None
    page: tuple[Text | str, ...] = () if play.case.disorder else play.alert
    page += ("paused",) if play.match.paused else ()
    page += ("hand on", following) if following is not None else ()
    return Offer(page, seat, asks=bool(page)) if page or panel == SHARED else None


def _page(live: LiveMatch, seat: Seat) -> tuple[Text | str, ...] | None:
    play, found = live.play, menu_state.standing(live, seat)
    if menu_state.opens_itself(live, seat):
        return "turn", str(found.turn)
    if found.mode is not PanelMode.VIEW:
        pending = play.match.pending.words if play.match.pending is not None and found.mode is PanelMode.DONE else ()
        return found.mode, *found.words, *map(str, found.within), *pending
    if not play.asks(seat):
        return None
    if play.case.question is not None:
        return ("question",)
    assert play.proposal is not None
    return "proposal", *proposal_signature(play.proposal)


def proposal_signature(proposal: Proposal) -> tuple[Text | str, ...]:
    """Return texts that identify a proposal."""
    because = () if proposal.because is None else (proposal.because,)
    return proposal.kind, proposal.by or "", *proposal.words, *because


def _none_of_them(play: Play, found: MenuState, place: int) -> bool:
    question = play.case.question if found.mode is PanelMode.VIEW else None
    return question is not None and place >= len(question.shown)


def _with_cursors(table: Table, session: Session, own: str | None, *, keyed: bool) -> Session:
    for panel, before in session.aims.items():
        stage, stood = session.stage, before.offer or Offer(())
        if isinstance(stage, Play):
            session = _keep_cursor(LiveMatch(table, session), panel, stood, own=panel == own).session
        elif (
            stage.cursor
            and not keyed
            and stage.page is not SetupPage.CHECK
            and stood.page == _set_up_page(session, stage)
        ):
            # A cursor not yet moved stays on what the camera sees first.
            lines = tuple(item.text for item in setup.items(table, session, stage))
            session = replace(session, stage=replace(stage, cursor=_place(lines, stage.cursor, stood.item)))
    return session


def _keep_cursor(live: LiveMatch, panel: str, before: Offer, *, own: bool) -> LiveMatch:
    seat = _seat(live.play, panel)
    page = None if seat is None else _page(live, seat)
    if seat is None or page is None:
        return live
    found = menu_state.standing(live, seat)
    if (page, seat) != (before.page, before.seat):
        place = 0 if found.mode is PanelMode.VIEW else found.cursor
    elif own or before.item is None:
        return live
    else:
        place = _place(menu_state.items(live, seat), found.cursor, before.item)
    return live if place == found.cursor else live.put(seat, replace(found, cursor=place))


def _place(lines: tuple[Text, ...], cursor: int, line: Text | None) -> int:
    if line is None or (cursor < len(lines) and lines[cursor] == line):
        return cursor
    return lines.index(line) if line in lines else 0
