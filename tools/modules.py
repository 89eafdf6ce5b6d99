"""What each file is: docs/developers/modules.md, written from their first sentences (`python tools/modules.py`)."""

from __future__ import annotations

import argparse
import ast
import sys
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "developers" / "modules.md"
PACKAGES = ("engine", "vision", "device", "extensions/*/src", "tools")


def page(root: Path) -> str:
    """The page: a section for each folder, a line for each module."""
    files = [path for package in PACKAGES for path in sorted(root.glob(f"{package}/**/*.py"))]
    parts = ["# Modules\n\nWritten by `python tools/modules.py` from the modules' own first sentences.\n"]
    for folder, inside in groupby(
        sorted(files, key=lambda path: (path.parent, path.name)), key=lambda path: path.parent
    ):
        modules = [path for path in inside if path.name != "__init__.py"]
        about = sentence(folder / "__init__.py")
        rows = "".join(f"| `{path.name}` | {sentence(path)} |\n" for path in modules)
        table = f"\n| file | what it is |\n|---|---|\n{rows}" if rows else ""
        parts.append(f"\n## {folder.relative_to(root).as_posix()}/\n\n{about}\n{table}")
    return "".join(parts)


def sentence(path: Path) -> str:
    """The first paragraph of a module's docstring, on one line; "" if there is none."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) if path.exists() else None
    return " ".join((text or "").split("\n\n")[0].split()).replace("|", "\\|")


def main() -> int:
    parser = argparse.ArgumentParser(description="Write docs/developers/modules.md, or check that it is current.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the page is out of date")
    current = page(ROOT)
    if parser.parse_args().check:
        stale = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != current
        if stale:
            print("docs/developers/modules.md is out of date: run python tools/modules.py", file=sys.stderr)
        return int(stale)
    PAGE.write_text(current, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
