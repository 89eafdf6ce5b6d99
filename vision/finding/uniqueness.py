"""Where each kind exists only once: what the names of several pieces say about each other."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from vision.recognition.naming import Naming, PieceSet

SURE_NAME = 0.9
"""A name is given from this probability on, as the recogniser does."""

FOREIGN = 0.4
"""Share of the recogniser's doubt that is about things of no kind; the rest is about the other kinds."""

DOUBT = 0.3
"""A rival of the same name is dismissed if its doubt (1 - confidence) is more than three times as great."""


def told_apart(namings: Sequence[Naming], pieces: PieceSet) -> list[Naming]:
    """Return the namings after what they say of each other, where each kind exists once. Of several pieces with one
    name none is believed, unless one is by far surer. A piece that is only just not named is named if the kinds it
    might be lie elsewhere in full sight."""
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
    """Return the namings without double names, unless one is by far surer. A back is no kind: all have one."""
    believed: list[Naming] = []
    for naming in namings:
        named = [other for other in namings if other.kind in kinds]
        rivals = [other for other in named if other is not naming and other.kind == naming.kind]
        surest = max((other.confidence for other in rivals), default=0.0)
        doubted = naming.kind is not None and 1 - naming.confidence > DOUBT * (1 - surest)
        believed.append(msgspec.structs.replace(naming, kind=None) if rivals and doubted else naming)
    return believed
