"""Describes a match beside its entries. No game state depends on it (law 1)."""

from __future__ import annotations

import msgspec

from engine.table import Seat


class Ending(msgspec.Struct, frozen=True):
    """A match's end.

    at: seconds since 1970 (UTC), or None.
    clock_set: that clock was right.
    result: in English.
    winners: none for a draw.
    seconds: length of the match."""

    at: float | None
    clock_set: bool
    result: str
    winners: tuple[Seat, ...]
    seconds: float


class Loss(msgspec.Struct, frozen=True):
    """Damage that lost `entries` entries after the first `after`; the match continues there."""

    after: int
    entries: int


class Secret(msgspec.Struct, frozen=True):
    """A signed record's secret until the match ends. salt: hexadecimal. committed: before the first move. format: of
    the stream."""

    salt: str
    program: str
    committed: bool = True
    format: int = 1


class About(msgspec.Struct, frozen=True, omit_defaults=True):
    """A match's description.

    id: UUID, 32 hexadecimal digits.
    begun: seconds since 1970 (UTC).
    clock_set: the clock was right.
    names: by seat or player number.
    agreed: keys of names that may leave the table.
    dated: imported day (ISO 8601).
    public: imported record of secret actions.
    forgotten: keys of deleted names.
    dropped: its entries were erased."""

    id: str = ""
    begun: float | None = None
    clock_set: bool = False
    table: str = ""
    names: dict[str, str] = {}
    agreed: tuple[str, ...] = ()
    ended: Ending | None = None
    losses: tuple[Loss, ...] = ()
    secret: Secret | None = None
    dated: str = ""
    public: str = ""
    forgotten: tuple[str, ...] = ()
    dropped: bool = False

    @property
    def lost(self) -> int:
        """Total of lost entries."""
        return sum(loss.entries for loss in self.losses)

    def accounts_for(self, here: int, witnessed: int) -> bool:
        """Return True if erasing or a known loss explains why only `here` of `witnessed` entries are left."""
        known = (loss.after <= here and loss.after + loss.entries >= witnessed for loss in self.losses)
        return self.dropped or any(known)
