"""Two rows in order, of which one has more: which of one is which of the other."""

from __future__ import annotations

from collections.abc import Callable

Pair = tuple[int, int]


def aligned(first: int, second: int, worth: Callable[[int, int], int]) -> tuple[Pair, ...]:
    """The pairing in order that is worth most, as numbers in both rows; what is worth 0 is never paired.

    first, second: the lengths of the rows. worth: of a number in the first with one in the second.
    """
    best: list[tuple[int, tuple[Pair, ...]]] = [(0, ())] * (second + 1)
    for one in range(first):
        row = [best[0]]
        for other in range(second):
            score, pairs = best[other]
            options = [best[other + 1], row[-1]]
            if (gain := worth(one, other)) > 0:
                options.append((score + gain, (*pairs, (one, other))))
            row.append(max(options, key=lambda option: option[0]))
        best = row
    return best[-1][1]
