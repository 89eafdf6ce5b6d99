"""Commands whose output somebody stops reading, or a terminal cannot show."""

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


def test_characters_that_the_terminal_lacks_are_replaced(tmp_path: Path) -> None:
    file = tmp_path / "record.txt"
    file.write_text(f"{RECORD}\na: place крест right\n", encoding="utf-8")
    command = [sys.executable, "-c", "from device.cli import main; main()", "replay", str(file)]
    western = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, env=western, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"a: place ????? right" in ended.stdout


WINDOWS = """\
import asyncio, os, signal, socket, subprocess, sys
from types import SimpleNamespace
sys.modules.update(dict.fromkeys(("fcntl", "grp", "pwd", "resource", "termios")))
for name in ("O_CLOEXEC", "O_NONBLOCK", "O_DIRECTORY", "O_NOFOLLOW", "fork", "getuid", "chown", "statvfs"):
    delattr(os, name)
del signal.SIGHUP, signal.SIGKILL, socket.AF_UNIX
from device.cli import linux, main
linux.sys = SimpleNamespace(platform="win32")
for words in sys.argv[1:]:
    sys.argv = ["referee", *words.split()]
    try:
        main()
    except SystemExit as ended:
        print("\\nended", words, ended.code, flush=True)
"""
"""Runs commands where Python lacks the modules and names that only Unix has."""


SIGNED = ROOT / "extensions/record/tests/kept/fence-2.signed"
"""A record of which nobody noted the heads: `verify` ends with 3."""


@pytest.mark.thorough
def test_without_the_modules_of_unix_commands_work_or_name_what_does(tmp_path: Path) -> None:
    works = ["--help", f"print mat --game fence --out {tmp_path}", f"verify {SIGNED}", "simulate --help", "play --help"]
    refused = ["play", "simulate", "run", "run --table table.toml", "verify --page"]
    command = [sys.executable, "-c", WINDOWS, *works, *refused]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    codes = [line for line in ended.stdout.splitlines() if line.startswith("ended")]
    assert codes == [f"ended {each} {3 if each.endswith('signed') else 0}" for each in works] + [
        f"ended {each} 2" for each in refused
    ]
    needing = ["play", "simulate", "run", "run", "verify --page"]
    works_here = "on this system `referee print`, `referee verify` and the table in a browser's tab work"
    assert ended.stderr.splitlines() == [f"referee: `referee {each}` needs Linux; {works_here}" for each in needing]
    assert list(tmp_path.glob("*.pdf"))
