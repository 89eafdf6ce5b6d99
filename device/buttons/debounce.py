"""Debounces contacts as a pure fold over raw edges: a level counts after `settle_s` without change."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class DebounceTiming(msgspec.Struct, frozen=True):
    """Times in seconds. settle_s: until a level counts. stuck_s, restless_s: pressed, or bouncing, until stuck."""

    settle_s: float = 0.02
    stuck_s: float = 60.0
    restless_s: float = 3.0


class ContactTurn(StrEnum):
    """A contact's change."""

    DOWN = "down"
    UP = "up"
    STUCK = "stuck"


class Change(msgspec.Struct, frozen=True):
    turn: ContactTurn
    at: float


class Contact(msgspec.Struct, frozen=True):
    """A contact. pressed: valid level. raw: last level.

    since: start of `pressed`.
    raw_at: time of the last edge.
    restless: first edge of bouncing, or None.
    stuck: ignored until released.
    """

    pressed: bool = False
    raw: bool = False
    since: float = 0.0
    raw_at: float = 0.0
    restless: float | None = None
    stuck: bool = False


def begin(pressed: bool, at: float) -> Contact:
    """Return a contact at power-on; one held then must be released first."""
    return Contact(pressed=pressed, raw=pressed, since=at, raw_at=at)


def edge(contact: Contact, timing: DebounceTiming, pressed: bool, at: float) -> tuple[Contact, tuple[Change, ...]]:
    """Return the contact after a raw edge, to the same level if one was lost, and the changes due by then."""
    contact, changes = tick(contact, timing, at)
    if pressed == contact.raw and contact.restless is None:
        return contact, changes
    restless = at if contact.restless is None else contact.restless
    return msgspec.structs.replace(contact, raw=pressed, raw_at=at, restless=restless), changes


def tick(contact: Contact, timing: DebounceTiming, at: float) -> tuple[Contact, tuple[Change, ...]]:
    """Return the contact at `at`, and the changes due by then."""
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
    """Return when `tick` is next needed; None for never."""
    settled = None if contact.restless is None else contact.raw_at + timing.settle_s
    times = [time for time in (settled, _stuck_at(contact, timing)) if time is not None]
    return min(times, default=None)


def _settle(contact: Contact, at: float) -> tuple[Contact, list[Change]]:
    if contact.raw == contact.pressed:
        # A stuck contact that only bounced works again once it rests released.
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
