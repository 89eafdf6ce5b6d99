"""What was measured at enrolment takes the place of what the set's data say."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.vision.faces import tile
from tests.vision.scenes import load_set
from vision.files import BadFile
from vision.recognition.enrolment import EnrolledSet, retake, save
from vision.recognition.index import MEASURES, Index, read_index
from vision.recognition.piece_sizes import (
    Measured,
    Outline,
    by_kind,
    elsewhere,
    read_measures,
    with_measurements,
    with_size,
)

STONES = load_set()


def disc(across: float, thick: float | None = None) -> Measured:
    return Measured(Outline.DISC, across, across, thick)


@pytest.mark.parametrize(("measured", "size"), [(34.0, 34.0), (33.2, 34.0), (34.9, 34.0), (30.0, 30.0), (45.0, 45.0)])
def test_a_set_is_as_large_as_measured_and_as_it_says_if_that_is_the_same(measured: float, size: float) -> None:
    assert with_size(STONES, [disc(measured)]).size_mm == (size, size)


def test_one_bad_measure_among_many_changes_nothing() -> None:
    assert with_size(STONES, [disc(30.1), disc(30.3), disc(61.0)]).size_mm == (30.3, 30.3)


@pytest.mark.parametrize(
    ("seen", "thickness"),
    [([], 8.0), ([3.0, 3.4, 2.8], 3.0), ([9.9], 8.0), ([3.0, 9.0], 8.0), ([2.0, 6.0, 12.0], 8.0)],
)
def test_a_thickness_counts_only_if_most_pictures_agree_on_it(seen: list[float], thickness: float) -> None:
    measured = [disc(34.0, one) for one in seen] or [disc(34.0)]
    assert with_size(STONES, measured).thickness_mm == thickness


def test_a_thickness_that_hardly_a_picture_shows_is_not_the_sets() -> None:
    assert with_size(STONES, [disc(34.0, 2.8), *[disc(34.0)] * 15]).thickness_mm == 8.0
    assert with_size(STONES, [*[disc(34.0, 2.8)] * 4, *[disc(34.0)] * 12]).thickness_mm == 2.8


def test_square_stones_are_looked_for_as_squares() -> None:
    pieces = with_size(STONES, [Measured(Outline.SQUARE, 28.0, 28.4)] * 3)
    assert (pieces.shape, pieces.size_mm) == ("square", (28.0, 28.0))


def test_measures_belong_to_pictures_and_go_with_them(tmp_path: Path) -> None:
    index = Index("stones", "any", ())
    taken = {"crown": (tile("A"),), "flag": (tile("B"),)}
    index = retake(tmp_path, index, taken, {"crown": [disc(30.0)], "flag": [disc(30.2)]})
    assert by_kind(index, read_measures(tmp_path)) == {"crown": (disc(30.0),), "flag": (disc(30.2),)}
    assert with_measurements(STONES, tmp_path).size_mm == pytest.approx((30.1, 30.1))
    index = retake(tmp_path, index, {"flag": (tile("E"),)}, {"flag": [None]})
    assert by_kind(read_index(tmp_path), read_measures(tmp_path)) == {"crown": (disc(30.0),)}
    assert with_measurements(STONES, tmp_path) is STONES, "half of the pictures tell no size: the set's data do"


def test_a_set_that_was_never_measured_is_as_its_data_say(tmp_path: Path) -> None:
    save(EnrolledSet("stones", "any", {"crown": (tile("A"),)}), tmp_path)
    assert not (tmp_path / MEASURES).exists()
    assert with_measurements(STONES, tmp_path) is STONES


def test_a_broken_file_is_told_and_the_next_enrolment_mends_it(tmp_path: Path) -> None:
    index = retake(tmp_path, Index("stones", "any", ()), {"crown": (tile("A"),)}, {"crown": [disc(30.0)]})
    (tmp_path / MEASURES).write_bytes(b"{")
    with pytest.raises(BadFile, match=MEASURES):
        with_measurements(STONES, tmp_path)
    retake(tmp_path, index, {"crown": (tile("A"),)}, {"crown": [disc(31.0)]})
    assert with_measurements(STONES, tmp_path).size_mm == (31.0, 31.0)


def test_a_newer_file_is_not_guessed_at(tmp_path: Path) -> None:
    retake(tmp_path, Index("stones", "any", ()), {"crown": (tile("A"),)}, {"crown": [disc(30.0)]})
    data = msgspec.json.decode((tmp_path / MEASURES).read_bytes())
    (tmp_path / MEASURES).write_bytes(msgspec.json.encode({**data, "version": 2}))
    with pytest.raises(BadFile, match="this program reads 1"):
        read_measures(tmp_path)


@pytest.mark.parametrize(
    ("width", "mats", "why"),
    [
        (1280, {"tellstones"}, None),
        (1152, {"tellstones", "runes"}, None),
        (1920, {"tellstones"}, "with another camera: its pictures were 1280 pixels wide, these are 1920"),
        (1280, {"runes"}, "on another mat: tellstones"),
    ],
)
def test_a_set_from_another_camera_or_mat_is_told(width: int, mats: set[str], why: str | None) -> None:
    measured = msgspec.structs.replace(disc(34.0), mat="tellstones", picture=(1280, 720))
    told = elsewhere([measured, disc(34.0)], width, mats)
    assert told is None if why is None else why in str(told)
    assert elsewhere([disc(34.0)], width, mats) is None, "nobody wrote down where"
