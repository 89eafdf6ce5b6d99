"""Access to pages: a secret token for whoever may see all of it, and one for each seat."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from typing import TypeAlias

import msgspec

Seat: TypeAlias = str
"""A seat at the table: "a", "b", "c" or "d"."""


class Audience(msgspec.Struct, frozen=True):
    """Whose page it is. `seat` None: of whoever runs the program, and may see everything."""

    seat: Seat | None


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
