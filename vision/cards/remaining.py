"""Sorts the cards of the rest before: which lie as they did, which are covered, which are gone."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.camera import Image
from vision.cards.changes import RIM
from vision.cards.comparing import NEAR_MM, REPLACED, SPOT_MM, STRIP, WHOLE, Comparison
from vision.cards.sides import sides_gone
from vision.cards.slides import splay_at
from vision.finding.quad import Quad
from vision.finding.zones import zone_of
from vision.tracking.looks import Track, as_covered

PLACE_MM = 8.0
"""A strip that came so near to where a card of a splay lay took its place among the others; what came so near to a card
of which only plain paper is left to be seen took its place, too.
"""

ASKEW = 0.3
"""So much of a card may show under the one that lies on it in a pile."""


def remaining(
    work: Comparison, fresh: Sequence[Quad], objects: Sequence[Quad] = ()
) -> tuple[list[Track], list[Track], list[Track]]:
    """Of the cards known before: those that lie as they did, those that are covered, and those that are gone.

    fresh: what came. objects: those of it that are no cards, as far as can be told: what they lie on is covered.
    """
    lain, over_cards = np.zeros_like(work.strange), _covering(work, objects)
    cards = [quad for quad in fresh if quad not in objects]
    higher = [under(work, quad) if quad.shown < WHOLE else frozenset[int]() for quad in fresh]
    kept, covered, gone = list[Track](), list[Track](), list[Track]()
    around = np.ones((RIM, RIM), np.uint8)
    for track in reversed(work.known):
        news = _covering(work, [quad for quad, above in zip(fresh, higher, strict=True) if track.number not in above])
        over = cv2.dilate(news, around)
        mask, visible = work.on.mask(work.on.quad(track.look)), work.shows(track)
        left = np.asarray(visible & (over == 0), np.uint8)
        piled = work.in_pile(track.look.x_mm, track.look.y_mm)
        plain = not work.shows_print(np.asarray(cv2.erode(left, around), np.uint8))
        near = not piled and work.near(track, cards, PLACE_MM if plain else SPOT_MM)
        shows = ASKEW if piled else REPLACED if near else STRIP
        hidden = np.count_nonzero(mask & (news == 0) & (lain == 0)) < shows * work.on.area
        if track.number in work.still:
            kept.append(track)
        elif hidden and (piled or not _replaced(work, track, fresh)):
            covered.append(as_covered(track))
        elif not hidden and (work.unchanged(left) or work.keeps_print(visible)):
            kept.append(track)
        elif not piled and (mask & over_cards).any() and not sides_gone(work, track):
            covered.append(as_covered(track))
        else:
            gone.append(track)
            continue
        lain |= mask
    return kept[::-1], covered[::-1], gone[::-1]


def under(work: Comparison, strip: Quad) -> frozenset[int]:
    """Tracks of the cards that lay on the one whose place in a splay a strip took; none if it took nobody's."""
    x, y = work.place(strip)
    if splay_at(work.on, x, y) is None:
        return frozenset()
    apart = {
        number: float(np.hypot(track.look.x_mm - x, track.look.y_mm - y))
        for number, track in enumerate(work.known)
        if track.number not in work.still
    }
    nearest = min(apart, key=lambda number: apart[number], default=None)
    if nearest is None or apart[nearest] > PLACE_MM:
        return frozenset()
    return frozenset(track.number for track in work.known[nearest + 1 :])


def _covering(work: Comparison, quads: Sequence[Quad]) -> Image:
    """Mask (0/1) of what rectangles cover."""
    mask = np.zeros_like(work.strange)
    for quad in quads:
        mask |= work.on.mask(quad)
    return mask


def _replaced(work: Comparison, track: Track, fresh: Sequence[Quad]) -> bool:
    """A card that lies just where another lay was put in its place, or is the same, turned over.

    Cards of a splay close up over the place of one that is gone.
    """
    zone = zone_of(track.look.x_mm, track.look.y_mm, work.on.zones)
    closed = (zone_of(one.look.x_mm, one.look.y_mm, work.on.zones) for one in work.known if one.number in work.slid)
    return (zone is not None and zone in closed) or work.near(track, fresh, NEAR_MM)
