"""The units as systemd reads them."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[3]
UNITS = {path.name: path for folder in ("systemd", "extensions/*/systemd") for path in ROOT.glob(f"{folder}/*")}
"""Those that run a table, by name: the core's and the extensions'."""
NAMES = tuple(sorted(path.stem for path in UNITS.values() if path.suffix == ".service"))
PACKAGED = ROOT / "tools" / "package" / "debian"
"""Units that belong to the package alone: what is done with root's rights."""
ROOTS = tuple(sorted(path.stem for path in PACKAGED.glob("*.service")))
UPDATES = {"referee-update", "referee-update-unsigned"}
"""Those of them in which apt works on the whole system."""


def path_of(name: str, kind: str = "service") -> Path:
    """Return the path of a unit."""
    return PACKAGED / f"{name}.{kind}" if name in ROOTS else UNITS[f"{name}.{kind}"]


def unit(name: str, kind: str = "service") -> dict[str, list[str]]:
    """Every setting of a unit with all its values, in their order."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in path_of(name, kind).read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found[key].append(value)
    return found
