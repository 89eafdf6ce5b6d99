"""Evaluates boosted decision trees without a library."""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt

Row = npt.NDArray[np.float64]


class Trees(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Trees as tuples of nodes, root first.

    value: index of the tested value, -1 for a leaf.
    bar: threshold (up to it `low`, else `high`), or a leaf's addend.
    scale, offset: log odds = offset + scale x sum.
    """

    value: tuple[tuple[int, ...], ...]
    bar: tuple[tuple[float, ...], ...]
    low: tuple[tuple[int, ...], ...]
    high: tuple[tuple[int, ...], ...]
    scale: float
    offset: float


class Forest:
    """Evaluates all trees level by level."""

    def __init__(self, trees: Trees) -> None:
        sizes = [len(tree) for tree in trees.value]
        self._roots = np.cumsum([0, *sizes[:-1]])
        first = np.repeat(self._roots, sizes)
        self._value, self._low, self._high = (
            np.concatenate([np.array(tree, np.intp) for tree in each]) for each in (trees.value, trees.low, trees.high)
        )
        self._bar = np.concatenate([np.array(tree, np.float64) for tree in trees.bar])
        self._low, self._high = self._low + first, self._high + first
        leaf = self._value < 0
        self._low[leaf] = self._high[leaf] = np.flatnonzero(leaf)
        self._added = np.where(leaf, self._bar, 0.0)
        self._value = np.maximum(self._value, 0)
        self._leaf, self._scale, self._offset = leaf, trees.scale, trees.offset

    def height(self, values: Row) -> float:
        """Return the log odds of a row."""
        at = self._roots
        while not self._leaf[at].all():
            at = np.where(values[self._value[at]] <= self._bar[at], self._low[at], self._high[at])
        return self._offset + self._scale * float(self._added[at].sum())
