"""What did the player see when they pressed? A press is aimed as the finger goes down, and told as it lets go; a tap
names the list that it was meant for.

What it would accept must have stood on its panel by then, and, if nobody at that panel called it up, for long enough
to be read. A press that was meant for something else does nothing (law 4).
"""

from __future__ import annotations

import msgspec

from device.keys import Button, Gesture, Key
from engine.table import Seat
from engine.text import Text

replace = msgspec.structs.replace
READING_S = 0.5
"""Nobody reads a new question, and presses to answer it, in a shorter time."""


class Offer(msgspec.Struct, frozen=True):
    """What CHOOSE would accept at a panel, in the words of its display.

    page: what is asked. seat: of whom. item: the line under the cursor. among: all lines, if this one means none of the
    others. notice: what stands before it. asks: it comes up as a question, so it has to be read, even by whoever led to
    it. hidden: it stands on no display just now.
    """

    page: tuple[Text | str, ...]
    seat: Seat | None = None
    item: Text | None = None
    among: tuple[Text, ...] = ()
    notice: Text | None = None
    asks: bool = False
    hidden: bool = False


class Aim(msgspec.Struct, frozen=True):
    """One panel: what it offers (None: nothing that a press would decide), since when, and for how long it is read.

    fresh: whoever runs the session has not said yet that a display shows it. down: since when buttons are held.
    """

    offer: Offer | None = None
    since: float = 0.0
    reads: float = 0.0
    fresh: bool = False
    down: dict[Button, float] = {}


def feel(aim: Aim, key: Key) -> Aim:
    """A button goes down, or its press is over."""
    if key.gesture is Gesture.DOWN:
        return replace(aim, down={**aim.down, key.button: key.at})
    if key.gesture in (Gesture.PRESS, Gesture.LONG):
        return replace(aim, down={button: at for button, at in aim.down.items() if button is not key.button})
    return aim


def is_meant(aim: Aim, key: Key) -> bool:
    """True if a gesture is meant for what the panel offers now. Detents and repeats are aimed when they come; a long
    press is no answer to anything."""
    if key.gesture not in (Gesture.PRESS, Gesture.REPEAT):
        return True
    aimed = aim.down.get(key.button, key.at) if key.gesture is Gesture.PRESS else key.at
    if key.button is not Button.CHOOSE:  # who leafs on quickly need not wait for each line to show
        return aim.reads == 0.0 or was_readable(aim, aimed)
    return was_readable(aim, aimed) and not (aim.offer is not None and aim.offer.hidden)


def was_readable(aim: Aim, at: float) -> bool:
    """Return True if what the panel offers could be read by then."""
    return at >= aim.since + aim.reads


def renew_offer(aim: Aim, offer: Offer | None, at: float, *, own: bool) -> Aim:
    """The panel offers this from `at` on. own: a key of the panel itself led there, so its owner knows what comes,
    unless somebody else holds it now."""
    before = aim.offer
    on_page = offer is not None and before is not None and offer.page == before.page
    handed = offer is not None and before is not None and offer.seat != before.seat
    known = offer is None or (own and not handed and (on_page or not offer.asks))
    return replace(aim, offer=offer, since=at, reads=0.0 if known else READING_S, fresh=True)


def note_shown(aim: Aim, at: float) -> Aim:
    """A display has it since `at`: vision may have taken a while to say what led there."""
    return replace(aim, since=max(aim.since, at), fresh=False)


# --- pages


class TapList(msgspec.Struct, frozen=True):
    """A list on a page. serial: raised whenever what a tap would decide changes, or was done, and never used again;
    offers: all that it decides. since: when it came to be; reads: for how long it is read before a tap counts."""

    serial: int = 0
    offers: tuple[object, ...] | None = None
    since: float = 0.0
    reads: float = 0.0


class TapLists(msgspec.Struct, frozen=True):
    """What stands on a page to be tapped."""

    answers: TapList = TapList()
    menu: TapList = TapList()


def list_lines(before: TapList, offers: tuple[object, ...], at: float, *, known: bool, done: bool = False) -> TapList:
    """The page lists this from `at` on. known: its owner's own tap led there, so they know what comes. done: a line of
    the list was, which the page learns from the serial."""
    if offers == before.offers and not done:
        return before
    return TapList(before.serial + 1, offers, at, 0.0 if known else READING_S)


def is_aimed(found: TapList, serial: int, at: float, shown: float) -> bool:
    """True if a tap at this moment on a list of that serial, which its page has since `note_shown`, is meant for it."""
    return serial == found.serial and at >= max(found.since, shown) + found.reads
