"""The actions of Ready... Fence!: those of a game turn (F17, F69, F125), and the answers within a phrase."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.fence.cards import Weapon

UNKNOWN = "?"
"""A card that the referee did not see."""


class Keep(msgspec.Struct, frozen=True, tag="keep"):
    """Take the hand as it was dealt (F14), or give up no card (F26)."""


class Mulligan(msgspec.Struct, frozen=True, tag="mulligan"):
    """Demand a new hand (F14, F65)."""


class Move(msgspec.Struct, frozen=True, tag="move"):
    """Squares forward, or back if negative; one is legal (F19)."""

    steps: int


class Change(msgspec.Struct, frozen=True, tag="weapon"):
    """Another weapon position (F21)."""

    position: Weapon


class Exchange(msgspec.Struct, frozen=True, tag="exchange"):
    """Drop a card and draw one: F26, F73, F127."""

    card: str


class Stall(msgspec.Struct, frozen=True, tag="stall"):
    """Rest; `card` is the timer card that is thrown away (F75)."""

    card: str


class Retreat(msgspec.Struct, frozen=True, tag="retreat"):
    """Two squares back as one action (F126)."""


class End(msgspec.Struct, frozen=True, tag="end"):
    """Do no more in this turn (F22)."""


class Play(msgspec.Struct, frozen=True, tag="play"):
    """Lay a card, by its face, with whatever goes with it.

    boost: Angulations (F169). glide: Glide as a bonus to a Parry card (F147). attack: the new attack of a Feint, which
    `boost` then goes with; a Feint without one ends the phrase (F138, F139).
    """

    card: str
    boost: str | None = None
    glide: str | None = None
    attack: str | None = None


class Parry(msgspec.Struct, frozen=True, tag="parry"):
    """Card-less Parry (F86), perhaps with Glide as a bonus (F147)."""

    glide: str | None = None


class Distance(msgspec.Struct, frozen=True, tag="distance"):
    """Card-less Distance; `card` is the hand card that is discarded (F43, F90)."""

    card: str


class Accept(msgspec.Struct, frozen=True, tag="accept"):
    """Answer no more (F36, F60)."""


class Clear(msgspec.Struct, frozen=True, tag="clear"):
    """The table is put in order after a phrase, a step off the strip, or a period."""


class Toss(msgspec.Struct, frozen=True, tag="toss"):
    """The coin fell for this side."""

    side: int


class Passivity(msgspec.Struct, frozen=True, tag="passivity"):
    """Propose the passivity rule for a bout that stands still (F105)."""


class Agree(msgspec.Struct, frozen=True, tag="agree"):
    """Take the passivity rule."""


class Decline(msgspec.Struct, frozen=True, tag="decline"):
    """Go on without the passivity rule."""


Action: TypeAlias = (
    "Keep | Mulligan | Move | Change | Exchange | Stall | Retreat | End | Play | Parry | Distance | Accept | Clear"
    " | Toss | Passivity | Agree | Decline"
)


def cards_of(action: Action) -> tuple[str, ...]:
    """The cards that come from the hand onto the lane, in the order in which they are laid."""
    match action:
        case Play(card, boost, glide, attack):
            return tuple(each for each in (card, attack, glide, boost) if each is not None)
        case Parry(glide) if glide is not None:
            return (glide,)
        case _:
            return ()
