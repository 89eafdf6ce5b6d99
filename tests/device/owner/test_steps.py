"""Steps go over a pipe line by line, and come out as they went in."""

from __future__ import annotations

import msgspec
import pytest

from device.owner.steps import TaskChoice, TaskStep, decode_choice, decode_step, encode
from engine.text import say


def test_a_step_with_a_picture_is_one_line_and_comes_back_the_same() -> None:
    step = TaskStep(say("Clock"), say("Game"), remarks=(say("Seats"),), choices=(say("Back"),), picture=b"\xff\n\0")
    line = encode(step)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode_step(line) == step


def test_a_choice_comes_back_the_same_and_nothing_else_is_one() -> None:
    assert decode_choice(encode(TaskChoice(3))) == TaskChoice(3)
    with pytest.raises(msgspec.DecodeError):
        decode_choice(b'{"line": 3, "run": "rm"}\n')
