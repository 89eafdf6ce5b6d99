"""Adds `referee pages` and `referee play`, and serves pages from the daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from device.extensions import Extension

if TYPE_CHECKING:
    from device.settings.table import TableSettings


def why_unwanted(table: TableSettings) -> str:
    """Return why a table does not need the service; "" if it does."""
    return "" if table.pages.on else "The table file wants no pages: it would say so under [pages], with on = true."


extension = Extension(
    "phones",
    commands={"pages": "referee_phones.command", "play": "referee_phones.play"},
    services={"pages": why_unwanted},
    pages="referee_phones.daemon.page_server",
)
