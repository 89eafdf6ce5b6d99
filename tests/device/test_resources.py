"""Data of this distribution, and of others that bring games."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from typer.testing import CliRunner

from device import games, resources
from device.cli.tree import tree
from device.daemon import assembly
from device.games import UnknownGame
from device.locale import NAMES, languages, translate
from device.settings import load, template
from engine.text import Text
from tests.device import guests
from vision.files import BadFile

OURS = {path.stem for path in (resources.root() / "games").glob("*.toml")}


def test_every_game_that_we_ship_is_declared() -> None:
    assert {name for name, package in resources.game_packages().items() if package == resources.OWN} == OURS
    assert resources.folders()[0] == resources.root()


def test_a_missing_resource_says_what_to_do() -> None:
    with pytest.raises(resources.ResourceMissing, match="install table-referee again"):
        resources.resource("mats", "nowhere.toml")


@pytest.mark.parametrize("name", ["x" * 5000, "\0"])
def test_a_name_that_no_file_can_have_is_nowhere(name: str) -> None:
    assert resources.find("locale", name) == resources.root() / "locale" / name
    assert translate(Text("Yes"), name) == "Yes"


def test_a_game_comes_from_elsewhere_with_all_that_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = guests.game(tmp_path, "pebble", factory="guest.rules:create", more='commands = "guest.own:app"')
    for kind, name in (("mats", "tellstones"), ("sets", "stones"), ("art", "stones")):
        (data / kind).mkdir()
        shutil.copy(resources.root() / kind / f"{name}.toml", data / kind / "pebbles.toml")
    (data / "sprites" / "11").mkdir(parents=True)
    (data / "sprites" / "11" / "pebble.txt").write_text("#.\n.#\n")
    (tmp_path / "guest" / "rules.py").write_text("def create(data):\n    return 'the game'\n")
    own = "import typer\napp = typer.Typer()\n\n@app.command()\ndef hello():\n    print('from the guest')\n\n"
    (tmp_path / "guest" / "own.py").write_text(f"{own}@app.command()\ndef again():\n    print('again')\n")
    with guests.installed(tmp_path, monkeypatch):
        assert set(games.specs()) == OURS | {"pebble"}
        assert str(games.game(games.spec("pebble"))) == "the game"
        for parts in (("mats", "pebbles.toml"), ("art", "pebbles.toml"), ("sprites", "11", "pebble.txt")):
            assert resources.find(*parts) == data.joinpath(*parts)
        assert [path.stem for path in resources.every("sets")] == sorted(
            [*(path.stem for path in (resources.root() / "sets").glob("*.toml")), "pebbles"]
        )
        assert "from the guest" in CliRunner().invoke(tree(), ["pebble", "hello"]).output
    assert set(games.specs()) == OURS


def test_nobody_takes_the_place_of_what_we_ship(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    data = guests.game(tmp_path, "tellstones", title="Not Tellstones")
    (data / "mats").mkdir()
    (data / "mats" / "tellstones.toml").write_text("[")
    with guests.installed(tmp_path, monkeypatch):
        assert games.spec("tellstones").title == "Tellstones"
        assert resources.find("mats", "tellstones.toml").parent == resources.root() / "mats"
        assert "the game tellstones of guest is left out: device has one" in caplog.text


@pytest.mark.parametrize(
    ("ill", "said"),
    [
        (lambda folder: shutil.rmtree(folder / "guest"), "no folder `config` in a package guest"),
        (lambda folder: (folder / "guest" / "rules.py").write_text("import nowhere_at_all"), "nowhere_at_all"),
        (lambda folder: (folder / "guest" / "rules.py").write_text("def create(:"), "cannot be imported"),
        (lambda folder: (folder / "guest" / "rules.py").write_text(""), "create"),
        (lambda folder: (folder / "guest" / "config" / "games" / "pebble.toml").write_text("["), "is not TOML"),
    ],
)
def test_a_guest_that_is_broken_is_left_out_and_the_others_are_played(
    ill: object, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    guests.game(tmp_path, "pebble", factory="guest.rules:create")
    (tmp_path / "guest" / "rules.py").write_text("def create(data):\n    return None\n")
    assert callable(ill)
    ill(tmp_path)
    told: list[Text] = []
    with guests.installed(tmp_path, monkeypatch):
        table = assembly.session_table(load(template("two-seats")), told.append)
    assert set(table.games) == OURS
    assert "cannot be played" in str(told)
    assert said in caplog.text


def test_a_game_speaks_by_its_own_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = guests.game(tmp_path, "pebble")
    for language, words in (("ru", {"Lift a cup": "Поднять чашку", "Crown": "Нечто"}), ("en", {"cup": "Cup"})):
        catalogue = Catalog(locale=language)
        for message, translated in words.items():
            catalogue.add(message, translated)
        folder = data / "locale" / language / "LC_MESSAGES"
        folder.mkdir(parents=True)
        with (folder / "pebble.mo").open("wb") as file:
            write_mo(file, catalogue)
    with guests.installed(tmp_path, monkeypatch):
        assert translate(Text("Lift a cup"), "ru") == "Поднять чашку"
        assert translate(Text("Lift a cup"), "zh_Hant") == "Lift a cup"
        assert translate(Text("cup"), "zh_Hant") == "Cup"
        assert translate(Text("Crown"), "ru") == "Корона", "ours is not taken away"
    assert translate(Text("Lift a cup"), "ru") == "Lift a cup"


def test_a_language_comes_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a row in a file, and a catalogue; whoever brings it need not bring a game."""
    folder = tmp_path / "guest" / "config" / "locale"
    (folder / "de" / "LC_MESSAGES").mkdir(parents=True)
    rows = '[[language]]\ncode = "de"\nname = "Deutsch"\n[[language]]\ncode = "ru"\nname = "?"\n'
    (folder / "languages.toml").write_text(rows, encoding="utf-8")
    catalogue = Catalog(locale="de")
    catalogue.add("Crown", "Krone")
    with (folder / "de" / "LC_MESSAGES" / "referee.mo").open("wb") as file:
        write_mo(file, catalogue)
    (tmp_path / "guest" / "__init__.py").touch()
    guests.declare(tmp_path, "guest", "german")
    with guests.installed(tmp_path, monkeypatch):
        assert [each.name for each in languages().values()] == [*NAMES.values(), "Deutsch"], "ours are not taken away"
        assert (translate(Text("Crown"), "de"), translate(Text("Shield"), "de")) == ("Krone", "Shield")
        assert set(games.specs()) == OURS


def test_a_damaged_list_of_languages_leaves_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "locale").mkdir()
    (tmp_path / "locale" / "languages.toml").write_text("[[language]]\ncode = 3")
    monkeypatch.setattr(resources, "root", lambda: tmp_path)
    languages.cache_clear()
    try:
        assert list(languages()) == ["en"]
        assert "its languages are not offered" in caplog.text
    finally:
        languages.cache_clear()


def test_the_usual_game_is_named_by_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert games.usual() in OURS
    monkeypatch.setattr(games, "game_packages", lambda: {"b": "device", "a": "device"})
    assert games.usual() == "a", "what is named there is not installed"
    monkeypatch.setattr(games, "game_packages", dict)
    with pytest.raises(UnknownGame, match="no game is installed"):
        games.usual()
    with pytest.raises(BadFile, match="no game is installed"):
        assembly.session_table(load(template("two-seats")))
