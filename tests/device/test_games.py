"""The catalogue of games: every file decodes, and what is wrong is named with its file."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from device import games, resources
from device.games import UnknownGame
from engine.catalogue import GameSpec
from vision.files import BadFile, read_toml
from vision.registration.lens import CalibrationBoard


def test_every_game_is_made_by_its_factory() -> None:
    for name, spec in games.specs().items():
        assert games.spec(name) == spec
        assert games.game(spec).name == name


def test_an_unknown_game_names_those_that_there_are() -> None:
    with pytest.raises(UnknownGame, match="tellstones"):
        games.spec("chess")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "game.toml"),
        ('name = "game"', "title: is missing"),
        ('name = "game"\ntitle = "G"\nfactory = "a:b"\nclause_letter = "G"\ntables = []\nodd = 1', "odd"),
    ],
)
def test_a_broken_file_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "game.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadFile, match=said) as error:
        read_toml(path, GameSpec)
    assert str(path) in str(error.value)


def test_a_name_that_differs_from_its_file_and_a_missing_mat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "one.toml").write_text(
        'name = "two"\ntitle = "G"\nfactory = "a:b"\nclause_letter = "G"\ntables = []', encoding="utf-8"
    )
    monkeypatch.setattr(resources, "root", lambda: tmp_path)
    monkeypatch.setattr(games, "game_packages", lambda: {"one": resources.OWN})
    with pytest.raises(BadFile, match="the file is called 'one'"):
        games.specs()
    assert games.mats(["nowhere"]) == {}
    assert "nowhere.toml: is not there" in caplog.text


def test_every_mat_is_known_by_its_markers_and_has_a_title_of_its_own() -> None:
    """Else the wrong one on the table would be read as if it were the right one."""
    shipped = games.mats(path.stem for path in resources.every("mats")).values()
    ids = [(mat.dictionary, marker.id) for mat in shipped for marker in mat.markers]
    assert len(set(ids)) == len(ids) == 4 * len(shipped)
    assert {name for name, _ in ids} == {"4x4_50"}
    assert {number for _, number in ids} <= set(range(50))
    assert len({mat.title for mat in shipped} - {""}) == len(shipped)


def test_the_calibration_board_shares_no_marker_with_a_mat_but_the_first_two() -> None:
    """Those were printed before; the board is never laid beside a mat. Ids that it alone has are left to it."""
    shipped = games.mats(path.stem for path in resources.every("mats"))
    board = {int(number) for number in np.asarray(CalibrationBoard().charuco().getIds()).ravel()}
    shared = {name: {m.id for m in mat.markers} & board for name, mat in shipped.items()}
    assert {name: ids for name, ids in shared.items() if ids} == {
        "tellstones": {0, 1, 2, 3}, "tellstones-two": {4, 5, 6, 7},
    }  # fmt: skip
    assert board == set(range(20))


def test_a_faulty_mat_is_told_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copytree(resources.root() / "mats", tmp_path / "mats")
    for name, text in (("runes", b"size_mm = 3"), ("fence", b"["), ("planetx", b"\xff")):
        (tmp_path / "mats" / f"{name}.toml").write_bytes(text)
    monkeypatch.setattr(resources, "root", lambda: tmp_path)
    assert set(games.mats(["runes", "fence", "tellstones", "planetx"])) == {"tellstones"}
    for name in ("runes", "fence", "planetx"):
        assert f"{name}.toml" in caplog.text


def test_data_files_decode_by_their_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.toml").write_text("x = 1", encoding="utf-8")
    (tmp_path / "b.json").write_text('{"y": [2]}', encoding="utf-8")
    (tmp_path / "c.json").write_text("{", encoding="utf-8")
    monkeypatch.setattr(resources, "root", lambda: tmp_path)
    seen: list[object] = []
    monkeypatch.setattr(games, "make", lambda spec, data: seen.append(data))
    games.game(GameSpec("g", "G", "a:b", "G", (), data={"one": "a.toml", "two": "b.json"}))
    assert seen == [{"one": {"x": 1}, "two": {"y": [2]}}]
    with pytest.raises(BadFile, match=r"c\.json"):
        games.game(GameSpec("g", "G", "a:b", "G", (), data={"bad": "c.json"}))


def test_an_owners_data_that_lack_a_mode_are_refused(tmp_path: Path) -> None:
    text = (resources.root() / "decks" / "planetx.toml").read_text(encoding="utf-8")
    (tmp_path / "decks").mkdir()
    (tmp_path / "decks" / "planetx.toml").write_text(text.replace("expert", "exqert"), encoding="utf-8")
    with pytest.raises(BadFile, match=r"planetx\.toml: cannot be decoded \('expert' is missing"):
        games.build(games.spec("planetx"), tmp_path)


def test_an_owners_number_of_hundreds_of_digits_is_refused(tmp_path: Path) -> None:
    text = (resources.root() / "decks" / "planetx.toml").read_text(encoding="utf-8")
    (tmp_path / "decks").mkdir()
    (tmp_path / "decks" / "planetx.toml").write_text(f"more = {'9' * 400}\n{text}", encoding="utf-8")
    with pytest.raises(BadFile, match=r"planetx\.toml"):
        games.build(games.spec("planetx"), tmp_path)
