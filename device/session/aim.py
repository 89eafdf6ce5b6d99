"""Decides which question a press or tap was meant to answer.

A press aims when the finger goes down; a tap names its list. An offer counts once readable, or if the panel's own key
led to it (law 4).
"""

from __future__ import annotations

import msgspec

from device.key_gestures import Button, Gesture, Key
from engine.table import Seat
from engine.text import Text

replace = msgspec.structs.replace
READING_S = 0.5
"""Seconds needed to read a new question before answering it."""


class Offer(msgspec.Struct, frozen=True):
    """CHOOSE's decision at a panel.

    page: identifies the page.
    item: the line under the cursor.
    among: all lines, if `item` means none of the others.
    notice: text above the question.
    asks: must be read, whoever's key led to it.
    hidden: the list can't be read, so CHOOSE decides nothing.
    """

    page: tuple[Text | str, ...]
    seat: Seat | None = None
    item: Text | None = None
    among: tuple[Text, ...] = ()
    notice: Text | None = None
    asks: bool = False
    hidden: bool = False


class Aim(msgspec.Struct, frozen=True):
    """One panel's offer.

    offer: None if a press decides nothing.
    reads: seconds to read it, from `since`.
    fresh: not yet shown.
    down: when buttons went down, until their PRESS or LONG.
    """

    offer: Offer | None = None
    since: float = 0.0
    reads: float = 0.0
    fresh: bool = False
    down: dict[Button, float] = {}


def feel(aim: Aim, key: Key) -> Aim:
    """Record when a button goes down; forget it at its PRESS or LONG."""
    if key.gesture is Gesture.DOWN:
        return replace(aim, down={**aim.down, key.button: key.at})
    if key.gesture in (Gesture.PRESS, Gesture.LONG):
        return replace(aim, down={button: at for button, at in aim.down.items() if button is not key.button})
    return aim


def is_meant(aim: Aim, key: Key) -> bool:
    """Return True if a gesture counts.

    A press or repeat counts if its offer was readable when aimed at, but CHOOSE never on a hidden list. Other buttons
    also count on offers without reading time, other gestures always.
    """
    if key.gesture not in (Gesture.PRESS, Gesture.REPEAT):
        return True
    aimed = aim.down.get(key.button, key.at) if key.gesture is Gesture.PRESS else key.at
    if key.button is not Button.CHOOSE:  # quick leafing need not wait for each line to show
        return aim.reads == 0.0 or was_readable(aim, aimed)
    return was_readable(aim, aimed) and not (aim.offer is not None and aim.offer.hidden)


def was_readable(aim: Aim, at: float) -> bool:
    return at >= aim.since + aim.reads


def renew_offer(aim: Aim, offer: Offer | None, at: float, *, own: bool) -> Aim:
    """Return the aim with a new offer, unread for READING_S.

    own: the panel's own key led there; then only another seat's, or another page that asks, is unread.
    """
    before = aim.offer
    on_page = offer is not None and before is not None and offer.page == before.page
    handed = offer is not None and before is not None and offer.seat != before.seat
    known = offer is None or (own and not handed and (on_page or not offer.asks))
    return replace(aim, offer=offer, since=at, reads=0.0 if known else READING_S, fresh=True)


def note_shown(aim: Aim, at: float) -> Aim:
    """Count reading time from `at`, if later: a display has just shown the offer first."""
    return replace(aim, since=max(aim.since, at), fresh=False)


# --- pages


class TapList(msgspec.Struct, frozen=True):
    """A list on a phone's page.

    serial: increases with each change.
    offers: everything a tap would decide.
    reads: seconds to read it.
    """

    serial: int = 0
    offers: tuple[object, ...] | None = None
    since: float = 0.0
    reads: float = 0.0


class TapLists(msgspec.Struct, frozen=True):
    """The two lists on a page."""

    answers: TapList = TapList()
    menu: TapList = TapList()


def list_lines(before: TapList, offers: tuple[object, ...], at: float, *, known: bool, done: bool = False) -> TapList:
    """Return the list from `at` on. known: its owner's tap led there. done: a line was used, so the serial changes."""
    if offers == before.offers and not done:
        return before
    return TapList(before.serial + 1, offers, at, 0.0 if known else READING_S)


def is_aimed(found: TapList, serial: int, at: float, shown: float) -> bool:
    """Return True if a tap at `at` names this list, shown since `shown` and readable by then."""
    return serial == found.serial and at >= max(found.since, shown) + found.reads
