"""Boosted decision trees as plain numbers: no library is needed to evaluate them."""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt

Row = npt.NDArray[np.float64]


class Trees(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One tuple a tree, in each one number a node; the first node is the root.

    value: which value a node asks for, -1 for a leaf. bar: at most this and it goes on at `low`, otherwise at `high`
    (nodes of the same tree); what a leaf adds. scale, offset: the logarithm of the odds is offset + scale x the sum.
    """

    value: tuple[tuple[int, ...], ...]
    bar: tuple[tuple[float, ...], ...]
    low: tuple[tuple[int, ...], ...]
    high: tuple[tuple[int, ...], ...]
    scale: float
    offset: float


class Forest:
    """Trees, ready to be asked: all of them go down by a level at a time."""

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
        """Logarithm of the odds that the trees give to a row of values."""
        at = self._roots
        while not self._leaf[at].all():
            at = np.where(values[self._value[at]] <= self._bar[at], self._low[at], self._high[at])
        return self._offset + self._scale * float(self._added[at].sum())
