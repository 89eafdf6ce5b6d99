"""Returns the program's version."""

from __future__ import annotations

from functools import cache

KNOWN = ("0.1.0", "1.0.0")
"""All released versions."""


@cache
def version() -> str:
    """Return the installed version; in a checkout that is not installed a sentence that says so."""
    from importlib import metadata

    try:
        return metadata.version("table-referee")
    except metadata.PackageNotFoundError:
        return "from a checkout that is not installed"
