"""Players' colours: colour-blind people tell those of the page apart, and the table's and a page's are the same."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

from engine.catalogue import Colour
from referee_phones.app import STATIC
from referee_phones.frames import Name

Floats = npt.NDArray[np.float64]
COLOURS: tuple[str, ...] = get_args(Colour)
APART = 0.1
"""Distance in OKLab; 0.02 is just noticeable."""

SEEN: dict[str, Floats] = {
    "all cones": np.eye(3),
    "no red cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no blue cones": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
"""Linear RGB as people see it who lack a kind of cones (Machado, Oliveira, Fernandes 2009, severity 1)."""

CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
"""OKLab (Ottosson 2020)."""


def painted() -> dict[str, str]:
    styles = (STATIC / "style.css").read_text()
    names = re.findall(r'\[data-colour="(\w+)"\] {\s+fill: var\(--\1\);', styles)
    return {name: colour for name, colour in re.findall(r"--(\w+): #(\w{6});", styles) if name in names}


def linear(colour: str) -> Floats:
    found = np.array([int(colour[at : at + 2], 16) for at in (0, 2, 4)]) / 255
    return np.asarray(np.where(found <= 0.04045, found / 12.92, ((found + 0.055) / 1.055) ** 2.4))


def oklab(colour: str, eye: Floats) -> Floats:
    return np.asarray(LAB @ np.cbrt(CONES @ np.clip(eye @ linear(colour), 0, 1)))


def distance(one: str, other: str, eye: Floats) -> float:
    return float(np.linalg.norm(oklab(one, eye) - oklab(other, eye)))


def test_people_without_a_kind_of_cones_tell_the_colours_apart() -> None:
    found = painted()
    assert set(found) == set(COLOURS)
    near = {
        (eye, *pair)
        for eye, matrix in SEEN.items()
        for pair in combinations(sorted(found), 2)
        if distance(found[pair[0]], found[pair[1]], matrix) < APART
    }
    assert near == set()
    assert distance("e03030", "2f9d40", SEEN["no green cones"]) < APART, "a plain red and green are too near"


def test_every_colour_has_a_shape_of_its_own_too() -> None:
    text = (STATIC / "mark.js").read_text()
    for table in re.findall(r"const (?:SHAPES|SIGNS) = {(.+?)}", text, re.DOTALL):
        shapes = dict(re.findall(r'(\w+): "([^"]+)"', table))
        assert set(shapes) == set(COLOURS)
        assert len(set(shapes.values())) == len(COLOURS)


def test_a_page_may_ask_for_the_colours_that_a_table_has() -> None:
    hints: dict[str, Any] = get_type_hints(Name)
    assert {each for literal in get_args(hints["colour"]) for each in get_args(literal)} == set(COLOURS)
