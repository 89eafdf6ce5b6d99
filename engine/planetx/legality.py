"""Whether a single board is legal, and every clause that it breaks (X1-X7)."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import Breach
from engine.planetx.facts import board_masks
from engine.planetx.names import PLURALS
from engine.planetx.sky import KINDS, Mode, beside, mask_of, sectors_of, spans
from engine.text import say


def faults(mode: Mode, board: str) -> tuple[Breach, ...]:
    """Every clause that a board of letters breaks; () if it is legal."""
    if len(board) != mode.sectors or not set(board) <= set(KINDS):
        text = say("A board has {n} letters among {letters}.", n=mode.sectors, letters=KINDS)
        return (Breach("X1", text),)
    masks = board_masks(board)
    return (*_numbers(mode, masks), *_places(mode, masks))


def _numbers(mode: Mode, masks: Mapping[str, int]) -> tuple[Breach, ...]:
    """X2: how many of each kind."""
    wrong = [kind for kind in KINDS if masks[kind].bit_count() != mode.count(kind)]
    return tuple(
        Breach(
            "X2",
            say(
                "There are {found} {objects}; there must be {count}.",
                found=masks[kind].bit_count(),
                objects=PLURALS[kind],
                count=mode.count(kind),
            ),
        )
        for kind in wrong
    )


def _places(mode: Mode, masks: Mapping[str, int]) -> tuple[Breach, ...]:
    """X3-X7: where they stand."""
    n = mode.sectors
    comets = _listed(masks["C"] & ~mask_of(mode.comet_sectors))
    asteroids = _listed(masks["A"] & ~beside(masks["A"], n))
    clouds = _listed(masks["G"] & ~beside(masks["E"], n))
    planet = _listed(masks["X"] & beside(masks["D"], n))
    broken = []
    if comets:
        broken.append(Breach("X3", say("The comets in sectors {sectors} are not allowed there.", sectors=comets)))
    if asteroids:
        text = say("The asteroids in sectors {sectors} touch no other asteroid.", sectors=asteroids)
        broken.append(Breach("X4", text))
    if clouds:
        text = say("The gas clouds in sectors {sectors} touch no truly empty sector.", sectors=clouds)
        broken.append(Breach("X5", text))
    if planet:
        broken.append(Breach("X6", say("Planet X in sector {sectors} touches a dwarf planet.", sectors=planet)))
    if mode.dwarf_band is not None and not spans(masks["D"], mode.dwarf_band, n):
        text = say("The dwarf planets do not span a band of exactly {n} sectors.", n=mode.dwarf_band)
        broken.append(Breach("X7", text))
    return tuple(broken)


def _listed(mask: int) -> str:
    return ", ".join(map(str, sectors_of(mask)))
