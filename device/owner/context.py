"""Defines the daemon's services for the owner's tasks."""

from __future__ import annotations

from typing import Protocol

import msgspec

from device.owner.steps import Task
from device.settings.owner_settings import OwnedSetting
from device.settings.table import Value
from engine.table import Health
from engine.text import Text


class KnownItem(msgspec.Struct, frozen=True):
    """A game or set of pieces. done: its pieces are enrolled."""

    name: str
    title: Text
    done: bool = False


class Facts(msgspec.Struct, frozen=True):
    """Facts about a running table; None where unknown.

    displays: by name, True if it answers.
    looks: it has a camera.
    frame_ms: per picture.
    pages: gateway workers.
    heat_c: °C.
    throttled: firmware flags (`device.owner.health`).
    saved: matches are permanent.
    """

    displays: dict[str, bool] = {}
    looks: bool = False
    camera: Health | None = None
    frame_ms: float = 0.0
    sets: tuple[KnownItem, ...] = ()
    pages: dict[str, int] | None = None
    free_bytes: int | None = None
    free_memory_bytes: int | None = None
    heat_c: float | None = None
    throttled: int | None = None
    saved: bool = True
    safe: bool = False
    version: str = ""


class OwnerContext(Protocol):
    """The daemon's services for the owner's tasks."""

    @property
    def language(self) -> str:
        """The table's language."""
        ...

    @property
    def buttons(self) -> bool:
        """True if the table has its own buttons."""
        ...

    def settings(self) -> tuple[OwnedSetting, ...]:
        """Return the editable settings as of the next start; none in safe mode."""
        ...

    def change(self, key: str, value: Value | None) -> None:
        """Set a setting for the next start; None removes it. Raises OSError, Refused."""
        ...

    def speak(self, code: str) -> None:
        """Change the table's language."""
        ...

    def facts(self) -> Facts: ...

    def games(self) -> tuple[KnownItem, ...]:
        """Return the playable games."""
        ...

    def owner_page(self) -> str:
        """Return the address that claims the table; "" if owned or without pages."""
        ...

    def key(self) -> tuple[str, str]:
        """Return the public key as text and for a QR code, each "" without one."""
        ...

    def table_page(self) -> str:
        """Return the table page's address; "" without pages."""
        ...

    def stage(self) -> int:
        """Return the first run's stored stage."""
        ...

    def reach_step(self, stage: int) -> None:
        """Store the first run's stage, logging a fault."""
        ...

    def at_the_table(self) -> bool:
        """Return True if the choice came from the table's buttons."""
        ...

    def looking(self) -> Task:
        """Begin to show the camera's picture."""
        ...

    def enrolling(self, name: str) -> Task:
        """Begin to enrol a set."""
        ...

    def names(self) -> tuple[str, ...]:
        """Return all names in the table's data."""
        ...

    def forget(self, name: str) -> None:
        """Delete a name everywhere. Raises OSError."""
        ...

    def saving(self) -> Task:
        """Begin to pack enrolled pieces and corrected cards."""
        ...

    def printing(self, game: str, paper: str) -> Task:
        """Begin to make a game's sheets. paper: "a4" or "letter"."""
        ...
