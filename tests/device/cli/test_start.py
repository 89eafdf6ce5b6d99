"""Commands whose output somebody stops reading."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.device.cli.test_cli import RECORD, ROOT


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("replay", "{folder}/record.txt"), 0),
        (("replay", "{folder}/record.txt", "--json"), 0),
        (("--help",), 0),
        (("deck", "show", "fence"), 0),
        (("replay", "{folder}/none.txt", "--json"), 2),
    ],
)
def test_a_command_ends_quietly_where_its_reader_goes_away(words: tuple[str, ...], code: int, tmp_path: Path) -> None:
    (tmp_path / "record.txt").write_text(RECORD)
    command = [sys.executable, "-c", "from device.cli import main; main()", *(w.format(folder=tmp_path) for w in words)]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        ended = subprocess.run(command, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(writing)
    assert (ended.returncode, ended.stderr) == (code, "")
