"""Remembers how cards looked: one that is taken away and put back, or covered, is recognised again.

A strip may be all that shows of a card, and nothing need be read off it as long as it looks as it did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.table import Face, Order, Sight
from vision.camera import Image
from vision.finding.pieces import PieceFinder
from vision.finding.zones import zone_of
from vision.mat import MatZone
from vision.tracking.looks import Track

PICTURES = 6
"""So many pictures are kept at most: of cards that were seen last before those, nothing is remembered."""


class Picture(NamedTuple):
    """The picture of a rest, and its sheet under the projection that held then."""

    image: Image
    finder: PieceFinder
    sheet: Image

    def under(self, finder: PieceFinder) -> Image:
        """The sheet as the finder would have made it: a projection fitted anew moves no card."""
        return self.sheet if finder is self.finder else finder.sheet.rectify(self.image)


class Remembered(NamedTuple):
    """A card, what lay on it, and the picture in which it was last seen."""

    track: Track
    above: tuple[Track, ...]
    picture: Picture


class Memory:
    """The cards seen at the last rests. Of a pile only the top is seen, and one back looks like another."""

    def __init__(self) -> None:
        self._known: dict[int, Remembered] = {}

    def forget(self) -> None:
        """The pictures do not count any more: the camera or the mat was moved."""
        self._known = {}

    def keep(self, picture: Picture, tracks: Sequence[Track], zones: Sequence[MatZone]) -> None:
        """What lies there now, the lowest first."""
        for number, track in enumerate(tracks):
            if _plain(track, zones):
                self._known.pop(track.number, None)  # the newest come last
                self._known[track.number] = Remembered(track, tuple(tracks[number + 1 :]), picture)
        named = {track.look.kind: track.number for track in tracks if track.look.sight is Sight.SEEN}
        self._known = _recent({n: one for n, one in self._known.items() if named.get(one.track.look.kind, n) == n})

    def of(self, numbers: Iterable[int]) -> list[Remembered]:
        """What is remembered but of these tracks."""
        return [one for number, one in self._known.items() if number not in numbers]


def _plain(track: Track, zones: Sequence[MatZone]) -> bool:
    zone = zone_of(track.look.x, track.look.y, zones)
    piled = zone is not None and zone.order is Order.PILE
    return track.look.sight is Sight.SEEN and track.look.face is Face.UP and track.look.kind is not None and not piled


def _recent(known: Mapping[int, Remembered]) -> dict[int, Remembered]:
    """Those of the newest pictures."""
    pictures: list[Picture] = []
    for one in list(known.values())[::-1]:
        if not any(one.picture is picture for picture in pictures):
            pictures.append(one.picture)
    newest = pictures[:PICTURES]
    return {n: one for n, one in known.items() if any(one.picture is picture for picture in newest)}
