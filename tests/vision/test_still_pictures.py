"""`look`: pictures, folders and videos in; numbers out."""

from __future__ import annotations

from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from engine.table import Sight, Sighting
from tests.vision.faces import Image
from tests.vision.scenes import LINE_Y, Hand, Stone, View, World, load_mat, load_set, seven
from tests.vision.tables import MAT, SIDES, STONES, Correlator, enrolled
from vision.camera import CameraLost
from vision.cards.tracks import CARD_TRACKS
from vision.finding.accuracy import OFF_CARD_MM
from vision.pictures import Unread
from vision.recognition.naming import PieceSet
from vision.still_pictures import look
from vision.survey import FOREIGN_TRACKS, MatSurvey


@pytest.fixture(scope="module")
def recogniser() -> Correlator:
    return enrolled()


@pytest.mark.thorough
def test_a_folder_is_told_picture_by_picture(tmp_path: Path, recogniser: Correlator) -> None:
    world = World(MAT, seven(MAT))
    cv2.imwrite(str(tmp_path / "1.png"), world.render())
    world.stones[0].y += 60
    cv2.imwrite(str(tmp_path / "2.png"), world.render())
    first, second = look(tmp_path, MAT, {"stones": STONES}, {"stones": recogniser})
    told = msgspec.to_builtins(first)
    assert set(told) == {"image", "t", "pieces", "touched", "ms"}
    steps = {"other", "mat", "light", "sheet", "pieces", "names", "cards", "hands", "objects", "tracks"}
    assert set(told["ms"]) == steps
    assert told["ms"]["pieces"] > told["ms"]["cards"] >= 0
    assert set(told["pieces"][0]) == {
        "id", "zone", "x_mm", "y_mm", "angle_deg", "kind", "face", "confidence", "state", "error_mm",
    }  # fmt: skip
    assert [piece.kind for piece in first.pieces] == [stone.kind for stone in world.stones]
    for piece, stone in list(zip(first.pieces, world.stones, strict=True))[1:]:  # the first is moved for the second
        assert piece.error_mm is not None
        assert 0.1 < piece.error_mm < 3.0
        assert np.hypot(piece.x_mm - stone.x, piece.y_mm - stone.y) < 2 * piece.error_mm
    moved = first.pieces[0]
    assert second.touched == (moved.id,)
    (now,) = [piece for piece in second.pieces if piece.id == moved.id]
    assert (now.zone, now.kind, round(now.y_mm - moved.y_mm)) == (None, "crown", 60)


def test_beside_the_zones_a_card_is_told_as_a_card_and_a_disc_as_the_least_sure_of_discs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mat, names = load_mat("fence"), ("fence-cards", "fence-figures", "fence-markers")
    sets = {name: load_set(name) for name in names}
    cv2.imwrite(str(tmp_path / "x.png"), World(mat, view=View(distance=720.0)).render())
    x, y = (length / 4 for length in mat.size_mm)
    tracks = (1, CARD_TRACKS + 1, FOREIGN_TRACKS)
    strays = tuple(Sighting(track, None, None, Sight.SEEN, 0.0, x, y, 0.0) for track in tracks)
    monkeypatch.setattr(MatSurvey, "strays", lambda *_: strays)

    def told(**other: PieceSet) -> list[float | None]:
        (only,) = look(tmp_path / "x.png", mat, sets | {f"fence-{name}": each for name, each in other.items()}, {})
        return [piece.error_mm for piece in only.pieces if piece.id in tracks]

    disc, card, foreign = told()
    assert disc is not None
    assert card is not None
    assert foreign is None
    assert disc < 1.5
    assert card >= OFF_CARD_MM
    assert card != disc
    for name in ("figures", "markers"):
        high = told(**{name: msgspec.structs.replace(sets[f"fence-{name}"], thickness_mm=40.0)})
        assert high[0] is not None
        assert high[0] > disc
        assert high[1:] == [card, None]


def test_a_picture_without_a_mat_says_so(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "x.png"), World(MAT).render()[:200, :200])
    (only,) = look(tmp_path / "x.png", MAT, {"stones": STONES}, {})
    assert (only.health, only.pieces) == ("no_mat", ())


def test_a_mirrored_picture_says_so(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "x.png"), World(MAT).render()[:, ::-1])
    (only,) = look(tmp_path / "x.png", MAT, {"stones": STONES}, {})
    assert (only.health, only.pieces) == ("mirrored", ())


@pytest.mark.thorough
def test_a_picture_of_another_mat_says_so_also_after_one_of_the_right_mat(tmp_path: Path) -> None:
    other = msgspec.structs.replace(
        MAT, name="other", markers=tuple(msgspec.structs.replace(each, id=each.id + 20) for each in MAT.markers)
    )
    cv2.imwrite(str(tmp_path / "1.png"), World(MAT).render())
    cv2.imwrite(str(tmp_path / "2.png"), World(other).render())
    told = look(tmp_path, MAT, {"stones": STONES}, {}, others=(MAT, other))
    assert [(seen.health, seen.instead) for seen in told] == [("ok", ""), ("no_mat", "other")]


def test_a_picture_without_the_mat_says_so_also_after_one_with_it(tmp_path: Path) -> None:
    seen = World(MAT).render()
    cv2.imwrite(str(tmp_path / "1.png"), seen)
    cv2.imwrite(str(tmp_path / "2.png"), np.full_like(seen, 90))
    told = look(tmp_path, MAT, {"stones": STONES}, {})
    assert [each.health for each in told] == ["ok", "no_mat"]


def test_a_video_without_pictures_is_an_error(tmp_path: Path) -> None:
    path = str(tmp_path / "empty.avi")
    cv2.VideoWriter(path, cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (640, 480)).release()
    with pytest.raises(CameraLost, match=r"empty\.avi"):
        list(look(Path(path), MAT, {"stones": STONES}, {}))


@pytest.mark.thorough
def test_a_video_is_told_rest_by_rest(tmp_path: Path, recogniser: Correlator) -> None:
    world = World(MAT, [Stone(150, LINE_Y, "crown"), Stone(250, LINE_Y, "flag")])
    stone = world.stones[1]
    frames: list[Image] = []

    def film(count: int) -> None:
        frames.extend(world.render() for _ in range(count))

    film(10)
    for y in (400, 320, 240, 170):
        world.hands = [Hand(stone.x, y)]
        film(2)
    stone.x += 40
    for y in (240, 320, 400):
        world.hands = [Hand(stone.x, y)]
        film(2)
    world.hands = []
    film(12)
    video = tmp_path / "v.avi"
    writer = cv2.VideoWriter(str(video), cv2.VideoWriter.fourcc(*"MJPG"), 10, (1280, 720))
    for image in frames:
        writer.write(image)
    writer.release()
    first, second = look(video, MAT, {"stones": STONES}, {"stones": recogniser}, sides=SIDES)
    assert [piece.kind for piece in first.pieces] == ["crown", "flag"]
    assert second.touched == (first.pieces[1].id,)
    assert second.pieces[1].x_mm == pytest.approx(290, abs=1.5)


def test_what_is_no_picture_is_skipped_and_told(tmp_path: Path) -> None:
    for name in (".hidden.png", "1.png", "2.png", "notes.txt"):
        (tmp_path / name).write_bytes(b"broken")
    (tmp_path / "3").write_bytes(cv2.imencode(".png", World(MAT).render()[:200, :200])[1].tobytes())
    left: list[Unread] = []
    (only,) = look(tmp_path, MAT, {"stones": STONES}, {}, skip=left.append)
    assert only.image == "3"
    assert sorted(each.path.name for each in left) == ["1.png", "2.png", "notes.txt"]
    with pytest.raises(CameraLost, match=r"1\.png cannot be read \(broken\)"):
        list(look(tmp_path / "1.png", MAT, {"stones": STONES}, {}))


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CameraLost):
        list(look(tmp_path, MAT, {"stones": STONES}, {}))
    with pytest.raises(CameraLost):
        list(look(tmp_path / "none.mp4", MAT, {"stones": STONES}, {}))
