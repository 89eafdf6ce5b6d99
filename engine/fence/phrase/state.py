"""What is known of a phrase: the incoming action, the answer that a Feint must beat, and who has done what."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Role(StrEnum):
    """What an action is to the player who must answer it: with the kind of card, the row of section 5."""

    ATTACK = "attack"  # the first red card (F25)
    RENEWED = "renewed"  # F170
    RIPOSTE = "riposte"  # F157, F147
    CLOSE_RIPOSTE = "close-riposte"  # the riposte of Infighting (F162)
    COUNTER = "counter"  # a faster cyan card (F37)
    COUNTER_TIME = "counter-time"  # F165


class Speed(msgspec.Struct, frozen=True):
    """A speed, and why: the number printed, and what was added, each with its name."""

    base: int
    parts: tuple[tuple[str, int], ...] = ()

    @property
    def total(self) -> int:
        return self.base + sum(value for _, value in self.parts)


class Blade(msgspec.Struct, frozen=True):
    """An action that scores unless it is answered; a Counter-Time has no speed."""

    side: int
    role: Role
    kind: str
    speed: Speed | None = None


class Beat(msgspec.Struct, frozen=True):
    """One step of a phrase, for the displays: who laid or declared what, and how fast it was."""

    side: int
    what: str
    cards: tuple[str, ...] = ()
    speed: Speed | None = None


class Phrase(msgspec.Struct, frozen=True, tag="phrase"):
    """A phrase in which `turn` must act.

    opener: A, who played the first card, at distance `gap`. first: that attack. incoming: what must be answered; None
    after a plain defence. stopped: the speed that a Feint must beat; None if there is none (after Distance, F140).
    cards: how many each side played that count (F28). barred: who may do nothing more (F87, F153). defended: who used
    the card-less defence (F84). spent: stamina points each paid (F82). kept_away: the defence was Distance.
    """

    opener: int
    gap: int
    first: Blade
    incoming: Blade | None
    turn: int
    stopped: int | None = None
    cards: tuple[int, int] = (0, 0)
    barred: tuple[bool, bool] = (False, False)
    defended: tuple[bool, bool] = (False, False)
    spent: tuple[int, int] = (0, 0)
    kept_away: bool = False
    beats: tuple[Beat, ...] = ()
