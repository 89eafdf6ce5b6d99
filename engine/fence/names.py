"""Cards in words: a kind, and the numbers that tell its faces apart (`straight-thrust 4`)."""

from __future__ import annotations

from engine.fence.actions import UNKNOWN
from engine.fence.cards import KINDS
from engine.fence.deck import PLAIN, Face
from engine.game import Words
from engine.text import Text, say


def card_words(pool: dict[str, Face], name: str) -> Words:
    """How a card is written: its kind, and its speed or whatever else tells its face from others of the kind."""
    if name == UNKNOWN or name not in pool:
        return (name,)
    kind = pool[name].kind
    rest = name[len(kind) + 1 :]
    return (kind, rest) if rest else (kind,)


def kind_of(pool: dict[str, Face], name: str) -> str:
    """The kind of a face, also of one that this mode does not use."""
    if name in pool:
        return pool[name].kind
    return max((kind for kind in KINDS if f"{name}-".startswith(f"{kind}-")), key=len)


def card_text(pool: dict[str, Face], name: str) -> Text:
    """How a card is called: its kind, and its speed if it has one."""
    if name == UNKNOWN or name not in pool:
        return say("a card")
    face = pool[name]
    kind = KINDS[face.kind].name
    if face.speed is None:
        return kind
    if name.endswith(PLAIN):
        return say("{card} {speed} (plain)", card=kind, speed=face.speed)
    return say("{card} {speed}", card=kind, speed=face.speed)


def number_text(pool: dict[str, Face], name: str) -> Text:
    """What tells a face from the others of its kind."""
    face = pool[name]
    if name.endswith(PLAIN):
        return say("Speed {speed} (plain), {points} SP", speed=face.speed or "-", points=face.sp)
    if "sp" in name[len(face.kind) :]:
        return say("Speed {speed}, {points} SP", speed=face.speed or "-", points=face.sp)
    return say("Speed {speed}", speed=face.speed or "-")


def side_name(side: int) -> Text:
    """Green and red (F3)."""
    return say("Green") if side == 0 else say("Red")
