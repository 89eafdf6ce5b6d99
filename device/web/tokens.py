"""Access to pages: an address with a secret token for the operator, and one for each seat."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from typing import TypeAlias

import msgspec

Seat: TypeAlias = str
"""A seat at the table: "a", "b", "c" or "d"."""


class Audience(msgspec.Struct, frozen=True):
    """Whose page it is. `seat` None: the operator's, who runs the simulation and sees every display."""

    seat: Seat | None

    def may_act_for(self, panel: str) -> bool:
        """True if the page may press the buttons, and move the hand, of that panel or seat."""
        return self.seat is None or panel in (self.seat, "shared")

    def may_hold(self, seat: Seat) -> bool:
        """True if the page shows that seat's hand of cards: a seat's page shows its own alone."""
        return self.seat is None or seat == self.seat

    def may_see(self, display: str) -> bool:
        """True if the page shows that display: a seat's page shows its own alone."""
        return self.seat is None or display == self.seat


class Tokens:
    """A fresh secret a page; none is ever stored."""

    def __init__(self, audiences: Iterable[Audience]) -> None:
        self._secrets = {audience: secrets.token_urlsafe(18) for audience in audiences}

    def of(self, audience: Audience) -> str:
        return self._secrets[audience]

    def audience(self, token: str) -> Audience | None:
        """Whose page the token opens. Every secret is compared, in constant time."""
        found = None
        for audience, secret in self._secrets.items():
            if hmac.compare_digest(secret.encode(), token.encode()):
                found = audience
        return found
