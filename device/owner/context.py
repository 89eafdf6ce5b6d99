"""What the owner's tasks need of the daemon, and what it knows of a running table. Nothing of a match is in it."""

from __future__ import annotations

from typing import Protocol

import msgspec

from device.owner.steps import Task
from device.settings.owner_settings import OwnedSetting
from device.settings.table import Value
from engine.table import Health
from engine.text import Text


class KnownItem(msgspec.Struct, frozen=True):
    """A game or a set of pieces. name: its id; title: for people; done: whether its pieces are enrolled."""

    name: str
    title: Text
    done: bool = False


class Facts(msgspec.Struct, frozen=True):
    """A running table now.

    displays: by name, whether it answers. looks: it has a camera; camera: how its newest picture is, None before any;
    frame_ms: what a look takes. sets: those of the games here. pages: workers of the gateway by the audience, None
    without pages. free_bytes: on the disk; heat_c: degrees Celsius; throttled: the firmware's flags of power and heat.
    saved: whether what is played outlasts power-off. What this machine does not tell is None.
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
    """The daemon, as the owner's tasks see it. What it makes of a task runs as long as that is not over."""

    @property
    def language(self) -> str:
        """Return the language of the table."""
        ...

    @property
    def buttons(self) -> bool:
        """True if the table has buttons of its own."""
        ...

    def settings(self) -> tuple[OwnedSetting, ...]:
        """Return the settings of the table file that its owner may change, as they will be at the next start; none in
        safe mode."""
        ...

    def change(self, key: str, value: Value | None) -> None:
        """A setting's value from the next start on; None: as the table file says. Raises OSError, and Refused if what
        was chosen before cannot be read."""
        ...

    def speak(self, code: str) -> None:
        """The table speaks this language from now on."""
        ...

    def facts(self) -> Facts: ...

    def games(self) -> tuple[KnownItem, ...]:
        """Return what can be played, and printed."""
        ...

    def owner_page(self) -> str:
        """The address that claims the table; "" if somebody owns it, or without pages."""
        ...

    def key(self) -> tuple[str, str]:
        """Return the key of what the table signed, for people and for a QR code; "" if it cannot be used."""
        ...

    def table_page(self) -> str:
        """The address of the table's page; "" without pages."""
        ...

    def stage(self) -> int:
        """Return how far the first run has come."""
        ...

    def reach_step(self, stage: int) -> None:
        """The first run has come so far; it goes on there, also after power-off."""
        ...

    def at_the_table(self) -> bool:
        """Return True if the present choice is made at the table's own buttons, so by somebody who is there."""
        ...

    def looking(self) -> Task:
        """Shows the camera's picture."""
        ...

    def enrolling(self, name: str) -> Task:
        """Enrols a set of pieces."""
        ...

    def names(self) -> tuple[str, ...]:
        """Returns all names that the table keeps."""
        ...

    def forget(self, name: str) -> None:
        """Removes a name from everything that the table keeps. Raises OSError."""
        ...

    def saving(self) -> Task:
        """Puts into one file what was enrolled and corrected."""
        ...

    def printing(self, game: str, paper: str) -> Task:
        """Makes the sheets of a game for "a4" or "letter"."""
        ...
