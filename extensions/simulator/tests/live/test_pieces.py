"""Enrolling at the start of a live table: a taken port is told before it, and what is done of it during it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from device.web.serving import PageError
from referee_simulator.live import pieces, run
from referee_simulator.live.run import LivePlan
from tests.vision.scenes import load_mat


def test_a_port_that_is_taken_is_told_before_anything_is_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "Live", lambda *_given, **_named: pytest.fail("the table was laid"))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        with pytest.raises(PageError, match=f"no page can be opened at 127.0.0.1:{port}"):
            run.simulate(LivePlan(port=port), lambda _panel: None)


def test_what_is_done_of_several_sets_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def enrol(_mat: object, _name: str, _seed: int, folder: Path, *, progress: Callable[[float], None]) -> None:
        folder.mkdir(parents=True)
        progress(0.5)
        progress(1.0)

    monkeypatch.setattr(pieces, "enrol", enrol)
    shares: list[float] = []
    mat = load_mat("fence")
    sets = pieces.missing(mat, tmp_path / "enrolled")
    pieces.enrol_missing(mat, 1, tmp_path / "enrolled", shares.append)
    assert shares == [step / len(sets) / 2 for step in range(1, 2 * len(sets) + 1)]
    assert len(sets) > 1
    assert pieces.missing(mat, tmp_path / "enrolled") == ()
