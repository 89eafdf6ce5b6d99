"""What is known of a match beside its entries: its identity, when and where it was played, and how it ended.

No state of a match depends on it (law 1). A match of a journal of format 1 has neither identity nor date.
"""

from __future__ import annotations

import msgspec

from engine.table import Seat


class Ending(msgspec.Struct, frozen=True):
    """How a match ended. at: seconds since 1970 (UTC), or None without a clock; clock_set: whether that clock had been
    set; result: the English sentence; winners: none of them: a draw; seconds: how long it was played."""

    at: float | None
    clock_set: bool
    result: str
    winners: tuple[Seat, ...]
    seconds: float


class Loss(msgspec.Struct, frozen=True):
    """So many entries were lost to a damage; the match goes on from the ones before."""

    after: int
    entries: int


class Secret(msgspec.Struct, frozen=True):
    """What the table keeps to itself of a match until its end. salt: of the commitment, in hexadecimal; committed: it
    was made before the first move; program: the version that made it; format: of the stream that began with it."""

    salt: str
    program: str
    committed: bool = True
    format: int = 1


class About(msgspec.Struct, frozen=True, omit_defaults=True):
    """id: a UUID, as 32 hexadecimal digits. begun: seconds since 1970 (UTC). clock_set: whether the clock had been set
    then: a Raspberry Pi without a network has none of its own. table: the table's name. names: of who sat where,
    and of all who take part in an evening, by their number from 1. agreed: whose of them may leave the table. secret:
    with what its first entry was committed to, if it was.

    Of an imported record: dated: the day on which it was played (ISO 8601); public: all that is known of the match, in
    the words of its public record, as its actions are secret; then its first entry is its only one.
    """

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
        """Entries that are lost, all in all."""
        return sum(loss.entries for loss in self.losses)

    def accounts_for(self, here: int, witnessed: int) -> bool:
        """Return True if it is already known why there are fewer entries than a witness saw."""
        known = (loss.after <= here and loss.after + loss.entries >= witnessed for loss in self.losses)
        return self.dropped or any(known)
