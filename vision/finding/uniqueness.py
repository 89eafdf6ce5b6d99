"""Resolves names of pieces where each kind exists once."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from vision.recognition.naming import Naming, PieceSet

SURE_NAME = 0.9
"""Least probability of a name, as in the recogniser."""

FOREIGN = 0.4
"""Share of the recogniser's doubt due to unknown objects."""

DOUBT = 0.3
"""Doubt (1 - confidence) relative to a rival's that keeps a shared name."""


def told_apart(namings: Sequence[Naming], pieces: PieceSet) -> list[Naming]:
    """Resolve names if each kind exists once: drop shared names unless one is far surer, and adopt a guess that is then
    nearly certain."""
    if not pieces.unique:
        return list(namings)
    sure = _drop_doubles(namings, frozenset(pieces.kinds))
    claimed = {naming.kind for naming in sure if naming.kind is not None}
    guesses = [naming.guess for naming in namings]
    free = len(set(pieces.kinds) - claimed) - 1
    told = []
    for naming in sure:
        alone = naming.guess in pieces.kinds and naming.guess not in claimed and guesses.count(naming.guess) == 1
        if naming.kind is None and alone:
            error = (1 - naming.confidence) * (FOREIGN + (1 - FOREIGN) * free / max(1, len(pieces.kinds) - 1))
            if error <= 1 - SURE_NAME:
                told.append(msgspec.structs.replace(naming, kind=naming.guess, confidence=1 - error))
                continue
        told.append(naming)
    return told


def _drop_doubles(namings: Sequence[Naming], kinds: frozenset[str]) -> list[Naming]:
    """Drop shared names unless one is far surer; backs may repeat."""
    believed: list[Naming] = []
    for naming in namings:
        named = [other for other in namings if other.kind in kinds]
        rivals = [other for other in named if other is not naming and other.kind == naming.kind]
        surest = max((other.confidence for other in rivals), default=0.0)
        doubted = naming.kind is not None and 1 - naming.confidence > DOUBT * (1 - surest)
        believed.append(msgspec.structs.replace(naming, kind=None) if rivals and doubted else naming)
    return believed
