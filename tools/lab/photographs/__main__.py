"""`python -m tools.lab.photographs OUT [SET ...] [--from FOLDER_OR_ADDRESS]`: makes OUT/SET/enrol and OUT/SET/test."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import Progress

from tools.lab.photographs.prepare import Prepared, prepare
from tools.lab.photographs.source import open_source
from tools.lab.photographs.table import TABLE, PhotoSet, SetError, read_table


def main(arguments: Sequence[str] | None = None) -> int:
    """A line for each set that was made. What fails is one line on standard error, and exit code 2."""
    parser = argparse.ArgumentParser(prog="python -m tools.lab.photographs", description=__doc__)
    parser.add_argument("out", type=Path, help="where the sets are to be written, a folder each")
    parser.add_argument("sets", nargs="*", metavar="SET", help="their names in the table; all of them if none is given")
    parser.add_argument("--from", dest="source", help="a folder with the files of the one set, or its other address")
    parser.add_argument(
        "--draw", type=int, default=0, help="another number chooses other pictures to enrol and to name"
    )
    parser.add_argument("--shots", type=_count, help="pictures of each kind to enrol; as the table says if left out")
    parser.add_argument("--table", type=Path, default=TABLE, help="another table of sets")
    given = parser.parse_args(arguments)
    try:
        table = read_table(given.table)
        names = given.sets or list(table)
        if unknown := [name for name in names if name not in table]:
            raise SetError(f"{given.table}: has no {', '.join(unknown)}; it has {', '.join(table)}")
        if given.source and len(names) != 1:
            raise SetError("--from: name the one set that is there")
        for name in names:
            asked = msgspec.structs.replace(table[name], shots=given.shots or table[name].shots)
            made = _make(name, asked, given.source or table[name].address, given.out / name, given.draw)
            sys.stdout.write(f"{name}: {made.kinds} kinds, {made.enrol} pictures to enrol, {made.test} to name")
            sys.stdout.write(f"; {made.left_out} too small or not to be read\n" if made.left_out else "\n")
    except (SetError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _count(text: str) -> int:
    """A number from 1 on. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: give a number from 1 on")
    return int(text)


def _make(name: str, asked: PhotoSet, source: str, out: Path, draw: int) -> Prepared:
    """With a progress bar on standard error meanwhile, and beside the pictures who took them and what they allow."""
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"{name}: {source}", total=None)
        with open_source(source, asked.commit) as files:
            made = prepare(
                files, asked, out, draw, lambda done, whole: progress.update(task, completed=done, total=whole)
            )
    text = f"{asked.what}\nBy {asked.by}; {asked.licence}; cut out of {asked.address} at {asked.commit}.\n"
    (out / "README.md").write_text(text, encoding="utf-8")
    return made


if __name__ == "__main__":
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
    raise SystemExit(main())
