"""`make fuzz`: what is wrong with a case is found, cases come from their seed alone, and nothing shipped is wrong."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from tools.fuzz import judge
from tools.fuzz.judge import Target, judge_case
from tools.fuzz.mutate import CHANGES, mutate_sample
from tools.fuzz.run import KINDS, Batch, Found, NoSuchTarget, fuzz, fuzz_batch
from vision.files import BadFile, Fault

ROOT = Path(__file__).parents[2]


def target(feed: object) -> Target:
    return Target("t", [b"x"], feed)  # type: ignore[arg-type]


def fail(error: Exception) -> Target:
    def feed(_data: bytes) -> None:
        raise error

    return target(feed)


def test_a_sentence_is_right_and_any_other_error_is_told_with_its_place() -> None:
    assert judge_case(target(len), b"") is None
    assert judge_case(fail(BadFile("a", Fault("", "is empty", "write it"))), b"") is None
    assert str(judge_case(fail(KeyError("a")), b"")).startswith("KeyError at test_fuzz.py:")
    assert str(judge_case(fail(RecursionError()), b"")).startswith("RecursionError at ")


def test_work_and_waiting_without_end_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(_data: bytes) -> None:
        while True:
            pass

    monkeypatch.setattr(judge, "HANG_S", 0.1)
    monkeypatch.setattr(judge, "WAIT_S", 0.3)
    assert judge_case(target(work), b"") == "hang at t"
    assert judge_case(target(lambda _data: time.sleep(60)), b"") == "hang at t"


def test_memory_that_is_taken_is_told() -> None:
    held = []
    assert judge_case(target(lambda _data: held.append(b"x" * 80_000_000)), b"") == "growth that stays"
    held.clear()
    assert (
        judge_case(msgspec.structs.replace(target(lambda _data: len(b"x" * 80_000_000)), room_kb=100_000), b"") is None
    )


def test_the_seed_alone_makes_the_cases_and_every_change_changes_something() -> None:
    samples = [b'[a]\nname = "crown"\nsize = [3, 4]\n', b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(40)]
    cases = [[mutate_sample(random.Random(n), samples) for n in range(300)] for _ in range(2)]
    assert cases[0] == cases[1]
    assert len(set(cases[0])) > 250
    for change in CHANGES:
        assert any(change(random.Random(n), sample) != sample for n in range(20) for sample in samples), change


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_wrong_with_a_few_cases_of_each_kind(kind: str) -> None:
    found = fuzz_batch(Batch(kind, "test", 60))
    assert found.notes == ()
    assert (found.cases, found.wrong, sum(found.of.values())) == (60, 0, 60)


def test_a_run_goes_on_where_it_was_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fed: list[str] = []

    def count(batch: Batch) -> Found:
        if len(fed) == 3:
            raise KeyboardInterrupt
        fed.append(batch.seed)
        return Found(batch.cases)

    monkeypatch.setattr("tools.fuzz.run.fuzz_batch", count)
    with pytest.raises(KeyboardInterrupt):
        fuzz(1000, 7, folder=tmp_path)
    monkeypatch.setattr("tools.fuzz.run.fuzz_batch", lambda batch: Found(batch.cases))
    assert fuzz(1000, 7, folder=tmp_path).cases == 1000
    assert len(fed) == 3


def test_a_target_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(NoSuchTarget, match="there are: page of a seat, page of the camera"):
        fuzz(10, 7, shares={"pages": 1.0}, only="the moon")


@pytest.mark.thorough
def test_the_work_is_shared_by_processes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.fuzz", "--cases", "60", "--jobs", "2", "--json"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["cases"] == 60
