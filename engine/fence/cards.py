"""The 18 kinds of cards: names, notation, and the deck of 54 as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, TypeAlias

import msgspec

from engine.errors import Ambiguous, Invalid
from engine.game import Words
from engine.text import Text, many, say
from engine.view import NamedCard

UNKNOWN = "?"
"""A card that the referee did not see."""

PLAIN = "plain"
"""Suffix of a face that differs from the yellow one by colour only."""


def side_name(side: int) -> Text:
    """Return Green or Red (F3)."""
    return say("Green") if side == 0 else say("Red")


class Colour(StrEnum):
    """The colours' uses (F175): red attacks, blue parries, cyan counter-attacks, orange supports, gold is Joker."""

    RED = "red"
    BLUE = "blue"
    CYAN = "cyan"
    ORANGE = "orange"
    GOLD = "gold"


COLOURS: dict[Colour, Text] = {
    Colour.RED: say("Red cards"),
    Colour.BLUE: say("Blue cards"),
    Colour.CYAN: say("Cyan cards"),
    Colour.ORANGE: say("Orange cards"),
    Colour.GOLD: say("Gold cards"),
}


def colour_name(kind: str) -> Text:
    return COLOURS[KINDS[kind].colours[0]]


class Weapon(StrEnum):
    """Weapon positions (F7)."""

    LINE = "line"
    INVITATION = "invitation"
    ENGAGEMENT = "engagement"


WEAPONS: dict[Weapon, Text] = {
    Weapon.LINE: say("Point-in-Line"),
    Weapon.INVITATION: say("Invitation"),
    Weapon.ENGAGEMENT: say("Engagement"),
}

ANY = frozenset(Weapon)


class CardKind(msgspec.Struct, frozen=True):
    """A kind of card.

    clause: its text
    timed: has a speed
    gap: opening distance in empty squares; None never opens
    against: opponent's weapon positions against which it may open
    boost: extra speed with the own weapon in `own` and the opponent's in `other`"""

    name: Text
    colours: tuple[Colour, ...]
    copies: int
    clause: str
    timed: bool = True
    gap: int | None = None
    against: frozenset[Weapon] = ANY
    boost: int = 0
    own: frozenset[Weapon] = ANY
    other: frozenset[Weapon] = frozenset()


_R, _B, _C, _O, _G = Colour
_NOT_INVITED = frozenset({Weapon.LINE, Weapon.ENGAGEMENT})
_LINE = frozenset({Weapon.LINE})

LUNGE, SHORT, LONG = 1, 0, 2
"""Distances in empty squares."""

ONE_DISTANCE = "F33"
"""The tutorial's only opening distance is the lunge."""

PRICE = "F78"

KINDS: dict[str, CardKind] = {
    "straight-thrust": CardKind(
        say("Straight Thrust"),
        (_R,),
        6,
        "F141",
        gap=LUNGE,
        boost=2,
        own=_LINE,
        other=frozenset({Weapon.INVITATION}),
    ),
    "beat-thrust": CardKind(
        say("Beat Thrust"), (_R,), 4, "F142", gap=LUNGE, against=_NOT_INVITED, boost=1, other=_LINE
    ),
    "disengage": CardKind(say("Disengage"), (_R, _C), 4, "F144", gap=LUNGE, against=frozenset({Weapon.ENGAGEMENT})),
    "toe-touch": CardKind(say("Toe-Touch"), (_R,), 2, "F145", gap=LUNGE),
    "glide-attack": CardKind(say("Glide Attack"), (_R,), 2, "F146", gap=LUNGE, against=_LINE),
    "flick": CardKind(say("Flick"), (_R,), 2, "F148", gap=LUNGE, against=_NOT_INVITED, boost=1, other=_LINE),
    "flanconade": CardKind(say("Flanconade"), (_R,), 2, "F149", gap=LUNGE, against=_LINE),
    "fleche": CardKind(say("Fleche"), (_R,), 3, "F150", gap=LONG),
    "parry-riposte": CardKind(say("Parry and Riposte"), (_B, _R), 4, "F156"),
    "ceding-parry": CardKind(say("Ceding Parry"), (_B,), 2, "F160"),
    "infighting": CardKind(say("Infighting"), (_B, _R), 3, "F161", gap=SHORT),
    "stop-hit": CardKind(say("Stop Hit"), (_C,), 7, "F163"),
    "counter-time": CardKind(say("Counter-Time"), (_B,), 3, "F165", timed=False),
    "feint-in-time": CardKind(say("Feint in Time"), (_C,), 2, "F166", timed=False),
    "joker": CardKind(say("Joker"), (_G,), 2, "F167", timed=False),
    "angulations": CardKind(say("Angulations"), (_O, _C), 2, "F169", timed=False),
    "renewed-attack": CardKind(say("Renewed Attack"), (_O,), 2, "F170", timed=False),
    "feint": CardKind(say("Feint"), (_O,), 2, "F137", timed=False),
}

ATTACKS = frozenset(name for name, kind in KINDS.items() if kind.gap is not None)


class CardFace(msgspec.Struct, frozen=True):
    """A card's printed values. sp: stamina points. count: copies in the mode's deck. mandatory: yellow."""

    kind: str
    speed: int | None
    sp: int
    count: int
    mandatory: bool = False


Pool: TypeAlias = dict[str, CardFace]


def faces_of(pool: Pool, *kinds: str) -> tuple[str, ...]:
    return tuple(name for name, face in pool.items() if face.kind in kinds)


def any_card(pool: Pool) -> tuple[str, ...]:
    return (*pool, UNKNOWN)


# --- names


def kind_of(pool: Pool, name: str) -> str:
    if name in pool:
        return pool[name].kind
    return max((kind for kind in KINDS if f"{name}-".startswith(f"{kind}-")), key=len)


def kind_name(kind: str) -> Text:
    return KINDS[kind].name


def card_text(pool: Pool, name: str) -> Text:
    if name == UNKNOWN or name not in pool:
        return say("a card")
    face = pool[name]
    kind = kind_name(face.kind)
    if face.speed is None:
        return kind
    if name.endswith(PLAIN):
        return say("{card} {speed} (plain)", card=kind, speed=face.speed)
    return say("{card} {speed}", card=kind, speed=face.speed)


def number_text(pool: Pool, name: str) -> Text:
    face = pool[name]
    if name.endswith(PLAIN):
        return say("Speed {speed} (plain), {points} SP", speed=face.speed or "-", points=face.sp)
    if "sp" in name[len(face.kind) :]:
        return say("Speed {speed}, {points} SP", speed=face.speed or "-", points=face.sp)
    return say("Speed {speed}", speed=face.speed or "-")


def named_card(pool: Pool, name: str) -> NamedCard:
    """Return a face as pages draw it: a row for each kind, by speed."""
    face = pool[name]
    return NamedCard(name, [*KINDS].index(face.kind), face.speed or 0, kind_name(face.kind))


# --- notation


class FaceName(str):
    """A word that names a face of the owner's deck, alone (`words` 1) or with the next (2)."""

    face: str
    words: int

    @classmethod
    def of(cls, word: str, face: str, words: int = 1) -> FaceName:
        named = cls(word)
        named.face, named.words = face, words
        return named


def spell(faces: dict[str, str], names: frozenset[str], words: Words) -> Words:
    """Normalize the words after a verb, and mark cards (`FaceName`).

    faces: face name by copy id. names: all face names."""
    small = [faces.get(word.upper(), word.lower()) for word in words]
    found: list[str] = []
    for word, after in zip(small, (*small[1:], ""), strict=False):
        if word in KINDS:
            face = f"{word}-{after}"
            found.append(FaceName.of(word, face, 2) if face in names else word)
        else:
            found.append(FaceName.of(word, word) if word in names else word)
    return tuple(found)


def card_words(pool: Pool, name: str) -> Words:
    """Return a card's notation: kind, then suffix, such as the speed."""
    if name == UNKNOWN or name not in pool:
        return (name,)
    kind = pool[name].kind
    rest = name[len(kind) + 1 :]
    return (kind, rest) if rest else (kind,)


def read_cards(pool: Pool, words: Words, marks: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the faces named, of any mode, and the words that are `marks`. Raises Invalid for unknown words or speeds,
    else Ambiguous for missing speeds."""
    cards: list[str] = []
    marked: list[str] = []
    unclear: Ambiguous | None = None
    left = list(words)
    while left:
        word = left[0]
        if word in marks:
            marked.append(word)
        elif isinstance(word, FaceName):
            cards.append(word.face)
            del left[1 : word.words]
        elif word in KINDS:
            try:
                cards.append(_only_face(pool, word, left[1:]))
            except Ambiguous as several:
                unclear = unclear or several
        else:
            raise Invalid(say("There is no card {word}.", word=word))
        del left[0]
    if unclear is not None:
        raise unclear
    return tuple(cards), tuple(marked)


def _only_face(pool: Pool, kind: str, after: Sequence[str]) -> str:
    name = kind_name(kind)
    if after and after[0].isdigit():
        raise Invalid(say("There is no {card} of speed {number}.", card=name, number=after[0]))
    found = [face for face in pool if kind_of(pool, face) == kind]
    if len(found) > 1:
        raise Ambiguous(say("Which {card}? Say its speed.", card=name))
    return found[0] if found else kind


# --- the deck as data

SourceName = Literal["seed", "owner", "assumed"]
"""Source of a value: rulebook, owner of a real deck, or our guess."""

TOTALS = {"tutorial": 41, "basic": 35, "advanced": 54}

OF_MODE = "F1"

FORCED: dict[str, tuple[int, ...]] = {
    "straight-thrust": (3, 3, 4, 5, 6),
    "beat-thrust": (4, 5),
    "flick": (4, 5),
    "parry-riposte": (4, 5, 6),
    "ceding-parry": (4, 4),
    "stop-hit": (4, 5, 6),
}
"""Speeds that card texts imply (section 1 of the rules)."""

_MARKS = {mark: mark.replace("_t", "_T").replace("_b", "_B") for mark in ("mark_t", "mark_b")}
_NAMES = _MARKS | {f"{mark}_source": f"{name}_source" for mark, name in _MARKS.items()}


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename=_NAMES):
    """One copy. sp: stamina points. mark_t, mark_b: used in tutorial, basic mode; written mark_T, mark_B in data."""

    id: str
    kind: str
    speed: int | None = None
    speed_source: SourceName
    sp: int
    sp_source: SourceName
    mark_t: bool
    mark_t_source: SourceName
    mark_b: bool
    mark_b_source: SourceName
    mandatory: bool = False


class Deck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cards: tuple[Card, ...]


class CardFault(msgspec.Struct, frozen=True):
    clause: str
    where: str
    problem: Text


def read_deck(data: Mapping[str, Any]) -> Deck:
    """Read decoded config/decks/fence.toml. Raises KeyError or msgspec.ValidationError."""
    return msgspec.convert({"cards": data["cards"]}, Deck)


def cards_of(deck: Deck, mode: str) -> tuple[Card, ...]:
    return tuple(card for card in deck.cards if _is_used(card, mode))


def _is_used(card: Card, mode: str) -> bool:
    return {"tutorial": card.mark_t, "basic": card.mark_b}.get(mode, True)


def face_ids(deck: Deck) -> dict[str, str]:
    """Return face names by copy id, such as `straight-thrust-4`, with `-sp1` if only stamina differs, and `-plain` if
    only the colour differs from yellow (F66)."""
    prices: dict[tuple[str, int | None], set[int]] = {}
    yellow = {(card.kind, card.speed, card.sp) for card in deck.cards if card.mandatory}
    for card in deck.cards:
        prices.setdefault((card.kind, card.speed), set()).add(card.sp)
    return {
        card.id: _face_id(
            card,
            priced=len(prices[card.kind, card.speed]) > 1,
            plain=not card.mandatory and (card.kind, card.speed, card.sp) in yellow,
        )
        for card in deck.cards
    }


def names(card: Card) -> frozenset[str]:
    return frozenset({_face_id(card, priced=False), _face_id(card, priced=True)})


def _face_id(card: Card, priced: bool, plain: bool = False) -> str:
    speed = () if card.speed is None else (str(card.speed),)
    return "-".join((card.kind, *speed, *((f"sp{card.sp}",) if priced else ()), *((PLAIN,) if plain else ())))


def faces(deck: Deck, mode: str) -> dict[str, CardFace]:
    ids, used = face_ids(deck), cards_of(deck, mode)
    counts = Counter(ids[card.id] for card in used)
    found: dict[str, CardFace] = {}
    for card in used:
        face = ids[card.id]
        found.setdefault(face, CardFace(card.kind, card.speed, card.sp, counts[face], card.mandatory))
    return found


def edit(deck: Deck, card_id: str, changes: Mapping[str, int | bool | None]) -> Deck:
    """Return the deck with an owner's values of one copy, and "owner" as their source. Raises KeyError for an unknown
    copy or value name, msgspec.ValidationError for a wrong type."""
    found = next((card for card in deck.cards if card.id == card_id), None)
    if found is None:
        raise KeyError(card_id)
    fields = {"speed", "sp", "mark_T", "mark_B"}
    if unknown := set(changes) - fields:
        raise KeyError(", ".join(sorted(unknown)))
    values = dict(changes) | {f"{name}_source": "owner" for name in changes}
    after = msgspec.convert(msgspec.to_builtins(found) | values, Card)
    return Deck(tuple(after if card.id == card_id else card for card in deck.cards))


def check(deck: Deck) -> tuple[CardFault, ...]:
    return (*_totals(deck), *_copies(deck), *_speeds(deck), *_mandatory(deck), *_prices(deck), *_marks(deck))


def _totals(deck: Deck) -> Iterator[CardFault]:
    for mode, total in TOTALS.items():
        count = len(cards_of(deck, mode))
        if count != total:
            clause = "F62" if mode == "basic" else OF_MODE
            problem = many("{count} card instead of {total}", "{count} cards instead of {total}", count, total=total)
            yield CardFault(clause, mode, problem)
    for card_id, count in Counter(card.id for card in deck.cards).items():
        if count > 1:
            yield CardFault(OF_MODE, card_id, say("the id occurs more than once"))


def _copies(deck: Deck) -> Iterator[CardFault]:
    found = Counter(card.kind for card in deck.cards)
    for name, kind in KINDS.items():
        if found[name] != kind.copies:
            problem = many(
                "{count} copy instead of {total}", "{count} copies instead of {total}", found[name], total=kind.copies
            )
            yield CardFault(kind.clause, name, problem)
    for name in sorted(set(found) - set(KINDS)):
        yield CardFault(OF_MODE, name, say("there is no such kind"))


def _speeds(deck: Deck) -> Iterator[CardFault]:
    for card in deck.cards:
        timed = card.kind in KINDS and KINDS[card.kind].timed
        if timed and not (card.speed is not None and 1 <= card.speed <= 9):
            yield CardFault("F34", card.id, say("its speed must be 1 to 9"))
        if not timed and card.speed is not None:
            yield CardFault("F34", card.id, say("this kind has no speed"))
    for kind, wanted in FORCED.items():
        missing = Counter(wanted) - Counter(card.speed or 0 for card in deck.cards if card.kind == kind)
        if missing:
            speeds = ", ".join(str(speed) for speed in sorted(missing.elements()))
            yield CardFault(KINDS[kind].clause, kind, say("its text names speed {speeds}", speeds=speeds))


def _mandatory(deck: Deck) -> Iterator[CardFault]:
    yellow = [card for card in deck.cards if card.mandatory]
    right = [card for card in yellow if card.kind == "straight-thrust" and card.speed == 3 and card.mark_b]
    if len(yellow) != 2 or len(right) != 2:
        yield CardFault("F66", "straight-thrust", say("it needs two yellow cards of speed 3 with mark B"))
    elif len({face_ids(deck)[card.id] for card in right}) != 1:
        yield CardFault("F66", "straight-thrust", say("the two yellow cards must show the same numbers"))


def _prices(deck: Deck) -> Iterator[CardFault]:
    for card in deck.cards:
        if not 0 <= card.sp <= 6:
            yield CardFault(PRICE, card.id, say("its stamina points must be 0 to 6"))


def _marks(deck: Deck) -> Iterator[CardFault]:
    for card in deck.cards:
        if card.kind == "feint" and (card.mark_t or card.mark_b):
            yield CardFault(KINDS["feint"].clause, card.id, say("it is used in the advanced mode only"))
        if card.kind in ("infighting", "fleche") and card.mark_t:
            yield CardFault(ONE_DISTANCE, card.id, say("it cannot be played at the tutorial's only distance"))
