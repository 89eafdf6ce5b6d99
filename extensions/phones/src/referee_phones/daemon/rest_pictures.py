"""Shows the camera's picture of the mat at rest on the table's page.

A picture may be shown once the camera has plainly seen every piece as everybody knows it, with no hand or unknown
object over the mat and no order, question or repair open (law 5). It is cut at the mat's rim; one not taken before the
next motion is never shown.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping

import msgspec

from device.screens.page_view import MarkView, PageView
from device.session.state import Play, Session
from engine.arbiter import wrong_spots
from engine.entry import Start
from engine.table import Layout, Sighting, Spot, public
from vision.messages import Picture


class _Shown(msgspec.Struct, frozen=True):
    """A picture for everybody. start: of its match. layout: what it shows. found: where its pieces are."""

    start: Start
    layout: Layout
    jpeg: str
    found: Mapping[Spot, Sighting]


class RestPictures:
    """Keeps the newest picture for everybody."""

    def __init__(self) -> None:
        self._newest: Picture | None = None
        self._shown: _Shown | None = None

    def on_picture(self, picture: Picture) -> None:
        """Receive a picture of the mat at rest, before the report on it."""
        self._newest = picture

    def put_in(self, page: PageView, session: Session) -> PageView:
        """Take the newest picture if it may be shown. Return the table's page with the last one taken, while it shows
        what the referee believes, else unchanged."""
        play = session.stage
        if not isinstance(play, Play) or not session.camera_ok or play.case.sightless:
            self._shown = None
            return page
        pending = play.match.pending
        layout = public(play.known.game.layout(play.match.state) if pending is None else pending.before)
        if not session.motion:
            self._take(play, layout)
        shown = self._shown
        if shown is None or (shown.start, shown.layout) != (play.match.start, layout):
            return page
        return msgspec.structs.replace(page, picture=shown.jpeg, marks=tuple(_marks(play, shown)))

    def _take(self, play: Play, layout: Layout) -> None:
        newest, seen = self._newest, play.case.seen
        if newest is None or seen is None or seen.at != newest.at or play.match.pending or play.proposal:
            return
        if (found := play.case.plainly_seen(layout)) is None:
            return
        self._newest = None
        placed = {spot: _as_pictured(one, newest) for spot, one in found.items()}
        self._shown = _Shown(play.match.start, layout, base64.b64encode(newest.jpeg).decode(), placed)


def _as_pictured(sighting: Sighting, picture: Picture) -> Sighting:
    x_mm, y_mm = picture.places[sighting.track]
    return msgspec.structs.replace(sighting, x_mm=x_mm, y_mm=y_mm)


def _marks(play: Play, shown: _Shown) -> Iterator[MarkView]:
    seen = play.case.differing(play.match) if play.case.disorder else None
    wrong = frozenset[Spot]() if seen is None else wrong_spots(shown.layout, seen)
    for spot in sorted(wrong or play.marked):
        if (one := shown.found.get(spot)) is not None:
            yield MarkView(spot.zone, one.x_mm, one.y_mm, one.angle_deg, spot in wrong)
