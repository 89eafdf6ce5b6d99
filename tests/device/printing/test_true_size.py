"""What is printed has the size it says: pages, markers and boards are measured in the rendered files."""

from __future__ import annotations

import shutil
import subprocess
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import cv2
import msgspec
import numpy as np
import pytest
from PIL import Image, ImageChops

from device import games
from device.locale import LANGUAGES
from device.printing import Paper, geometry, mat, mats, render, sheets
from device.printing.drawing import A4, LETTER, Clip, Label, Shape, Sheet
from device.printing.formats import pdf_file, picture
from device.printing.mat import marker
from engine.catalogue import GameSpec, TableSetup
from engine.errors import Invalid
from tests.pairing import paired
from vision.registration.lens import CalibrationBoard, dictionary

SPEC = GameSpec(
    name="tellstones",
    title="Tellstones",
    factory="engine.tellstones:create",
    clause_letter="T",
    tables=(
        TableSetup((2, 4), mat="tellstones"),
        TableSetup((2,), {"mode": "two-line"}, mat="tellstones-two"),
        TableSetup((4,), {"mode": "team"}, mat="tellstones"),
    ),
)
NO_MAT = GameSpec("dice", "Dice", "engine.dice:create", "D", (TableSetup((2,)),))
ON_MATS = {name: spec for name, spec in games.specs().items() if any(table.mat for table in spec.tables)}
DPI = 150
MM = DPI / 25.4

needs_poppler = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="needs poppler-utils")


def rasterised(pdf: bytes, folder: Path) -> list[np.ndarray]:
    """Every page of a PDF as gray, DPI dots an inch."""
    source = folder / "sheet.pdf"
    source.write_bytes(pdf)
    subprocess.run(["pdftoppm", "-r", str(DPI), "-gray", source, folder / "page"], check=True, timeout=60)
    pages = [cv2.imread(str(path), cv2.IMREAD_GRAYSCALE) for path in sorted(folder.glob("page*.pgm"))]
    return [np.asarray(page) for page in pages]


def detected(page: np.ndarray, name: str) -> dict[int, np.ndarray]:
    """Marker corners in millimetres by id."""
    options = cv2.aruco.DetectorParameters()
    options.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary(name), options).detectMarkers(page)
    numbers = [] if ids is None else [int(number) for number in np.asarray(ids).ravel()]
    return {
        number: (np.asarray(found).reshape(4, 2) + 0.5) / MM for number, found in zip(numbers, corners, strict=True)
    }


def promised(found: dict[str, object]) -> dict[int, np.ndarray]:
    markers = found["markers"]
    assert isinstance(markers, list)
    return {each["id"]: np.array(each["corners"]) for each in markers}


@pytest.mark.thorough
@needs_poppler
def test_markers_of_the_printed_mat_are_where_the_geometry_says(tmp_path: Path) -> None:
    ((name, pdf),) = render(sheets("mat", SPEC), "pdf", "mat tellstones")
    assert name == "mat-tellstones.pdf"
    pages = rasterised(pdf, tmp_path)
    told = geometry("mat", SPEC)
    for page, mat_told in zip(pages, (told, *told["others"]), strict=True):
        height, width = page.shape
        assert (width / MM, height / MM) == pytest.approx(mat_told["size_mm"], abs=0.2)
        seen = detected(page, mat_told["dictionary"])
        wanted = promised(mat_told)
        assert seen.keys() == wanted.keys()
        for number, corners in wanted.items():
            assert np.abs(seen[number] - corners).max() < 0.15


@needs_poppler
def test_tiles_put_together_are_the_mat(tmp_path: Path) -> None:
    pages = sheets("mat", SPEC, "a4")
    assert [page.name for page in pages[:4]] == ["tellstones 1-1", "tellstones 1-2", "tellstones 2-1", "tellstones 2-2"]
    assert all((page.width, page.height) in (A4, A4[::-1]) for page in pages)
    pictures = rasterised(render(pages[:4], "pdf", "tiles")[0][1], tmp_path)
    width, height = 210.0, 148.5
    left, top = (297 - width) / 2, (210 - height) / 2
    wanted = promised(geometry("mat", SPEC))
    for number, (page, (column, row)) in enumerate(zip(pictures, ((0, 0), (1, 0), (0, 1), (1, 1)), strict=True)):
        ident = (0, 1, 3, 2)[number]
        seen = detected(page, "4x4_50")
        assert set(seen) == {ident}
        at = np.array([left - column * width, top - row * height])
        assert np.abs(seen[ident] - at - wanted[ident]).max() < 0.15


def test_a_sheet_that_fits_is_not_cut() -> None:
    assert sheets("stones", SPEC, "a4") == sheets("stones", SPEC)
    assert sheets("calibration", SPEC, "a4") == sheets("calibration", SPEC)


@pytest.mark.parametrize(("paper", "size"), [("a4", A4), ("letter", LETTER)])
def test_every_sheet_of_home_paper_has_a_line_to_measure(paper: Paper, size: tuple[float, float]) -> None:
    """In one piece, and nowhere cut by a crop mark."""
    for page in (*sheets("mat", SPEC, paper), *sheets("stones", SPEC, paper)):
        assert (page.width, page.height) in (size, size[::-1])
        lines = [i for i in page.items if isinstance(i, Label) and i.text == "100 mm"]
        assert [5 < line.at[1] < page.height - 3 for line in lines] == [True]
        inside = [part for clip in page.items if isinstance(clip, Clip) for part in clip.items]
        assert not [i for i in inside if isinstance(i, Label) and i.text == "100 mm"]


@pytest.mark.thorough
def test_svg_and_png_are_of_the_same_size() -> None:
    (sheet, _) = sheets("mat", SPEC)
    root = ElementTree.fromstring(render((sheet,), "svg", "mat")[0][1])
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("420mm", "297mm", "0 0 420 297")
    with Image.open(BytesIO(render((sheet,), "png", "mat")[0][1])) as image:
        assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
        assert image.width / 300 * 25.4 == pytest.approx(420, abs=0.1)
        gray = np.asarray(image.convert("L").resize((round(420 * MM), round(297 * MM)), Image.Resampling.BOX))
    wanted = promised(geometry("mat", SPEC))
    for number, corners in detected(gray, "4x4_50").items():
        assert np.abs(corners - wanted.pop(number)).max() < 0.25
    assert wanted == {}


def test_patches_and_zones_have_their_colours_in_their_places() -> None:
    shipped = mat.load("tellstones")
    image = picture(mat.sheet(shipped), 2.0)
    for patch, colour in ((shipped.white, (255, 255, 255)), (shipped.gray, (128, 128, 128))):
        inside = (patch.x + 1, patch.y + 1, patch.x + patch.width - 1, patch.y + patch.height - 1)
        left, top, right, bottom = (round(v * 2) for v in inside)
        assert image.crop((left, top, right, bottom)).getcolors() == [(22 * 22 * 4, colour)]
        assert image.getpixel((round(patch.x * 2) - 3, round(patch.y * 2))) == (0x46, 0x5C, 0x4A)
    zone = shipped.zones[0].box
    edge = image.getpixel((round(zone.x * 2), round((zone.y + zone.height / 2) * 2)))
    assert edge == (0xA0, 0xB0, 0x96)


def test_the_calibration_board_is_the_one_that_opencv_looks_for() -> None:
    board = CalibrationBoard()
    gray = np.asarray(picture(mat.board_sheet(board), 6.0).convert("L"))
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board.charuco()).detectBoard(gray)
    columns, rows = board.columns, board.rows
    assert sorted(np.asarray(ids).ravel().tolist()) == list(range((columns - 1) * (rows - 1)))
    found = (
        np.asarray(corners).reshape(-1, 2)[np.argsort(np.asarray(ids).ravel())].reshape(rows - 1, columns - 1, 2) / 6.0
    )
    assert np.diff(found[:, :, 0], axis=1) == pytest.approx(board.square_mm, abs=0.1)
    assert np.diff(found[:, :, 1], axis=0) == pytest.approx(board.square_mm, abs=0.1)
    seen = promised(geometry("calibration", SPEC))
    assert len(seen) == columns * rows // 2


@needs_poppler
def test_stones_are_as_wide_as_their_set_says(tmp_path: Path) -> None:
    page, *copies = rasterised(render(sheets("stones", SPEC), "pdf", "stones")[0][1], tmp_path)
    assert len(copies) == 1, "two Lines need every stone twice"
    blobs, _ = cv2.findContours((page < 250).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    boxes = [cv2.boundingRect(blob) for blob in blobs]
    widths = [(width / MM, height / MM) for _, _, width, height in boxes if width > 20 * MM and height > 20 * MM]
    assert len(widths) == 14
    assert np.array(widths) == pytest.approx(34.0, abs=0.5)
    (told,) = geometry("stones", SPEC)["sets"]
    assert told["kinds"] == ("crown", "shield", "sword", "flag", "knight", "hammer", "scales")


def test_the_same_sheet_gives_the_same_file() -> None:
    pages = sheets("mat", SPEC, "a4")
    for form in ("pdf", "svg"):
        assert render(pages, form, "mat") == render(pages, form, "mat")


def test_a_game_without_a_mat_says_so() -> None:
    with pytest.raises(Invalid, match="Dice needs no mat"):
        sheets("mat", NO_MAT)
    with pytest.raises(ValueError, match="4x4_50"):
        marker("9x9_7", 0, 0, 0, 10)


def test_every_marker_of_the_shipped_mats_keeps_a_white_rim() -> None:
    for name in ("tellstones", "tellstones-two"):
        image = np.asarray(picture(mat.sheet(mat.load(name)), 4.0).convert("L"))
        for each in mat.load(name).markers:
            x, y, side = (round(v * 4) for v in (each.x, each.y, each.side))
            for strip in (image[y - 12 : y - 2, x : x + side], image[y : y + side, x - 12 : x - 2]):
                assert strip.min() == 255


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", [mat for game in ON_MATS.values() for mat in mats(game)])
def test_the_line_of_a_mat_that_measures_100_mm_lies_on_bare_ground(name: str) -> None:
    laid = mat.load(name)
    plain, measured = (picture(mat.sheet(laid, measured=each), 4.0).convert("L") for each in (False, True))
    left, top, right, bottom = (round(each / 4, 1) for each in ImageChops.difference(plain, measured).getbbox() or ())
    assert right - left == pytest.approx(100.0, abs=1.0)
    assert min(left, top, laid.size_mm[0] - right, laid.size_mm[1] - bottom) >= 4.5
    for each in (*(zone.box for zone in laid.zones), laid.white, laid.gray):
        apart = max(each.x - right, left - each.x - each.width, each.y - bottom, top - each.y - each.height)
        assert apart >= 0.5


@needs_poppler
def test_a_label_of_any_script_is_printed(tmp_path: Path) -> None:
    printed = dict[str, bytes]()
    for label in ("Мир", "Рим", "石", "王"):
        laid = mat.load("tellstones")
        zones = tuple(msgspec.structs.replace(zone, label=label) for zone in laid.zones)
        pdf = pdf_file((mat.sheet(msgspec.structs.replace(laid, zones=zones)),), "mat")
        printed[label] = rasterised(pdf, tmp_path)[0].tobytes()
    assert len(set(printed.values())) == len(printed)


@pytest.mark.quick(2)
@pytest.mark.parametrize(("language", "game"), paired(LANGUAGES, sorted(ON_MATS)))
def test_a_plan_names_every_zone_and_place(language: str, game: str) -> None:
    """Within the page, and no name over another."""
    spec = games.spec(game)
    for page in sheets("plan", spec, language=language):
        shipped = mat.load(page.name.removesuffix(" plan"))
        written = [_bounds(i) for i in page.items if isinstance(i, Shape) and i.fill in (mat.INK, mat.FRAME)]
        places = sum(len(zone.cells) for zone in shipped.zones if len(zone.cells) > 1)
        seats = max(map(len, shipped.sides.values()))
        assert len(written) == 1 + len(shipped.zones) + places + seats
        for number, (left, top, right, bottom) in enumerate(written):
            assert 0 < left < right < page.width
            assert 0 < top < bottom < page.height
            for other in written[:number]:
                assert left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]


def _bounds(shape: Shape) -> tuple[float, float, float, float]:
    points = np.array([point for outline in shape.outlines for point in outline])
    return (*points.min(0), *points.max(0))


def test_an_empty_sheet_is_white() -> None:
    assert picture(Sheet("empty", 10, 5, ()), 1.0).getcolors() == [(50, (255, 255, 255))]
