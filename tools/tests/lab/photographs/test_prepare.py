"""The recipe of the photographed sets, on sets that are drawn here: folders of crops, and photographs with boxes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import cv2
import numpy as np
import pytest

from tools.lab.evaluate import evaluate
from tools.lab.photographs.__main__ import main
from tools.lab.photographs.prepare import crops
from tools.lab.photographs.source import Folder, open_source
from tools.lab.photographs.table import PhotoSet, SetError, read_table

BY_FOLDER = 'pictures = "all/(?P<kind>[a-z]+)/(?P<photo>day.)-.+[.]png"'
BY_BOX = 'pictures = "images/(?P<photo>.+)_v.[.]png"\nnames = ["ring", "", "cross"]'


def table(folder: Path, rule: str, more: str = "") -> Path:
    file = folder / "sets.toml"
    file.write_text(
        '[drawn]\naddress = "nowhere"\ncommit = "HEAD"\nlicence = "CC0"\nby = "nobody"\nwhat = "Marks."\n'
        f"{rule}\n{more}\n"
    )
    return file


def mark(kind: str, day: int, side: int = 64) -> np.ndarray:
    """A ring, a cross or a bar on paper that is darker each day."""
    paper = np.full((side, side, 3), 235 - 12 * day, np.uint8)
    middle, reach = side // 2, side // 3
    if kind == "ring":
        cv2.circle(paper, (middle, middle), reach, (30, 30, 160), side // 9)
    if kind == "cross":
        cv2.line(paper, (middle - reach, middle), (middle + reach, middle), (120, 40, 20), side // 9)
    if kind in ("cross", "bar"):
        cv2.line(paper, (middle, middle - reach), (middle, middle + reach), (120, 40, 20), side // 9)
    return paper


def write(path: Path, image: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(cv2.imencode(".png", image)[1].tobytes())


def by_folder(root: Path, days: int = 5) -> Path:
    for kind in ("ring", "cross", "bar"):
        for day in range(days):
            for shot in (1, 2):
                write(root / "all" / kind / f"day{day}-{shot}.png", mark(kind, day))
    return root


def by_box(root: Path, days: int = 5) -> Path:
    """Photographs of a ring, a bar that is not asked for and a cross, side by side, each photograph in two versions."""
    for day in range(days):
        table_top = np.full((100, 300, 3), 90, np.uint8)
        for number, kind in enumerate(("ring", "bar", "cross")):
            table_top[20:84, 20 + 100 * number : 84 + 100 * number] = mark(kind, day)
        for version in (1, 2):
            write(root / "images" / f"{day}_v{version}.png", table_top)
            label = root / "labels" / f"{day}_v{version}.txt"
            label.parent.mkdir(exist_ok=True)
            label.write_text(
                f"0 {52 / 300} 0.52 {64 / 300} 0.64\n1 {152 / 300} 0.52 {64 / 300} 0.64\n\n"
                f"2 {220 / 300} 0.2 {284 / 300} 0.2 {284 / 300} 0.84 {220 / 300} 0.84\n"
            )
    return root


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True, text=True).stdout


def committed(root: Path) -> str:
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "pictures")
    return git(root, "rev-parse", "HEAD").strip()


def pictures(folder: Path) -> dict[str, int]:
    return {kind.name: len(list(kind.glob("*.png"))) for kind in sorted(folder.iterdir())}


def test_a_folder_of_crops_becomes_a_set_that_is_enrolled_and_named(tmp_path: Path) -> None:
    source, out = by_folder(tmp_path / "source"), tmp_path / "out"
    asked = ["--table", str(table(tmp_path, BY_FOLDER, "shots = 2")), "--from", str(source)]
    assert main([str(out), "drawn", *asked]) == 0
    assert pictures(out / "drawn" / "enrol") == {"bar": 2, "cross": 2, "ring": 2}
    assert pictures(out / "drawn" / "test") == {"bar": 3, "cross": 3, "ring": 3}
    assert main([str(out / "once"), "drawn", *asked, "--shots", "1"]) == 0
    assert pictures(out / "once" / "drawn" / "enrol") == {"bar": 1, "cross": 1, "ring": 1}
    assert "nobody; CC0" in (out / "drawn" / "README.md").read_text()
    figures = evaluate(out / "drawn", shots=1)
    assert (figures.items, figures.wrong_accepted) == (9, 0)


def test_no_day_is_learnt_from_and_named(tmp_path: Path) -> None:
    source = by_folder(tmp_path / "source")
    asked = ["--table", str(table(tmp_path, BY_FOLDER)), "--from", str(source)]
    assert main([str(tmp_path / "out"), *asked]) == 0
    kinds = tmp_path / "out" / "drawn"
    learnt = {path.read_bytes() for path in (kinds / "enrol" / "ring").iterdir()}
    assert not learnt & {path.read_bytes() for path in (kinds / "test" / "ring").iterdir()}


def test_boxes_are_cut_out_of_one_version_of_each_photograph(tmp_path: Path) -> None:
    source, out = by_box(tmp_path / "source"), tmp_path / "out"
    assert main([str(out), "--table", str(table(tmp_path, BY_BOX)), "--from", str(source)]) == 0
    assert pictures(out / "drawn" / "enrol") == {"cross": 3, "ring": 3}
    assert pictures(out / "drawn" / "test") == {"cross": 2, "ring": 2}
    seen = cv2.imread(str(next((out / "drawn" / "enrol" / "cross").iterdir())))
    assert seen.shape == (64, 64, 3)
    assert min(np.abs(seen.astype(int) - mark("cross", day)).max() for day in range(5)) == 0


def test_of_boxes_that_we_drew_each_is_a_piece_on_another_photograph_than_the_enrolled_one(tmp_path: Path) -> None:
    for photo in (1, 2, 3):
        table_top = np.full((100, 300, 3), 90, np.uint8)
        for number, kind in enumerate(("ring", "ring", "cross")):
            table_top[20:84, 20 + 100 * number : 84 + 100 * number] = mark(kind, 3 * photo + number)
        write(tmp_path / "source" / f"{photo}.png", table_top)
    seen = [[kind, (52 + 100 * at) / 300, 0.52, 64 / 300, 0.64] for at, kind in enumerate(("ring", "ring", "cross"))]
    drawn = "\n".join(f'"{photo}.png" = {seen}' for photo in (1, 2, 3)).replace("'", '"')
    rule = table(tmp_path, 'pictures = "[0-9].png"\nshots = 1\n[drawn.boxes]', drawn)
    assert main([str(tmp_path / "out"), "--table", str(rule), "--from", str(tmp_path / "source")]) == 0
    made = tmp_path / "out" / "drawn"
    assert pictures(made / "enrol") == {"cross": 1, "ring": 1}
    assert pictures(made / "test") == {"cross": 2, "ring": 4}
    (learnt,) = (paper_day(path) // 3 for path in (made / "enrol" / "ring").iterdir())
    assert learnt not in {paper_day(path) // 3 for path in (made / "test" / "ring").iterdir()}


def paper_day(path: Path) -> int:
    """The day of a mark, by its paper."""
    return (235 - int(np.asarray(cv2.imread(str(path)))[0, 0, 0])) // 12


def test_a_margin_is_left_around_a_box(tmp_path: Path) -> None:
    source = by_box(tmp_path / "source")
    asked = read_table(table(tmp_path, BY_BOX, "margin = 0.125"))["drawn"]
    assert {crop.kind for crop in crops(Folder(source), asked)} == {"ring", "cross"}
    for crop in crops(Folder(source), asked):
        left, top, right, bottom = crop.corners or (0, 0, 0, 0)
        assert ((right - left) * 300, (bottom - top) * 100) == pytest.approx((80, 80))


@pytest.mark.parametrize("address", ["{}", "file://{}"])
def test_a_commit_is_read_here_or_from_an_address(tmp_path: Path, address: str) -> None:
    source, out = by_box(tmp_path / "source"), tmp_path / "out"
    commit = committed(source)
    file = table(tmp_path, BY_BOX)
    file.write_text(file.read_text().replace("HEAD", commit).replace("nowhere", address.format(source)))
    for version in (source / "images").iterdir():
        version.unlink()  # what counts is the commit
    assert main([str(out), "--table", str(file)]) == 0
    assert pictures(out / "drawn" / "test") == {"cross": 2, "ring": 2}


def test_a_path_that_is_not_utf_8_is_read_of_a_commit(tmp_path: Path) -> None:
    write(tmp_path / "gold.png", mark("ring", 0))
    try:
        (tmp_path / "gold.png").rename(tmp_path / os.fsdecode(b"\xe6ld.png"))
    except OSError:
        pytest.skip("this file system takes no such name")
    with open_source(str(tmp_path), committed(tmp_path)) as files:
        (path,) = files.paths()
        assert files.read(path) == (tmp_path / path).read_bytes()


def test_nothing_stays_behind_where_too_little_is_found(tmp_path: Path) -> None:
    source, out = by_folder(tmp_path / "source"), tmp_path / "out"
    for kind in ("bar", "cross"):
        (source / "all" / kind).rename(tmp_path / kind)
    asked = [str(out), "--table", str(table(tmp_path, BY_FOLDER)), "--from", str(source)]
    assert main(asked) == 2
    assert not list(out.iterdir())
    (tmp_path / "bar").rename(source / "all" / "bar")
    assert main(asked) == 0
    assert [path.name for path in out.iterdir()] == ["drawn"]


def test_the_same_files_give_the_same_set_and_another_draw_another(tmp_path: Path) -> None:
    source, rule = by_folder(tmp_path / "source"), table(tmp_path, BY_FOLDER)
    for name, draw in (("one", "0"), ("two", "0"), ("other", "1")):
        assert main([str(tmp_path / name), "--draw", draw, "--table", str(rule), "--from", str(source)]) == 0
    one, two, other = (
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*.png")}
        for root in (tmp_path / "one", tmp_path / "two", tmp_path / "other")
    )
    assert len(one) == 15
    assert one == two
    assert sorted(one.values()) == sorted(other.values())
    assert one != other


def test_what_cannot_be_read_is_left_out_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = by_folder(tmp_path / "source")
    (source / "all" / "ring" / "day0-1.png").write_bytes(b"no picture")
    write(source / "all" / "bar" / "day0-1.png", mark("bar", 0, side=12))
    rule = table(tmp_path, BY_FOLDER.replace("(?P<photo>day.)-.+", ".+"), "tests = 30")
    assert main([str(tmp_path / "out"), "--table", str(rule), "--from", str(source)]) == 0
    assert "2 too small or not to be read" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["OUT", "drawn", "other", "--from", "SOURCE"], "has no other; it has drawn"),
        (["OUT", "--from", "SOURCE/all/ring"], "fewer than two kinds"),
        (["OUT", "--from", "SOURCE/nowhere"], "git fetch failed"),
        (["HERE", "--from", "SOURCE"], "is there already"),
    ],
)
def test_what_fails_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    places = {"OUT": tmp_path / "out", "HERE": tmp_path / "here", "SOURCE": by_folder(tmp_path / "source")}
    (tmp_path / "here" / "drawn").mkdir(parents=True)
    for name, place in places.items():
        arguments = [each.replace(name, str(place)) for each in arguments]
    assert main([*arguments, "--table", str(table(tmp_path, BY_FOLDER))]) == 2
    told = capsys.readouterr().err.strip()
    assert said in told
    assert "\n" not in told


@pytest.mark.parametrize("line", ["7 0.5 0.5 0.1 0.1", "0 0.5 0.5 0.1", "ring 0.5 0.5 0.1 0.1"])
def test_a_broken_label_is_named(tmp_path: Path, line: str) -> None:
    source = by_box(tmp_path / "source")
    for label in (source / "labels").iterdir():
        label.write_text(line)
    with pytest.raises(SetError, match=r"labels/\d_v\d[.]txt"):
        crops(Folder(source), read_table(table(tmp_path, BY_BOX))["drawn"])


@pytest.mark.parametrize(
    ("rule", "said"),
    [("pictures = '['", "no regular expression"), ("pictures = 'x'", "either a group `kind`"), ("wrong", "sets.toml")],
)
def test_a_broken_table_is_named(tmp_path: Path, rule: str, said: str) -> None:
    with pytest.raises(SetError, match=said):
        read_table(table(tmp_path, rule))


def test_every_set_of_the_table_says_where_it_is_from_and_who_allows_it() -> None:
    sets = read_table()
    assert len(sets) >= 11
    for each in sets.values():
        assert isinstance(each, PhotoSet)
        assert each.address.startswith("https://")
        assert len(each.commit) == 40
        assert each.licence
        assert each.by
