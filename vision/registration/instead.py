"""Which other mat lies where one is looked for in vain: no two mats share a marker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vision.mat import Mat
from vision.registration.markers import Locator

TELLING = 2
"""So many markers of one other mat, and of no third, tell that it lies there instead."""


def others_than(mat: Mat, known: Iterable[Mat]) -> dict[str, Mat]:
    """The mats that may lie there by mistake, by name: those whose markers are of the same dictionary."""
    return {other.name: other for other in known if other.dictionary == mat.dictionary}


def lies_instead(locator: Locator | None, others: Mapping[str, Mat]) -> str:
    """The name of another mat, if its markers were in the last picture that was searched in vain; else ""."""
    if locator is None or locator.seen:
        return ""
    counted = {name: sum(m.id in locator.strange for m in mat.markers) for name, mat in others.items()}
    told = [name for name, count in counted.items() if count >= TELLING]
    return told[0] if len(told) == 1 else ""
