"""A camera match: a rendered table through V4L2 into the vision worker of the installed service."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest

from tools.machine.conftest import Boot, Figure
from tools.machine.film import OPTIONS, Film
from tools.machine.installing import PLAY, SHARE, TABLE, UP, choose, fresh
from tools.machine.qemu import Machine, Options

pytestmark = [pytest.mark.machine, pytest.mark.soak, pytest.mark.timeout(3600)]

SLOWER = 10.0
"""The machine is slow, so hands are."""

SEEN = "grep -q '\"observed\":true' /run/referee/status.json"
"""Succeeds once the worker has told what lies there: only then has it read what was enrolled, and can follow a hand."""

WORKER = "pgrep -f '[v]ision.worker' | tail -1"


def entries(machine: Machine) -> int:
    """Of the match that is being played."""
    matches = json.loads(machine.must("runuser -u referee -- referee journal list --json").out)["matches"]
    return int(matches[-1]["entries"]) if matches else 0


def show(machine: Machine, picture: bytes) -> None:
    """Puts a picture before the camera, whole."""
    draft = machine.share / "next.yuv"
    draft.write_bytes(picture)
    draft.replace(machine.share / "frame.yuv")


@pytest.fixture
def film(tmp_path: Path) -> Film:
    return Film(tmp_path / "film")


def test_a_stone_that_a_hand_places_is_seen_and_a_worker_that_dies_comes_back(
    boot: Boot, film: Film, tmp_path: Path, figure: Figure
) -> None:
    machine = boot(Options(camera="yes", safe=False))
    fresh(machine)
    show(machine, film.start())
    shutil.copytree(tmp_path / "film/enrolled", machine.share / "enrolled")
    machine.must(f"cp -r {SHARE}/enrolled /var/lib/referee/ && chown -R referee: /var/lib/referee/enrolled")
    machine.must(f"sed -i '/^\\[camera\\]/a size = [1280, 720]' {TABLE}")
    choose(machine, "v4l2")
    machine.wait(UP, 300)
    machine.wait("journalctl -b -u referee | grep -q 'vision worker . reports'", 600)
    told = json.loads(machine.must(f"{PLAY} {TABLE} --set-out --options '{json.dumps(OPTIONS)}'", 900).out)
    assert told["unlike"] == 0
    figure(seen_at_rest_s=round(machine.wait(SEEN, 900, every=2), 1))
    before = entries(machine)
    for picture in film.placing():
        show(machine, picture)
        time.sleep(SLOWER / 10)
    begun = time.monotonic()
    while entries(machine) == before and time.monotonic() < begun + 300:
        time.sleep(2)
    assert entries(machine) == before + 1, machine.must("journalctl -b -u referee -o short-monotonic | tail -40").out
    figure(seen_s=round(time.monotonic() - begun, 1))
    old = machine.must(WORKER).text
    machine.must(f"kill -9 {old}")
    figure(worker_back_s=round(machine.wait(f'test -n "$({WORKER})" && test "$({WORKER})" != {old}', 300), 1))
    assert machine.must("systemctl show --value --property=NRestarts referee").text == "0"
