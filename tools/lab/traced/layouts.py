"""Where pieces lie, drawn from a seed: as players leave them, on zones, near their lines and near each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from prints import Prints
from truth import Laid

STRIP_MM = 18.0
CARD_STEP_MM = 0.45
"""How much higher a card lies on another."""

PACKED_MM = 0.32
"""The same in a pile that was squared."""

PILE = (2, 40)
PILES = (("pile", "down"), ("discards", "up"))


def _near(rng: np.random.Generator, spread: float) -> float:
    return float(np.clip(rng.normal(0, spread / 2), -spread, spread))


def stones(prints: Prints, rng: np.random.Generator) -> list[Laid]:
    """Two to seven stones: a row, the pool, some nearly touching, some near or on a zone's line."""
    told, geometry = prints.describe_set("stones"), prints.geometry("tellstones")
    wide = told["size_mm"][0]
    line, pool = (next(zone["box"] for zone in geometry["zones"] if zone["name"] == name) for name in ("line", "pool"))
    laid: list[Laid] = []
    kinds = list(rng.permutation(told["kinds"])[: rng.integers(2, 8)])
    split = int(rng.integers(0, len(kinds) + 1))
    x = line["x"] + 25 + float(rng.uniform(0, 60))
    for number, kind in enumerate(kinds):
        face = "down" if rng.random() < 0.3 else "up"
        if number < split:
            y = line["y"] + line["height"] / 2 + _near(rng, 26)
            at = (x, y)
            x += wide + (float(rng.uniform(0.6, 3)) if rng.random() < 0.4 else float(rng.uniform(5, 18)))
        else:
            at = _free(rng, laid, pool, wide)
        laid.append(Laid(str(kind), "stones", *at, float(rng.uniform(0, 360)), face))
    return laid


def _free(rng: np.random.Generator, laid: Sequence[Laid], box: dict, wide: float) -> tuple[float, float]:
    """Somewhere in a box or on its line, and some just beside another piece."""
    while True:
        low, most = (box["x"], box["y"] + 12), (box["x"] + box["width"], box["y"] + box["height"])
        at = rng.uniform(low, most)
        if laid and rng.random() < 0.35:
            turn, by = rng.uniform(0, 2 * np.pi), laid[int(rng.integers(len(laid)))]
            at = np.array([by.x, by.y]) + (wide + rng.uniform(0.6, 3)) * np.array([np.cos(turn), np.sin(turn)])
        inside = 50 < at[0] < 370 and 20 < at[1] < 240
        if inside and all(np.hypot(*(at - (one.x, one.y))) > wide + 0.5 for one in laid):
            return float(at[0]), float(at[1])


def runes(prints: Prints, rng: np.random.Generator) -> list[Laid]:
    """Each side's card and sequence, piles, and a counter on each life track."""
    zones, kinds = _zones(prints, "runes"), _shuffle(prints, "decktet", rng)
    laid = _sides(rng, zones, kinds)
    for name, face in PILES:
        if rng.random() < 0.7:
            lie = _card(rng, next(kinds), "decktet", *_middle(zones[name]["box"]), 90.0)
            laid.append(Laid(lie.kind, lie.set, lie.x, lie.y, lie.angle, face))
    return laid


def decks(prints: Prints, rng: np.random.Generator) -> list[Laid]:
    """The same, but both piles lie there and are as high as their cards; the uppermost is told."""
    zones, kinds = _zones(prints, "runes"), _shuffle(prints, "decktet", rng)
    laid = _sides(rng, zones, kinds)
    for name, face in PILES:
        many = int(rng.integers(PILE[0], PILE[1] + 1))
        lie = _card(rng, next(kinds), "decktet", *_middle(zones[name]["box"]), 90.0)
        laid.append(Laid(lie.kind, lie.set, lie.x, lie.y, lie.angle, face, PACKED_MM * (many - 1), pile=many))
    return laid


def _zones(prints: Prints, mat: str) -> dict[str, dict]:
    return {zone["name"]: zone for zone in prints.geometry(mat)["zones"]}


def _shuffle(prints: Prints, of: str, rng: np.random.Generator) -> Iterator[str]:
    return iter([str(kind) for kind in rng.permutation(prints.describe_set(of)["kinds"])])


def _sides(rng: np.random.Generator, zones: dict[str, dict], kinds: Iterator[str]) -> list[Laid]:
    laid: list[Laid] = []
    for side, turn in (("a", 0.0), ("b", 180.0)):
        if rng.random() < 0.8:
            laid.append(_card(rng, next(kinds), "decktet", *_middle(zones[f"card-{side}"]["box"]), turn))
        box = zones[f"sequence-{side}"]["box"]
        strip, many = STRIP_MM + _near(rng, 1.5), int(rng.integers(0, 5))
        for number in range(many):
            off = 31.5 + 1.5 + strip * number
            x = box["x"] + off if side == "a" else box["x"] + box["width"] - off
            shown = 1.0 if number == many - 1 else strip / 63
            lie = _card(rng, next(kinds), "decktet", x, box["y"] + 44, turn, 0.3 * STRIP_MM / 18, CARD_STEP_MM * number)
            laid.append(Laid(lie.kind, lie.set, lie.x, lie.y, lie.angle, "up", lie.z, shown))
        cell = zones[f"life-{side}"]["cells"][int(rng.integers(12))]
        x, y = _middle(cell)
        laid.append(_disc(rng, "life", "counters", x, y, 1.2))
    return laid


def fence(prints: Prints, rng: np.random.Generator) -> list[Laid]:
    """Both lanes, markers on their tracks and the two fencers on the strip."""
    zones, kinds = _zones(prints, "fence"), _shuffle(prints, "fence-cards", rng)
    laid: list[Laid] = []
    for colour, turn in (("green", 0.0), ("red", 180.0)):
        box = zones[f"lane-{colour}"]["box"]
        for number in range(int(rng.integers(1, 6))):
            x = box["x"] + 36 + number * 68 + _near(rng, 2)
            laid.append(_card(rng, next(kinds), "fence-cards", x, box["y"] + 48, turn))
        for of, zone in (("weapon", f"weapon-{colour}"), ("stamina", f"stamina-{colour}")):
            cells = zones[zone]["cells"]
            x, y = _middle(cells[int(rng.integers(len(cells)))])
            laid.append(_disc(rng, f"{colour}-{of}", "fence-markers", x, y, 2))
    for colour, cell in zip(("green", "red"), rng.choice(12, 2, replace=False), strict=True):
        x, y = _middle(zones["strip"]["cells"][int(cell)])
        laid.append(_disc(rng, colour, "fence-figures", x, y, 3))
    return laid


LAYOUTS: dict[str, Callable[[Prints, np.random.Generator], list[Laid]]] = {
    "printed": stones,
    "engraved": stones,
    "runes": runes,
    "fence": fence,
    "decks": decks,
}
"""By group."""


def alone(prints: Prints, mat: str, of: str, kind: str, rng: np.random.Generator) -> Laid:
    """One piece about the mat's middle, as enrolment asks for it; no kind is the back."""
    wide, tall = prints.geometry(mat)["size_mm"]
    x, y = wide * float(rng.uniform(0.3, 0.7)), tall * float(rng.uniform(0.35, 0.62))
    if prints.describe_set(of)["size_mm"][0] == prints.describe_set(of)["size_mm"][1]:
        turn = float(rng.uniform(0, 360))
    else:
        turn = _near(rng, 8) + 180.0 * int(rng.integers(2))
    face = "up" if kind else "down"
    return Laid(kind or prints.describe_set(of)["kinds"][0], of, x, y, turn, face)


def _middle(box: dict) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _disc(rng: np.random.Generator, kind: str, of: str, x: float, y: float, off: float) -> Laid:
    """A disc laid so far beside its mark at most, in any turn."""
    return Laid(kind, of, x + _near(rng, off), y + _near(rng, off), float(rng.uniform(0, 360)), "up")


def _card(
    rng: np.random.Generator, kind: str, of: str, x: float, y: float, turn: float, skew: float = 1.0, z: float = 0.0
) -> Laid:
    """A card laid by hand: 2 mm and 4 degrees askew, times skew."""
    return Laid(kind, of, x + _near(rng, 2 * skew), y + _near(rng, 2), turn + _near(rng, 4 * skew), "up", z)
