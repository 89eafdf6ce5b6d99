"""An extension adds its commands and its data. A broken one, or a command of our own name, is left out and reported."""

from __future__ import annotations

import logging
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from device import extensions, resources
from device.cli.tree import OURS, BrokenCommand, tree
from tests.device import guests

ROOT = Path(__file__).parents[2]
EXTENSION = "from device.extensions import Extension\nextension = Extension({name!r}, commands={commands!r})\n"
COMMAND = "import typer\nPANEL = 'A guest'\ndef command() -> None:\n    'Greet.'\n    typer.echo('welcome')\n"


def extension(folder: Path, source: str, *, value: str = "guest:extension") -> None:
    """Write a package `guest` that is installed as the extension of that name."""
    package = folder / "guest"
    package.mkdir()
    (package / "__init__.py").write_text(source, encoding="utf-8")
    (package / "greeting.py").write_text(COMMAND, encoding="utf-8")
    guests.declare(folder, "guest", "guest", group=resources.EXTENSIONS, value=value)


def test_the_commands_of_an_extension_are_ours_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extension(tmp_path, EXTENSION.format(name="guest", commands={"greet": "guest.greeting"}))
    with guests.installed(tmp_path, monkeypatch):
        for asked in ("greet", None):
            assert CliRunner().invoke(tree(asked), ["greet"]).stdout == "welcome\n"
        assert "A guest" in CliRunner().invoke(tree(), ["--help"]).stdout


def test_no_extension_takes_a_name_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    extension(tmp_path, EXTENSION.format(name="guest", commands={"doctor": "guest.greeting"}))
    with guests.installed(tmp_path, monkeypatch):
        assert "doctor" not in extensions.commands(frozenset(OURS))
    assert "the command doctor of the extension guest is left out: there is one" in caplog.text


@pytest.mark.parametrize(
    ("source", "value", "said"),
    [
        ("import nowhere_at_all\n", "guest:extension", "No module named 'nowhere_at_all'"),
        ("", "guest:extension", "has no attribute 'extension'"),
        ("extension = 7\n", "guest:extension", "guest:extension is no Extension"),
        (
            "from device.extensions import Extension\nextension = Extension('x', command={})\n",
            "guest:extension",
            "command",
        ),
        ("a b\n", "guest:extension", "invalid syntax"),
    ],
)
def test_a_broken_extension_is_left_out(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    source: str,
    value: str,
    said: str,
) -> None:
    extension(tmp_path, source, value=value)
    with guests.installed(tmp_path, monkeypatch), caplog.at_level(logging.ERROR):
        assert all(each.name != "guest" for each in extensions.extensions())
        assert CliRunner().invoke(tree("deck"), ["deck", "--help"]).exit_code == 0
    assert "the extension guest is left out: " in caplog.text
    assert said in caplog.text


def test_a_broken_command_is_left_out_of_the_help_and_named_when_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extension(tmp_path, EXTENSION.format(name="guest", commands={"greet": "guest.nowhere"}))
    with guests.installed(tmp_path, monkeypatch):
        done = CliRunner().invoke(tree(), ["--help"])
        assert done.exit_code == 0
        assert "greet" not in done.stdout
        with pytest.raises(
            BrokenCommand, match=r"the command greet cannot be loaded \(No module named 'guest.nowhere'\)"
        ):
            tree("greet")


def test_an_extension_may_have_data_and_needs_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    extension(tmp_path, EXTENSION.format(name="guest", commands={}))
    with guests.installed(tmp_path, monkeypatch):
        without = resources.folders()
    (tmp_path / "guest" / "config").mkdir()
    with guests.installed(tmp_path, monkeypatch):
        assert set(resources.folders()) == {*without, tmp_path / "guest" / "config"}


def test_an_unknown_command_may_be_one_of_an_extension() -> None:
    done = CliRunner().invoke(tree(), ["greet"])
    assert done.exit_code == 2
    assert "No such command 'greet'" in done.stderr
    assert "install that extension" in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize("path", sorted(ROOT.glob("extensions/*/pyproject.toml")), ids=lambda path: path.parent.name)
def test_an_extension_goes_with_this_version(path: Path) -> None:
    core, own = (tomllib.loads(each.read_text("utf-8"))["project"] for each in (ROOT / "pyproject.toml", path))
    assert own["name"] == f"table-referee-{path.parent.name}"
    assert own["version"] == core["version"]
    assert f"table-referee=={core['version']}" in own["dependencies"]
    assert core["optional-dependencies"][path.parent.name] == [f"{own['name']}=={core['version']}"]


@pytest.mark.parametrize("path", sorted(ROOT.glob("extensions/*/pyproject.toml")), ids=lambda path: path.parent.name)
def test_an_extension_carries_the_licence_and_the_notice(path: Path) -> None:
    """Its wheel has them from its own folder; scripts of others, which some of them bring, ask for that."""
    for name in ("LICENSE", "NOTICE"):
        assert (path.parent / name).read_bytes() == (ROOT / name).read_bytes()


def test_the_import_contracts_know_every_extension() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    packages = {path.parent.name for path in ROOT.glob("extensions/*/src/*/__init__.py")}
    (core,) = (each for each in contracts["contracts"] if each["name"] == "The core imports no extension")
    assert packages == set(core["forbidden_modules"])
    assert packages < set(contracts["root_packages"])
