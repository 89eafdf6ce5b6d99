"""What can be done in a match, as data."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.table import Seat


class Lay(msgspec.Struct, frozen=True, tag="lay"):
    """A card of the hand is laid face down (R21); a fifth card pushes the oldest out (R22)."""


class Reveal(msgspec.Struct, frozen=True, tag="reveal"):
    """The card laid down is turned up and joins the sequence (R24)."""

    card: str


class Turn(msgspec.Struct, frozen=True, tag="turn"):
    """The pile's top card is turned up for the automatic opponent (R60)."""

    card: str


class Keep(msgspec.Struct, frozen=True, tag="keep"):
    """The card turned up for the confused opponent is played (R61)."""


class Again(msgspec.Struct, frozen=True, tag="again"):
    """The card turned up for the confused opponent is discarded; another will be turned up (R61)."""


class Cast(msgspec.Struct, frozen=True, tag="cast"):
    """A basic spell is announced: name, target, and the cards whose energy runes it uses (R28)."""

    spell: str
    target: Seat
    cards: tuple[str, ...] = ()


class Pass(msgspec.Struct, frozen=True, tag="pass"):
    """No spell (R19), or no answer to one (R51, R53)."""


class Counter(msgspec.Struct, frozen=True, tag="counter"):
    """A Counter Spell is announced (R51); it will be paid card by card."""

    target: Seat


class Mirror(msgspec.Struct, frozen=True, tag="mirror"):
    """A Magic Mirror is announced against the spell that `caster` announced (R53); it will be paid card by card."""

    caster: Seat


class Pay(msgspec.Struct, frozen=True, tag="pay"):
    """A card of the hand is discarded for a special spell (R49, R50)."""

    card: str


class Withdraw(msgspec.Struct, frozen=True, tag="withdraw"):
    """A special spell is not paid; cards already discarded for it are lost."""


class Enough(msgspec.Struct, frozen=True, tag="enough"):
    """No more cards are discarded for a special spell that could take more (R50, as an option)."""


class Forget(msgspec.Struct, frozen=True, tag="forget"):
    """The cards that Forgetfulness turns face down (R45)."""

    cards: tuple[str, ...] = ()


class Draw(msgspec.Struct, frozen=True, tag="draw"):
    """One card is drawn (R57)."""


class Decline(msgspec.Struct, frozen=True, tag="decline"):
    """No more cards are drawn; only where drawing is optional (R57)."""


class Shuffle(msgspec.Struct, frozen=True, tag="excuse"):
    """The Excuse was drawn: pile and discards are shuffled together, it goes back to the middle (R58)."""


Action: TypeAlias = (
    "Lay | Reveal | Turn | Keep | Again | Cast | Pass | Counter | Mirror | Pay | Withdraw | Enough | Forget"
    " | Draw | Decline | Shuffle"
)
