"""The games of a virtual table that is being played at, with whatever its owner corrected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from device.session.table import Known, Table


class Played(Mapping[str, Known]):
    """The games as the table plays them now: an owner may correct what is printed on the cards between two matches.

    now: the table of the session.
    """

    def __init__(self, table: Table) -> None:
        self.now: Callable[[], Table] = lambda: table

    def __getitem__(self, name: str) -> Known:
        return self.now().games[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.now().games)

    def __len__(self) -> int:
        return len(self.now().games)
