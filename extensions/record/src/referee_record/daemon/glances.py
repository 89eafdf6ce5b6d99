"""Builds public summaries of the table, on a grid of time."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec

from device.bus.framing import pack
from device.clock import WallTime
from device.daemon.core import Core
from device.locale import translate
from device.screens.page_view import ClockView, PageView
from device.session.matches import LiveMatch, over
from device.session.names import NAME_PAGES, REFUSALS
from device.session.page_views import SET_APART, sheet
from device.session.state import Play, Session, Setup, SetupPage
from device.session.table import Table
from engine.text import Text
from engine.view import Gauge, Panel, Score
from referee_record.daemon.public_socket import GRID_S
from referee_record.public_frames import Glance, Running, Scores, Seated


class Glances:
    """Summarises one table. wall: time of day. wrong: the owner's faults, worst first."""

    def __init__(self, core: Core, wall: Callable[[], WallTime], wrong: Callable[[], tuple[Text, ...]]) -> None:
        self._core, self._wall, self._wrong = core, wall, wrong
        self._last: Glance | None = None
        self._of_match = b""

    def look(self, at: float, anew: bool) -> bytes:
        """Return the summary's frame; b"" if unchanged and not `anew`. at: grid time."""
        core, wrong = self._core, self._wrong()
        seen = summarise(core.table, core.session, core.match, 0.0, wrong)
        if seen == self._last and not anew:
            return b""
        self._last = seen
        clocks = tuple(
            msgspec.structs.replace(each, left_s=round(max(0.0, each.left_s - at), 3)) if each.runs else each
            for each in seen.clocks
        )
        wall = self._wall()
        when = math.ceil(wall.at / GRID_S) * GRID_S if wall.set else None
        frame = pack(msgspec.structs.replace(seen, clocks=clocks, at=when))
        self._of_match = frame if seen.match else self._of_match
        return frame

    def last_frame(self) -> bytes:
        """Return the last frame of a match; b"" without one."""
        return self._of_match


replace = msgspec.structs.replace


def summarise(table: Table, session: Session, match: str, now: float, wrong: tuple[Text, ...] = ()) -> Glance:
    """Return the summary, in English, without refused attempts or names that lack consent. now: the daemon's clock (s).
    wrong: the owner's faults."""
    agreed = _with_names_asked_out_of_sight(_with_agreed_names(session))
    shown, play = sheet(table, _without_attempts(agreed), None), session.stage
    asked = isinstance(play, Play) and (play.case.question is not None or play.proposal is not None)
    needs = (session.unkept, session.unsaved, *wrong, *shown.alert, shown.wanted if asked else None)
    result = play.match.result if isinstance(play, Play) and over(play) else None
    return Glance(
        game=_english(shown.heading),
        match=match if isinstance(play, Play) else "",
        seats=_seated_players(shown) if isinstance(play, Play) else (),
        status=_english(shown.status or shown.wanted),
        scores=tuple(_scores(panel) for panel in shown.panels if isinstance(panel, Score | Gauge)),
        clocks=tuple(_running(hand, now) for hand in shown.clocks),
        paused=isinstance(play, Play) and (play.match.paused or play.resting),
        result="" if result is None else _english(shown.wanted),
        camera=_camera(table, session),
        needs=next((_english(text) for text in needs if text is not None), ""),
        winners=() if result is None else tuple(sorted(result.winners)),
    )


def _english(text: Text | str | None) -> str:
    return translate(text, "en") if isinstance(text, Text) else text or ""


def _without_attempts(session: Session) -> Session:
    play = session.stage
    if not isinstance(play, Play) or not play.attempt:
        return session
    return replace(session, stage=replace(play, alert=()))


def _with_agreed_names(session: Session) -> Session:
    people = {key: person for key, person in session.stage.people.items() if person.leaves}
    return replace(session, stage=replace(session.stage, people=people))


def _with_names_asked_out_of_sight(session: Session) -> Session:
    """Hide names being entered, which lack consent."""
    stage = session.stage
    if not isinstance(stage, Setup):
        return session
    if stage.alert in REFUSALS:
        stage = replace(stage, alert=None)
    if stage.page in NAME_PAGES:
        stage = replace(stage, page=SetupPage.NAMES, asked="", spelt="", letters="")
    return replace(session, stage=stage)


def _seated_players(shown: PageView) -> tuple[Seated, ...]:
    return tuple(
        Seated(each.seat, _english(each.name).strip(SET_APART), _english(each.side), each.turn)
        for each in shown.players
    )


def _scores(panel: Panel) -> Scores:
    if isinstance(panel, Gauge):
        return Scores(_english(panel.label), (("", panel.value),), panel.maximum)
    assert isinstance(panel, Score)
    return Scores(_english(panel.label), tuple((_english(of), count) for of, count in panel.entries), panel.to)


def _running(hand: ClockView, now: float) -> Running:
    if hand.ends is None:
        return Running(hand.seat, hand.left_s or 0.0, runs=False)
    return Running(hand.seat, round(max(0.0, hand.ends - now), 3), runs=True)


def _camera(table: Table, session: Session) -> str:
    if not table.camera or (isinstance(session.stage, Play) and not LiveMatch(table, session).watched):
        return "none"
    return "silent" if session.silence is not None else session.health.value
