"""The core alone plays every game; an extension that is installed beside it adds its commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.package.environment import ROOT, Environment

pytestmark = pytest.mark.package
SIMULATOR = ROOT / "extensions" / "simulator" / "src"
PLAY = """
import sys
sys.path.append(sys.argv[1])
import msgspec
from referee_simulator.harness.plan import Eyes, Plan
from referee_simulator.harness.run import simulate
if __name__ == "__main__":
    found = simulate(Plan(sys.argv[2], seed=7, eyes=Eyes.NONE, jobs=1))
    print(msgspec.json.encode(found).decode())
"""
EXTENSIONS = sorted(path.parent for path in ROOT.glob("extensions/*/pyproject.toml"))


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Install the core alone."""
    made = Environment(tmp_path_factory.mktemp("core"))
    made.install(ROOT)
    return made


def test_the_core_brings_nothing_of_an_extension(core: Environment) -> None:
    packages = [path.name for extension in EXTENSIONS for path in extension.glob("src/*")]
    assert packages
    for name in packages:
        core.run("python", "-c", f"import {name}", expected=1)
    assert core.run("python", "-c", "from device.extensions import extensions; print(extensions())") == "()\n"
    core.run("referee", "club", expected=2)


def test_it_brings_the_rules_whose_licence_allows_it(core: Environment) -> None:
    """Those of Dueling Runes may not be sold (NOTICE)."""
    found = "{game for game in game_packages() if clauses_of(game)}"
    told = core.run("python", "-c", f"from device.resources import *; print(*sorted({found}))")
    assert told == "fence planetx tellstones\n"


@pytest.mark.parametrize("game", ["fence", "planetx", "runes", "tellstones"])
def test_the_core_plays_every_game_at_the_buttons(core: Environment, game: str) -> None:
    """Mock pins are pressed and displays are read by the simulator's players, which are not installed there."""
    played = json.loads(core.run("python", "-c", PLAY, str(SIMULATOR), game))
    assert played["verdicts"]["right"] == played["actions"] > 0
    assert played["details"]["stuck"] == 0


@pytest.mark.parametrize("extension", [path for path in EXTENSIONS if path.name != "tab"], ids=lambda path: path.name)
def test_an_extension_adds_its_commands_and_words(extension: Path, tmp_path: Path) -> None:
    """That of a browser's tab has no command: it is built from a checkout."""
    both = Environment(tmp_path)
    both.install(ROOT, extension)
    found = both.run("python", "-c", "from device.extensions import commands; print(*commands(frozenset()))").split()
    assert found
    for name in found:
        assert f"referee {name} " in both.run("referee", name, "--help")
    assert both.run("python", "-c", "from device.resources import folders; print(len(folders()))") == "2\n"
