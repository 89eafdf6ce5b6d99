"""Adds `referee verify`, `referee key` and `referee herald`, and signs matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from device.extensions import Extension

if TYPE_CHECKING:
    from device.settings.table import TableSettings


def why_unwanted(table: TableSettings) -> str:
    """Return why a table does not need the herald; "" if it does."""
    return "" if table.herald is not None else "The table file names no broker: it would do so under [herald]."


extension = Extension(
    "record",
    commands={
        "herald": "referee_record.herald_command",
        "verify": "referee_record.command",
        "key": "referee_record.key",
    },
    services={"herald": why_unwanted},
    signing="referee_record.signing",
)
