"""Every kind of screen in every language, compared with the pictures in tests/golden.

`python -m tests.device.screens.test_golden` draws them anew, and contact sheets of them; look at those before you
commit.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageChops

from device.locale import LANGUAGES
from device.screens.render import fits, pages
from device.screens.screen import Screen
from device.screens.sheet import sheet
from tests.device.screens.gallery import SIZES, gallery

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
SCREENS = gallery()


def strip(screen: Screen, size: tuple[int, int], language: str) -> Image.Image:
    """All pages of a screen one under another."""
    drawn = pages(screen, size, language)
    out = Image.new("1", (size[0], size[1] * len(drawn)))
    for number, page in enumerate(drawn):
        out.paste(page, (0, size[1] * number))
    return out


def golden(name: str, size: tuple[int, int], language: str) -> Path:
    return GOLDEN / f"{size[0]}x{size[1]}" / language / f"{name.replace(' ', '-')}.png"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", SCREENS)
def test_screens_look_as_they_did(name: str, size: tuple[int, int], language: str) -> None:
    with Image.open(golden(name, size, language)) as kept:
        drawn = strip(SCREENS[name], size, language)
        assert kept.size == drawn.size
        assert ImageChops.logical_xor(kept.convert("1"), drawn).getbbox() is None, (
            "if it is meant to look otherwise: python -m tests.device.screens.test_golden"
        )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", SCREENS)
def test_nothing_is_cut_from_them(name: str, size: tuple[int, int], language: str) -> None:
    assert fits(SCREENS[name], size, language) == []


def test_no_picture_is_left_over() -> None:
    expected = {golden(name, size, language) for name in SCREENS for size in SIZES for language in LANGUAGES}
    assert {path for path in GOLDEN.rglob("*.png") if path.parent != GOLDEN} == expected


def update() -> None:
    for path in GOLDEN.rglob("*.png"):
        path.unlink()
    for size in SIZES:
        for name, screen in SCREENS.items():
            for language in LANGUAGES:
                path = golden(name, size, language)
                path.parent.mkdir(parents=True, exist_ok=True)
                strip(screen, size, language).save(path, optimize=True)
        sheet(SCREENS, size).save(GOLDEN / f"sheet-{size[0]}x{size[1]}.png", optimize=True)


if __name__ == "__main__":
    update()
