"""The game of docs/developers/write-a-game.md: built as a package, installed beside the referee's wheel, and played."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.package.environment import ROOT, Environment

pytestmark = pytest.mark.package
PAGE = ROOT / "docs" / "developers" / "write-a-game.md"
MOST_LINES = 150


def files() -> dict[str, str]:
    """The files of the page, by their paths."""
    found = re.findall(
        r"^`([^`\n]+)`\n\n```\w+\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    return dict(found)


class Installed(Environment):
    """An environment with the referee and the game."""

    def simulate(self, *options: str) -> dict[str, Any]:
        """Play matches of the game, and return their figures."""
        words = ("simulate", "--headless", "--game", "pebble", "--jobs", "1", "--json", *options)
        figures: dict[str, Any] = json.loads(self.run("referee", *words))
        assert figures["verdicts"]["wrong"] == figures["false_accusations"] == figures["details"]["stuck"] == 0
        return figures


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install both."""
    folder = tmp_path_factory.mktemp("guest")
    for path, text in files().items():
        (folder / "game" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "game" / path).write_text(text, encoding="utf-8")
    made = Installed(folder)
    made.install(ROOT, ROOT / "extensions" / "simulator", folder / "game")
    return made


def test_the_page_keeps_to_150_lines_of_python() -> None:
    """Empty ones are not counted."""
    code = [
        line for path, text in files().items() if path.endswith(".py") for line in text.splitlines() if line.strip()
    ]
    assert 50 < len(code) <= MOST_LINES


def test_the_game_is_found_with_all_that_it_brings(installed: Installed) -> None:
    where = "import device, pebble; print(device.__file__, pebble.__file__)"
    for path in installed.run("python", "-c", where).split():
        assert path.startswith(str(installed.folder)), "not the one of the checkout"
    told = installed.run("python", "-c", "from device import games; print(*games.specs(), games.usual())")
    assert told.split() == ["runes", "pebble", "fence", "tellstones", "planetx", "tellstones"]
    printed = installed.run("referee", "print", "pebble", "--out", "sheets")
    assert [Path(path).name for path in printed.split()] == ["pebble-all.pdf"]
    assert installed.run("referee", "print", "mat", "--game", "pebble", "--json").count('"id"') == 4


def test_it_conforms(installed: Installed) -> None:
    told = installed.run("referee", "conformance", "pebble")
    assert "lacking" not in told
    assert told.startswith("seats a b: ")


def test_it_is_played_at_the_buttons_alone(installed: Installed) -> None:
    figures = installed.simulate("--no-camera", "--matches", "4")
    assert figures["verdicts"]["right"] == figures["actions"] >= 4 * 7


def test_the_camera_sees_what_is_done_and_who_cheats(installed: Installed) -> None:
    """With ideal eyes, so that many matches cost little."""
    figures = installed.simulate("--ideal", "--matches", "8", "--cheat-rate", "0.3")
    assert figures["cheats"]["caught"] == figures["cheats"]["visible"] >= 8
    assert {"lift", "swap", "other cups"} <= set(figures["cheats"]["by_kind"])


def test_it_is_seen_in_pictures(installed: Installed) -> None:
    figures = installed.simulate("--matches", "1")
    assert figures["verdicts"]["right"] == figures["actions"] >= 7
    assert figures["frames"] > 50


def test_what_it_lacks_is_named(installed: Installed) -> None:
    """A language that is begun is asked for; a game that is taken away leaves the others as they were."""
    package = Path(installed.run("python", "-c", "import pebble; print(pebble.__file__)").strip()).parent
    begun = package / "config" / "locale" / "ru" / "LC_MESSAGES"
    begun.mkdir(parents=True)
    ours = ROOT / "config" / "locale" / "ru" / "LC_MESSAGES" / "referee.mo"
    (begun / "pebble.mo").write_bytes(ours.read_bytes())
    told = installed.run("referee", "conformance", "pebble", expected=1)
    assert "no catalogue of the language ru has the sentence " in told
    (package / "config").rename(package / "elsewhere")
    assert "tellstones" in installed.run("python", "-c", "from device import games; print(*games.specs(print))")
