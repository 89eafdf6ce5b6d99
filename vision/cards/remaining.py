"""Sorts known cards into unmoved, covered and gone."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.camera import Image
from vision.cards.changes import RIM
from vision.cards.comparing import NEAR_MM, REPLACED, SPOT_MM, STRIP, WHOLE, RestComparison
from vision.cards.sides import sides_gone
from vision.cards.slides import splay_at
from vision.finding.quad import Quad
from vision.finding.zones import zone_of
from vision.tracking.looks import Track, as_covered

PLACE_MM = 8.0
"""Distance of an arrival in a splayed or blank card's place."""

ASKEW = 0.3
"""Visible share of a card under a pile's top."""


def remaining(
    work: RestComparison, fresh: Sequence[Quad], objects: Sequence[Quad] = ()
) -> tuple[list[Track], list[Track], list[Track]]:
    """Return known cards: unmoved, covered, gone. fresh: arrivals; objects: non-cards among them, which cover."""
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
        elif hidden and (piled or not _is_replaced(work, track, fresh)):
            covered.append(as_covered(track))
        elif not hidden and (work.is_unchanged(left) or work.keeps_print(visible)):
            kept.append(track)
        elif not piled and (mask & over_cards).any() and not sides_gone(work, track):
            covered.append(as_covered(track))
        else:
            gone.append(track)
            continue
        lain |= mask
    return kept[::-1], covered[::-1], gone[::-1]


def under(work: RestComparison, strip: Quad) -> frozenset[int]:
    """Return track numbers above the splayed card that a strip replaced; empty without one."""
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


def _covering(work: RestComparison, quads: Sequence[Quad]) -> Image:
    mask = np.zeros_like(work.strange)
    for quad in quads:
        mask |= work.on.mask(quad)
    return mask


def _is_replaced(work: RestComparison, track: Track, fresh: Sequence[Quad]) -> bool:
    """Return True if another card, or a closed-up splay, took the place."""
    zone = zone_of(track.look.x_mm, track.look.y_mm, work.on.zones)
    closed = (zone_of(one.look.x_mm, one.look.y_mm, work.on.zones) for one in work.known if one.number in work.slid)
    return (zone is not None and zone in closed) or work.near(track, fresh, NEAR_MM)
