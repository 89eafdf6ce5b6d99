"""A child is gone with its parent, whatever it is doing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CHILD = """
import os, signal, sys, time
from vision.parent_death import end_with
end_with(int(sys.argv[1]))
os.kill(os.getpid(), signal.SIGTERM)  # it is the parent's to end
print("up", flush=True)
time.sleep(60)
"""
PARENT = """
import os, subprocess, sys, time
subprocess.Popen([sys.executable, "-c", sys.argv[1], str(os.getpid())])
time.sleep(60)
"""


def test_it_is_killed_with_its_parent_in_the_midst_of_something() -> None:
    command = [sys.executable, "-c", PARENT, CHILD]
    with subprocess.Popen(command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "up\n"
        parent.kill()
        assert parent.stdout.read() == "", "the pipe ends when the child is gone, too"


def test_one_whose_parent_is_gone_already_ends_at_once() -> None:
    command = [sys.executable, "-c", CHILD, str(os.getpid() + 1_000_000)]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "")
