"""The one way in: whatever a file holds, what comes of it is a value or a sentence with file, place and remedy."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec
import pytest

from vision.files import BadFile, NoFile, decoding, read_bytes, read_json, read_text, read_toml


class Piece(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    size_mm: tuple[float, float] = (1.0, 1.0)


class Box(msgspec.Struct, forbid_unknown_fields=True):
    title: str
    piece: tuple[Piece, ...] = ()

    def __post_init__(self) -> None:
        if self.title == "no":
            raise ValueError("a box is never called no")


def told(path: Path, data: bytes | None = None) -> str:
    """What reading the file says is wrong, below its name."""
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(BadFile) as error:
        read_json(path, Box) if path.suffix == ".json" else read_toml(path, Box)
    assert all(line.startswith(str(path)) for line in str(error.value).splitlines())
    return str(error.value).replace(str(path), "")


BOX = """title = "a"
# the first piece
[[piece]]
name = "crown"
size_mm = [
  3, 4]

[[piece]]
name = "sword"
size_mm = [5, 6]
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            BOX + BOX.partition("\n")[2].replace('"sword"', "7") * 1500,
            ", line 189: piece[41].name: 7 cannot stand here",
        ),
        (BOX.replace('"sword"', "7"), ", line 9: piece[1].name: 7 cannot stand here; expected `str`, got `int`"),
        (BOX.replace("size_mm = [5", "size = [5"), ", line 10: piece[1].size: unknown key; did you mean size_mm?"),
        (BOX.replace("3, 4]", "3, '4']"), ", line 5: piece[0].size_mm: [3, '4'] cannot stand here"),
        (BOX.replace('name = "crown"', ""), ", line 3: piece[0].name: is missing; add name"),
        (BOX.replace("[[piece]]", "[piece]", 1).split("\n[[")[0], ", line 3: piece: {"),
        (BOX.replace('"a"', '"no"'), ": a box is never called no; correct what it says"),
        (BOX.replace("[5, 6]", "[5, nan]"), ", line 10: is not TOML: nan is no finite number; correct this line"),
        (BOX.replace("[5, 6]", "[5, 1e999]"), ", line 10: is not TOML: 1e999 is no finite number"),
        (BOX.replace("[5, 6]", "[5, 6" + "0" * 5000), ", line 10: is not TOML: Exceeds the limit"),
        (
            BOX.replace("[5, 6]", "0x" + "f" * 5000),
            ", line 10: piece[1].size_mm: a number of thousands of digits cannot",
        ),
        (BOX.replace("[5, 6]", "[" * 5000), ", line 10: is nested too deeply; correct this line"),
        (BOX.replace("[5, 6]", "{a=" * 5000), ", line 10: is nested too deeply; correct this line"),
        (BOX.replace("size_mm = [5, 6]", "a" + ".a" * 20_000), ", line 10: has a key of more than 64 parts"),
        (BOX.replace("= [5, 6]", "== 5"), ": line 10, column 10: is not TOML: Invalid value"),
        (BOX + "colour = 3\n" * 2, ": line 12, column 11: is not TOML: Cannot overwrite a value"),
        (BOX + "".join(f"x{n} = 3\n" for n in range(2000)), ": and 20 more"),
        (
            BOX.replace("sword", "x" * 200_000).replace("[5, 6]", "7"),
            ", line 10: piece[1].size_mm: 7 cannot stand here",
        ),
        (BOX.replace('"sword"', "7").replace("\n", "\r\n"), ", line 9: piece[1].name: 7 cannot stand here"),
        (BOX.replace("[5, 6]", "[5, nan]").replace("\n", "\r\n"), ", line 10: is not TOML: nan is no finite number"),
        (BOX * 3000, "is longer than 256,000 bytes"),
    ],
)
def test_every_fault_of_a_text_is_told_with_its_place_and_within_two_seconds(
    text: str, said: str, tmp_path: Path
) -> None:
    begun = time.process_time()
    assert said in told(tmp_path / "box.toml", text.encode())
    assert time.process_time() - begun < 2.0


@pytest.mark.parametrize("suffix", ["toml", "json"])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'title = "M\xfcller"', ", line 1: "),
        (b"\xff\xfet\0", ", line 1: "),
        (b"\0" * 1000, ": "),
        (os.urandom(1000), ": "),
    ],
)
def test_bytes_that_are_no_text_are_told(suffix: str, data: bytes, said: str, tmp_path: Path) -> None:
    assert told(tmp_path / f"box.{suffix}", data)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", ": is empty; put a good copy in its place"),
        (b'{"title": "a",\n "piece": [{"name": 3}]}', ": piece[0].name: Expected `str`, got `int`"),
        (b'{"title": "a",\n "piece": [{]}', ", line 2: is not JSON: JSON is malformed: object keys must be strings"),
        (b'{"title": "a"', ": is not JSON: Input data was truncated"),
        (b'{"title": "no"}', ": a box is never called no"),
        (b'{"x": ' + b"[" * 100_000, ": "),
        (b'{"title": "\xff"}', ": "),
        (b'{"title": ' + b"9" * 5000 + b"}", ": title: Number out of range"),
        (b"[" * 2_000_000, ": is longer than 1,000,000 bytes"),
    ],
)
def test_every_fault_of_json_is_told_with_its_place(data: bytes, said: str, tmp_path: Path) -> None:
    assert said in told(tmp_path / "box.json", data)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "box.toml"
    path.write_bytes(b"\xef\xbb\xbf" + BOX.encode())
    assert [piece.name for piece in read_toml(path, Box).piece] == ["crown", "sword"]
    assert read_text(path).startswith("title")


def test_the_end_mark_of_dos_is_no_part_of_a_text(tmp_path: Path) -> None:
    path = tmp_path / "record.txt"
    path.write_bytes(b"a: b\r\n\x1a\x1a")
    assert read_text(path) == "a: b\r\n"


def test_what_is_too_long_is_told_with_the_bound(tmp_path: Path) -> None:
    path = tmp_path / "record.txt"
    path.write_bytes(b"a" * 11)
    with pytest.raises(BadFile, match=r"record\.txt: is longer than 10 bytes, the most that is read; "):
        read_text(path, limit=10)
    assert read_text(path, limit=11) == "a" * 11


def test_what_is_no_file_is_told_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "round.toml").symlink_to("round.toml")
    assert "is no file, but a folder, a pipe or a device" in told(tmp_path / "pipe.toml")
    assert "is a folder and no file" in told(tmp_path / "folder.toml")
    assert "cannot be read (Too many levels" in told(tmp_path / "round.toml")
    assert "cannot be read (File name too long)" in told(tmp_path / f"{'x' * 300}.toml")
    with pytest.raises(BadFile, match="is no file, but"):
        read_bytes(Path("/dev/zero"))
    with pytest.raises(BadFile, match="is no name of a file"):
        read_bytes(Path("a\0b"))


def test_a_file_that_is_not_there_is_told_with_its_remedy(tmp_path: Path) -> None:
    with pytest.raises(NoFile, match=r"box\.toml: is not there; write one$"):
        read_toml(tmp_path / "box.toml", Box, remedy="write one")
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "box.toml")


def test_what_a_decoder_raises_is_told_in_one_short_printable_line() -> None:
    with pytest.raises(BadFile) as error, decoding("a.mo"):
        raise ValueError("\x1b[2J\n" + "y" * 5000)
    assert str(error.value).startswith("a.mo: cannot be decoded (?[2J yyy")
    assert len(str(error.value)) < 300
    with pytest.raises(KeyboardInterrupt), decoding("a.mo"):
        raise KeyboardInterrupt
