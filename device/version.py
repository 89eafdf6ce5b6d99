"""The version of the program that runs."""

from __future__ import annotations

from functools import cache

KNOWN = ("0.1.0",)
"""Every version that there has been; a release adds its own."""


@cache
def version() -> str:
    """Return the version of the installed package."""
    from importlib import metadata

    try:
        return metadata.version("table-referee")
    except metadata.PackageNotFoundError:
        return "from a checkout that is not installed"
