"""`referee enrol` before a camera: each kind is kept as it is taken, and what was enrolled before stays until then."""

from __future__ import annotations

import io
from contextlib import nullcontext
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from device.cli.enrol import PicturesError, Wanted, from_pictures
from device.journal import Journal
from device.locale import translate
from device.resources import root
from engine.text import say
from tests.commands import app
from tests.vision.faces import Image, disc, lit, tile
from tests.vision.scenes import Hand, Stone, View, World, load_mat, load_set
from vision.camera import CameraLost
from vision.recognition.enrolment import EnrolledSet, EnrolmentError, load, save
from vision.recognition.index import read_index

VIEW = View(width=960, height=540)


@pytest.fixture(scope="module")
def photograph() -> bytes:
    """A crown alone on the mat, as a picture file."""
    image = World(load_mat(), [Stone(210.0, 150.0, "crown")], view=VIEW).render()
    return cv2.imencode(".png", image)[1].tobytes()


def decoded(photograph: bytes) -> Image:
    return np.asarray(cv2.imdecode(np.frombuffer(photograph, np.uint8), cv2.IMREAD_COLOR), np.uint8)


class Evening:
    """A table whose camera shows the pictures of a folder, one a look."""

    def __init__(self, folder: Path, *pictures: bytes) -> None:
        (folder / "camera").mkdir()
        for number, data in enumerate(pictures):
            (folder / "camera" / f"{number}.png").write_bytes(data)
        self.table, self.state = folder / "table.toml", folder / "state"
        self.set = self.state / "enrolled" / "stones"
        camera = f'source = "file"\npath = "{folder / "camera"}"\n'
        text = (root() / "tables" / "one-oled.toml").read_text(encoding="utf-8")
        text = text.replace('source = "picamera2"', camera).replace("/var/lib/referee", str(self.state))
        self.table.write_text(text, encoding="utf-8")

    def enrol(self, *words: str, keys: str = "") -> Result:
        arguments = ["enrol", "stones", *words, "--shots", "1", "--table", str(self.table)]
        return CliRunner().invoke(app, arguments, input=keys)


LETTERS = {"crown": "A", "sword": "B", "scales": "C", "flag": "E"}


def old(*kinds: str) -> EnrolledSet:
    return EnrolledSet("stones", "any", {kind: (tile(LETTERS[kind]),) for kind in kinds})


@pytest.mark.thorough
def test_only_the_kinds_that_are_named_are_taken_again(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path, photograph)
    save(old("crown", "sword"), evening.set)
    before = {each.kind: each.file for each in read_index(evening.set).references}
    told = evening.enrol("crown", keys="\n")
    assert told.exit_code == 0, told.output
    after = {each.kind: each.file for each in read_index(evening.set).references}
    assert list(after) == ["crown", "sword"]
    assert after["sword"] == before["sword"]
    assert after["crown"] != before["crown"]
    assert "2 kinds, 2 pictures" in told.output


def test_q_keeps_what_was_enrolled_before_and_says_what_is_left(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path, photograph)
    save(old("crown", "sword", "scales"), evening.set)
    told = evening.enrol(keys="\nq\n")
    assert "Taken: 1 of 8. For the others: referee enrol stones shield sword flag knight hammer scales _back" in (
        told.output.replace("\n", " ")
    )
    assert list(load(evening.set).pictures) == ["crown", "sword", "scales"]


def test_a_camera_that_is_lost_takes_nothing_with_it(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path, photograph, b"broken")
    told = evening.enrol("crown", "sword", keys="\n\n")
    assert isinstance(told.exception, CameraLost)
    assert "For the others: referee enrol stones sword\n" in told.output
    assert list(load(evening.set).pictures) == ["crown"]


def test_a_folder_that_cannot_be_written_is_told_before_the_first_picture(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path, photograph)
    evening.state.touch()
    told = evening.enrol(keys="\n")
    assert isinstance(told.exception, EnrolmentError)
    assert "cannot be written" in str(told.exception)
    assert "Lay" not in told.output


def test_whoever_ends_before_the_first_picture_has_enrolled_nothing(tmp_path: Path, photograph: bytes) -> None:
    told = Evening(tmp_path, photograph).enrol(keys="q\n")
    assert told.exit_code == 0
    assert "stones: nothing is enrolled" in told.output


@pytest.mark.parametrize(("words", "told"), [(["crwon"], "crwon"), (["--mat", "runes"], "runes")])
def test_a_kind_or_a_mat_that_the_set_does_not_have_is_a_mistake_in_the_command(
    tmp_path: Path, words: list[str], told: str
) -> None:
    result = Evening(tmp_path).enrol(*words)
    assert result.exit_code == 2
    assert told in result.output


def photos(folder: Path, **pictures: bytes | Image) -> Path:
    """A folder with one picture of each kind."""
    for kind, picture in pictures.items():
        (folder / kind).mkdir(parents=True)
        data = picture if isinstance(picture, bytes) else cv2.imencode(".png", picture)[1].tobytes()
        (folder / kind / "1.png").write_bytes(data)
    return folder


def test_single_kinds_are_taken_from_pictures_too(tmp_path: Path, given_away: list[Path]) -> None:
    evening = Evening(tmp_path)
    save(old("crown", "sword"), evening.set)
    again = lit(tile("B"), (0.9, 1.0, 0.9))
    source = photos(tmp_path / "photos", sword=again, shield=b"broken")
    assert evening.enrol("sword", "--from", str(source)).exit_code == 0
    pictures = load(evening.set).pictures
    assert list(pictures) == ["crown", "sword"]
    assert np.array_equal(pictures["sword"][0], again), "a rough crop stays as it is"
    missing = evening.enrol("crown", "--from", str(source))
    assert "there are no pictures of crown" in str(missing.exception)
    assert given_away == [evening.state / "enrolled", evening.set] * 2, "also if it fails"


def test_what_is_not_in_the_folder_is_kept_unless_the_set_is_begun_anew(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    save(old("crown", "sword"), evening.set)
    source = photos(tmp_path / "photos", sword=tile("B"), flag=tile("E"))
    told = evening.enrol("--from", str(source))
    assert list(load(evening.set).pictures) == ["crown", "sword", "flag"]
    assert "kept as they were (--replace forgets them): crown\n" in told.output
    told = evening.enrol("--from", str(source), "--replace")
    assert list(load(evening.set).pictures) == ["flag", "sword"]
    assert "Forgotten: crown\n" in told.output
    assert evening.enrol("crown", "--from", str(source), "--replace").exit_code == 2
    assert evening.enrol("--replace").exit_code == 2


def test_pictures_that_cannot_be_read_never_drop_the_old_ones(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    save(old("crown", "sword"), evening.set)
    source = photos(tmp_path / "photos", crown=b"broken", sword=tile("B"), flag=b"broken")
    told = evening.enrol("--from", str(source), "--replace")
    assert "crown/1.png, flag/1.png (broken)" in str(told.exception)
    assert np.array_equal(load(evening.set).pictures["crown"][0], tile("A"))


def test_what_is_no_picture_is_told_and_litter_is_not(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    source = photos(tmp_path / "photos", sword=tile("B"), __MACOSX=b"")
    (source / "sword" / "2.heic").write_bytes(b"\0\0\0\x18ftypheic")
    told = evening.enrol("--from", str(source))
    assert told.exit_code == 0, told.exception
    assert "1 file of" in told.stderr
    assert "sword/2.heic (HEIC" in told.stderr


@pytest.mark.thorough
def test_a_piece_on_the_mat_is_cut_out_of_its_picture(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path, photograph)
    source = photos(tmp_path / "photos", crown=photograph)
    assert evening.enrol("--from", str(source)).exit_code == 0
    (from_file,) = load(evening.set).pictures["crown"]
    evening.enrol("crown", keys="\n")
    (from_camera,) = load(evening.set).pictures["crown"]
    assert np.array_equal(from_file, from_camera)
    assert from_file.shape[0] < VIEW.height / 3


@pytest.mark.thorough
def test_a_mat_with_no_piece_or_several_is_refused_and_all_are_named(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    save(old("crown"), evening.set)
    two = World(load_mat(), [Stone(150.0, 150.0, "crown"), Stone(250.0, 150.0, "flag")], view=VIEW).render()
    corner = two[: VIEW.height // 2, : VIEW.width // 2]
    source = photos(tmp_path / "photos", crown=World(load_mat(), [], view=VIEW).render(), flag=two, sword=corner)
    told = str(evening.enrol("--from", str(source)).exception)
    assert "crown/1.png: No piece found. Lay exactly one on the mat" in told
    assert "flag/1.png: 2 pieces were found on the mat. Leave exactly one there" in told
    assert "sword/1.png: Markers are visible, but no mat is found (known here: tellstones" in told
    assert list(load(evening.set).pictures) == ["crown"]


def test_a_lamp_is_mirrored_in_a_camera_s_picture_and_in_no_scan(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path)
    image = decoded(photograph)
    y, x = np.indices(image.shape[:2])
    at = np.argwhere(cv2.absdiff(image, World(load_mat(), [], view=VIEW).render()).max(axis=2) > 40).mean(axis=0)
    lamp = 500 * np.exp(-((x - at[1]) ** 2 + (y - at[0]) ** 2) / (2 * 6.0**2))
    shiny = np.asarray(np.clip(image + lamp[..., None], 0, 255), np.uint8)
    scan = np.full((160, 160, 3), 255, np.uint8)
    cv2.circle(scan, (80, 80), 70, (90, 110, 60), -1)
    told = evening.enrol("--from", str(photos(tmp_path / "photos", crown=shiny, sword=scan)))
    assert told.exit_code == 0, told.exception
    assert "Fix this: crown: a lamp is reflected in it." in told.output
    assert told.output.count("a lamp is reflected") == 1


def spoilt(photograph: bytes) -> dict[str, Image]:
    """Photographs of the mat that show no marker: moved while taken, moved back as well, cut, and in the dark."""
    image = decoded(photograph)
    along = np.zeros((1, 25), np.float32) + 1 / 25
    return {
        "crown": np.asarray(cv2.filter2D(image, -1, along), np.uint8),
        "shield": np.asarray(cv2.addWeighted(image, 0.5, np.roll(image, 25, axis=0), 0.5, 0), np.uint8),
        "sword": image[90:-90, 130:-130],
        "flag": image[90:-90, 300:-300],
        "hammer": np.zeros_like(image),
        "scales": np.full((200, 200, 3), 180, np.uint8),
    }


def noisy(levels: Image | np.ndarray, seed: int = 1) -> Image:
    noise = 3 * np.random.default_rng(seed).standard_normal(levels.shape)
    return np.asarray(np.clip(levels + noise, 0, 255), np.uint8)


def landscape() -> Image:
    """Sky, hills and houses in a square."""
    y, x = np.mgrid[:400, :400] / 400
    image = np.full((400, 400, 3), (210, 170, 120), np.uint8)
    image[y > 0.55 + 0.08 * np.sin(6 * x)] = (60, 120, 70)
    image[y > 0.8] = (50, 90, 110)
    for house in range(6):
        cv2.rectangle(image, (40 + 52 * house, 175), (64 + 52 * house, 240), (90, 100 + 20 * house, 150), -1)
    return noisy(image)


def no_pieces() -> dict[str, tuple[Image, str]]:
    """Pictures that show no piece, by the kind they are given as, and a part of the sentence about each."""
    square = World(load_mat(), [Stone(210.0, 150.0, "crown")], view=View(width=720, height=720)).render()
    hand = World(load_mat(), [Stone(210.0, 150.0, "crown")], [Hand(215.0, 160.0)], view=VIEW).render()
    table = np.full((400, 400, 3), 200.0) * np.linspace(0.85, 1.05, 400)[None, :, None]
    none = "No piece fills this picture, and no mat was found."
    return {
        "crown": (noisy(np.full((400, 400, 3), 4.0)), "The picture is black."),
        "shield": (noisy(np.full((400, 400, 3), 250.0)), "The picture shows only one colour."),
        "sword": (np.asarray(cv2.blur(square, (1, 19)), np.uint8), none),
        "flag": (hand, "something reaches over the mat's edge. Take your hand away."),
        "knight": (noisy(table), none),
        "hammer": (landscape(), none),
        "scales": (np.asarray(cv2.GaussianBlur(disc("A"), (0, 0), 5), np.uint8), "the picture is blurred."),
    }


def test_a_picture_of_no_piece_is_refused_by_its_name(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    save(old("crown", "sword"), evening.set)
    before = {file.name: file.read_bytes() for file in evening.set.iterdir()}
    for kind, (picture, why) in no_pieces().items():
        result = evening.enrol("--from", str(photos(tmp_path / kind, **{kind: picture})))
        assert isinstance(result.exception, PicturesError), kind
        assert f"{kind}/1.png: " in str(result.exception)
        assert why.casefold() in str(result.exception).casefold()
    assert {file.name: file.read_bytes() for file in evening.set.iterdir()} == before


def test_a_picture_out_of_focus_is_taken_if_its_owner_insists(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    source = photos(tmp_path / "photos", scales=no_pieces()["scales"][0])
    assert evening.enrol("--from", str(source), "--anyway").exit_code == 0
    assert list(load(evening.set).pictures) == ["scales"]
    assert evening.enrol("--anyway").exit_code == 2


def stones(*letters: str) -> dict[str, Image]:
    return {kind: lit(disc(letter), (0.9, 1.0, 1.0)) for kind, letter in zip(LETTERS, letters, strict=True)}


def test_the_old_set_stays_unless_the_new_pictures_show_the_same_pieces(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    assert evening.enrol("--from", str(photos(tmp_path / "first", **stones("A", "B", "C", "E")))).exit_code == 0
    before = {file.name: file.read_bytes() for file in evening.set.iterdir()}
    mixed = photos(tmp_path / "mixed", **stones("A", "C", "B", "7"))
    refused = evening.enrol("--from", str(mixed))
    assert isinstance(refused.exception, PicturesError)
    told = str(refused.exception)
    assert "sword/1.png: It looks like scales, not like sword." in told
    assert "scales/1.png: It looks like sword, not like scales." in told
    assert "flag/1.png: It " in told
    assert "crown/1.png" not in told
    assert {file.name: file.read_bytes() for file in evening.set.iterdir()} == before
    assert evening.enrol("--from", str(mixed), "--anyway").exit_code == 0
    assert np.array_equal(load(evening.set).pictures["flag"][0], stones("A", "C", "B", "7")["flag"])


def test_pictures_that_make_two_pieces_alike_are_refused(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    assert evening.enrol("--from", str(photos(tmp_path / "first", **stones("A", "B", "C", "E")))).exit_code == 0
    again = lit(disc("A"), (0.9, 1.0, 1.0), seed=2)
    told = str(evening.enrol("--from", str(photos(tmp_path / "twins", hammer=again))).exception)
    assert "look too alike" in told
    assert "hammer" not in load(evening.set).pictures


def test_one_picture_in_a_wrong_folder_is_found_by_the_others(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    source = photos(tmp_path / "photos", **stones("A", "B", "C", "E"))
    for number in (2, 3):
        for kind, letter in LETTERS.items():
            wrong = (kind, number) == ("flag", 3)
            picture = lit(disc("B" if wrong else letter), (1.0, 0.95, 0.9), seed=number)
            cv2.imwrite(str(source / kind / f"{number}.png"), picture)
    told = str(evening.enrol("--from", str(source)).exception)
    assert told.count(".png: ") == 1
    assert "flag/3.png: It looks like sword, not like flag." in told
    assert not (evening.set / "enrolled.json").exists()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("language", "answer", "agrees"),
    [("en", "y", True), ("en", "No", False), ("en", "", False), ("ru", "Да", True), ("ru", "н", False)],
)
def test_at_a_terminal_the_owner_is_asked_in_the_commands_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, answer: str, agrees: bool
) -> None:
    asked: list[str] = []

    def reply(text: str) -> str:
        asked.append(text)
        return answer

    evening = Evening(tmp_path)
    source = photos(tmp_path / "photos", scales=no_pieces()["scales"][0])
    monkeypatch.setattr("builtins.input", reply)
    monkeypatch.setattr("sys.stdin", Terminal())
    with nullcontext() if agrees else pytest.raises(PicturesError):
        from_pictures(source, load_set(), evening.set, Wanted((), False, (), language=language))
    (question,) = asked
    assert question.endswith("[Да/Нет]: " if language == "ru" else "Use them anyway? [Yes/No]: ")
    assert (evening.set / "enrolled.json").exists() is agrees


@pytest.mark.parametrize("words", [(), ("--replace",), ("crown", "shield", "sword", "flag", "hammer", "scales")])
def test_a_photograph_of_the_mat_is_no_crop_of_a_piece(tmp_path: Path, photograph: bytes, words: list[str]) -> None:
    evening = Evening(tmp_path)
    save(old("crown", "sword"), evening.set)
    before = {file.name: file.read_bytes() for file in evening.set.iterdir()}
    source = photos(tmp_path / "photos", **spoilt(photograph), knight=tile("B"))
    result = evening.enrol(*words, "--from", str(source))
    assert result.exit_code != 0
    told = str(result.exception)
    for kind in ("crown", "shield", "sword", "flag"):
        assert f"{kind}/1.png: No piece fills this picture, and no mat was found." in told
    assert "hammer/1.png: The picture is black." in told
    assert "scales/1.png: The picture shows only one colour" in told
    assert "knight" not in told
    assert {file.name: file.read_bytes() for file in evening.set.iterdir()} == before


def test_a_mirrored_photograph_of_the_mat_says_so(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path)
    save(old("crown"), evening.set)
    image = decoded(photograph)
    source = photos(tmp_path / "photos", crown=image[:, ::-1], sword=image[::-1])
    told = str(evening.enrol("--from", str(source)).exception)
    for kind in ("crown", "sword"):
        assert f"{kind}/1.png: The picture is mirrored. Turn mirroring off, and take it again." in told
    assert list(load(evening.set).pictures) == ["crown"]


def test_a_blank_back_may_be_of_one_colour(tmp_path: Path) -> None:
    evening = Evening(tmp_path)
    blank = np.full((150, 150, 3), 240, np.uint8)
    assert evening.enrol("--from", str(photos(tmp_path / "photos", _back=blank))).exit_code == 0
    assert list(load(evening.set).pictures) == ["_back"]


def test_a_picture_of_the_size_of_those_that_show_the_mat_is_one_of_them(tmp_path: Path) -> None:
    """The camera gives squares, and in one of them a hand lies on the markers."""
    evening = Evening(tmp_path)
    save(old("flag"), evening.set)
    square = World(load_mat(), [Stone(210.0, 150.0, "crown")], view=View(width=720, height=720)).render()
    assert square.shape[0] == square.shape[1]
    large = np.asarray(cv2.resize(tile("E"), square.shape[:2]), np.uint8)
    source = photos(tmp_path / "photos", crown=square, flag=large, sword=tile("B"))
    told = str(evening.enrol("--from", str(source)).exception)
    assert told.count(": No piece fills this picture") == 1
    assert "flag/1.png: No piece fills" in told
    assert list(load(evening.set).pictures) == ["flag"]


def test_a_slip_of_the_fingers_takes_nothing_and_is_asked_again(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path, photograph)
    told = evening.enrol("crown", keys="w\n0\n9\nq\n")
    assert "Taken:" not in told.output
    assert told.output.count("q: Stop") == 4
    assert "stones: nothing is enrolled" in told.output


def test_it_speaks_the_tables_language_or_the_one_that_is_asked_for(tmp_path: Path, photograph: bytes) -> None:
    evening = Evening(tmp_path, photograph)
    text = evening.table.read_text(encoding="utf-8")
    assert 'language = "en"' in text
    evening.table.write_text(text.replace('language = "en"', 'language = "zh_Hans"', 1), encoding="utf-8")

    def stop(language: str, *words: str) -> str:
        told = evening.enrol("crown", *words, keys="q\n")
        assert told.exit_code == 0, told.output
        last = translate(say("{set}: nothing is enrolled.", set="stones"), language)
        assert told.output.rstrip().endswith(last)
        return told.output

    stop("zh_Hans")
    with Journal(evening.state / "journal.db") as journal:
        journal.write(settings={"language": "ru"})
    assert f"q: {translate(say('Stop'), 'ru')}" in stop("ru"), "chosen at the table since"
    assert "q: Stop" in stop("en", "--language", "en")
