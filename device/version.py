"""Returns the program's version."""

from __future__ import annotations

from functools import cache

KNOWN = ("0.1.0", "1.0.0")
"""All released versions."""


@cache
def version() -> str:
    """Return the installed version, or a sentence that the checkout is not installed."""
    from importlib import metadata

    try:
        return metadata.version("table-referee")
    except metadata.PackageNotFoundError:
        return "from a checkout that is not installed"
