"""Debouncing as a pure fold over raw edges, with the time handed in.

gpiozero's `bounce_time` drops the edges that follow the first one, so that the last level can be lost. Here every raw
edge counts, and a level is believed once it has held still for `settle_s`. Glitches shorter than that never show.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class DebounceTiming(msgspec.Struct, frozen=True):
    """Seconds. settle_s: a level is believed after it held still so long. stuck_s: pressed so long without a break,
    or bouncing so long without rest, a contact is reported as stuck."""

    settle_s: float = 0.02
    stuck_s: float = 60.0
    restless_s: float = 3.0


class ContactTurn(StrEnum):
    """What became of a contact."""

    DOWN = "down"
    UP = "up"
    STUCK = "stuck"


class Change(msgspec.Struct, frozen=True):
    turn: ContactTurn
    at: float


class Contact(msgspec.Struct, frozen=True):
    """One contact. `pressed` is what is believed, `raw` the last level told.

    since: when `pressed` was last changed. raw_at: the last edge. restless: the first edge after the last rest, or
    None at rest. stuck: it was reported and is out of play until it lets go.
    """

    pressed: bool = False
    raw: bool = False
    since: float = 0.0
    raw_at: float = 0.0
    restless: float | None = None
    stuck: bool = False


def begin(pressed: bool, at: float) -> Contact:
    """A contact as it is found at power-on. One that is held then has been pressed for nobody: it must let go first."""
    return Contact(pressed=pressed, raw=pressed, since=at, raw_at=at)


def edge(contact: Contact, timing: DebounceTiming, pressed: bool, at: float) -> tuple[Contact, tuple[Change, ...]]:
    """A raw edge: the level is `pressed` from `at` on. Edges may repeat a level (one between them was lost)."""
    contact, changes = tick(contact, timing, at)
    if pressed == contact.raw and contact.restless is None:
        return contact, changes
    restless = at if contact.restless is None else contact.restless
    return msgspec.structs.replace(contact, raw=pressed, raw_at=at, restless=restless), changes


def tick(contact: Contact, timing: DebounceTiming, at: float) -> tuple[Contact, tuple[Change, ...]]:
    """Return the contact at `at` and its changes, if no edge came since the last one reported."""
    changes: list[Change] = []
    settled = contact.raw_at + timing.settle_s
    if contact.restless is not None and at >= settled:
        contact, changes = _settle(contact, settled)
    stuck = _stuck_at(contact, timing)
    if stuck is not None and at >= stuck:
        contact = msgspec.structs.replace(contact, stuck=True)
        changes.append(Change(ContactTurn.STUCK, stuck))
    return contact, tuple(changes)


def due(contact: Contact, timing: DebounceTiming) -> float | None:
    """Return when `tick` will report something if no edge comes before; None: never."""
    settled = None if contact.restless is None else contact.raw_at + timing.settle_s
    times = [time for time in (settled, _stuck_at(contact, timing)) if time is not None]
    return min(times, default=None)


def _settle(contact: Contact, at: float) -> tuple[Contact, list[Change]]:
    if contact.raw == contact.pressed:
        # A stuck contact that only bounced comes back into play once it rests released.
        stuck = contact.stuck and contact.pressed
        return msgspec.structs.replace(contact, restless=None, stuck=stuck), []
    changes = [] if contact.stuck else [Change(ContactTurn.DOWN if contact.raw else ContactTurn.UP, at)]
    calm = msgspec.structs.replace(contact, pressed=contact.raw, since=at, restless=None)
    return msgspec.structs.replace(calm, stuck=contact.stuck and contact.raw), changes


def _stuck_at(contact: Contact, timing: DebounceTiming) -> float | None:
    if contact.stuck:
        return None
    times = []
    if contact.restless is not None:
        times.append(contact.restless + timing.restless_s)
    if contact.pressed:
        times.append(contact.since + timing.stuck_s)
    return min(times, default=None)
