"""What a table file has its other services do: who has nothing to do is told so before much is read in."""

from __future__ import annotations

from collections.abc import Callable

from device.settings.table import TableSettings

UNWANTED: dict[str, Callable[[TableSettings], str]] = {
    "pages": lambda table: (
        "" if table.pages.on else "The table file wants no pages: it would say so under [pages], with on = true."
    ),
    "herald": lambda table: (
        "" if table.herald is not None else "The table file names no broker: it would do so under [herald]."
    ),
}
"""By the command: why it has nothing to do at a table; "" where it has."""
