"""What an owner made is saved and put back, sets and decks whole or not at all; nothing else gets in that way."""

from __future__ import annotations

import errno
import io
import itertools
import os
import random
import re
import struct
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from device import games
from device.games import build, spec
from device.owner import backup
from device.owner.backup import (
    LONGEST,
    MOST_FILES,
    Sifted,
    save,
    sift,
    sweep,
    undo,
    undoable,
)
from device.owner.file_faults import sentence
from engine.catalogue import GameSpec
from tests.device.owner.kept import DECK, FILES, INDEX, MEASURES, NAMED, PICTURE, Outcome, outcome, packed, restored
from vision.files import BadFile

OTHERS = {name: b"no" for name in ("enrolled/x.tmp", "enrolled/stones/0.png", "decks/fence.toml.old", "decks/.toml")}
"""What this program never wrote there."""

ANOTHER_VERSION = INDEX.replace(b'"symmetry"', b'"version": 2, "symmetry"')


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return made(tmp_path / "state")


def made(folder: Path) -> Path:
    for name, data in {**FILES, "journal.db": b"secret", "owner.json": b"secret", **OTHERS}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def archive(folder: Path, files: Mapping[str, bytes]) -> Path:
    path = folder / "saved.zip"
    path.write_bytes(packed(files))
    return path


def test_what_is_saved_comes_back_in_another_table_and_nothing_else_is_in_it(state: Path, tmp_path: Path) -> None:
    data = save(state)
    assert data is not None
    assert data == save(state)
    assert b"secret" not in data
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        assert set(made.namelist()) == set(FILES)
    (tmp_path / "saved.zip").write_bytes(data)
    other = tmp_path / "other"
    (other / "enrolled" / "pawns").mkdir(parents=True)
    (other / "enrolled" / "pawns" / "enrolled.json").write_bytes(b"stays")
    written = restored(other, tmp_path / "saved.zip")
    assert {path.relative_to(other).as_posix(): path.read_bytes() for path in written} == FILES
    assert (other / "enrolled" / "pawns" / "enrolled.json").read_bytes() == b"stays"


def test_a_set_and_cards_named_in_other_letters_are_saved_and_put_back(tmp_path: Path) -> None:
    files = {name.replace("stones", "Камни-棋子"): data for name, data in FILES.items()}
    for name, content in files.items():
        (tmp_path / "state" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "state" / name).write_bytes(content)
    data = save(tmp_path / "state")
    assert data is not None
    (tmp_path / "saved.zip").write_bytes(data)
    written = restored(tmp_path / "other", tmp_path / "saved.zip")
    assert {path.relative_to(tmp_path / "other").as_posix(): path.read_bytes() for path in written} == files


@pytest.mark.parametrize(
    "name",
    [
        "../enrolled/stones/a.png", "/etc/passwd", "owner.json", "journal.db", "enrolled/../owner.json",
        "enrolled/stones/../../owner.json", "decks/a/b.toml", "enrolled\\stones\\a.png",
        "enrolled/stones/a.png", "enrolled/stones/notes.json", "enrolled/stones/0123456789ABCDEF.png", "decks/fence",
        "decks/fence.toml.old", "decks/fence.toml\n", "enrolled/enrolled.json", "enrolled/\u2028/enrolled.json",
    ],
)  # fmt: skip
def test_an_archive_with_one_file_in_the_wrong_place_is_refused_by_that_file_and_nothing_is_written(
    tmp_path: Path, name: str
) -> None:
    path = archive(tmp_path, {**FILES, name: b"bad"})
    with pytest.raises(BadFile, match=re.escape(" ".join(name.split())) + " in it"):
        restored(tmp_path / "state", path)
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("around", ["", "table-referee/", "My table (2)/"])
@pytest.mark.parametrize("divider", ["/", "\\"])
@pytest.mark.parametrize(
    "added",
    [
        (),
        ("__MACOSX/table-referee/._enrolled", "table-referee/.DS_Store"),
        ("enrolled/stones/Thumbs.db", "desktop.ini"),
        (".directory", "enrolled/.fseventsd/no_log"),
        ("enrolled/@eaDir/stones/x.png",),
        ("enrolled/", "enrolled/stones/"),
    ],
)
def test_an_archive_that_a_computer_unpacked_and_packed_again_is_put_back(
    tmp_path: Path, around: str, divider: str, added: tuple[str, ...]
) -> None:
    packed = {f"{around}{name}".replace("/", divider): data for name, data in FILES.items()}
    extra = {name if name.startswith("__MACOSX") else f"{around}{name}": b"" for name in added}
    written = restored(tmp_path / "state", archive(tmp_path, packed | extra))
    assert {path.relative_to(tmp_path / "state").as_posix(): path.read_bytes() for path in written} == FILES


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("enrolled/stones/enrolled.json", b"{}"), ("enrolled/stones/enrolled.json", b"\xff"),
        ("enrolled/stones/enrolled.json", INDEX.replace(NAMED.encode(), b"..")),
        ("enrolled/stones/enrolled.json", INDEX.replace(b"0123", b"4567")),
        ("enrolled/stones/enrolled.json", ANOTHER_VERSION),
        ("enrolled/stones/measured.json", b'{"version": 2}'),
        ("enrolled/stones/checked.json", b"no json"), ("enrolled/stones/checked.json", b"{}"),
        ("enrolled/stones/measured.json", b"no json"), ("enrolled/stones/measured.json", b'{"pictures": 1}'),
        (f"enrolled/stones/{NAMED}", b"no picture"), (f"enrolled/stones/{NAMED}", PICTURE[:40]),
        ("decks/fence.toml", b"[cards"), ("decks/fence.toml", b"\xff"), ("decks/fence.toml", b"x = inf"),
        ("decks/fence.toml", b"[cards]"),
        ("decks/fence.toml", DECK.replace(b"sp = 2", b'sp = "two"')), ("decks/chess.toml", DECK),
        ("decks/fence.toml", DECK.replace(b"RF01", b"RF99")),
    ],
)  # fmt: skip
def test_what_nobody_can_read_takes_the_place_of_no_good_one(
    state: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    pawns = {f"enrolled/pawns/{NAMED}": PICTURE, "enrolled/pawns/enrolled.json": INDEX}
    path = archive(tmp_path, {**FILES, **pawns, name: content})
    told = outcome(state, path)
    assert (told.fault, [each.fault.startswith(f"{path}: {name}") for each in told.left[:1]]) == ("", [True])
    assert told.left[0].file == name
    assert {each: (state / each).read_bytes() for each in FILES} == FILES
    assert {each: (state / each).read_bytes() for each in pawns} == pawns, "what is sound does not suffer for it"
    assert name in FILES or not (state / name).exists()


def test_where_all_is_faulty_the_first_fault_is_told_and_nothing_is_kept(state: Path, tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"saved\.zip: decks/chess\.toml: .*no game that is installed"):
        restored(state, archive(tmp_path, {"decks/chess.toml": DECK, "enrolled/stones/enrolled.json": b"{}"}))
    assert not undoable(state)


@pytest.mark.parametrize(
    "faulty",
    [
        {"enrolled/pawns/enrolled.json": INDEX},
        {"enrolled/pawns/enrolled.json": ANOTHER_VERSION, f"enrolled/pawns/{NAMED}": PICTURE},
        {"enrolled/pawns/enrolled.json": INDEX, f"enrolled/pawns/{NAMED}": PICTURE[:40]},
    ],
    ids=["picture missing", "index of another version", "picture broken"],
)  # fmt: skip
def test_of_a_set_that_cannot_be_used_nothing_is_put_back(
    state: Path, tmp_path: Path, faulty: Mapping[str, bytes]
) -> None:
    measured = {"enrolled/pawns/measured.json": MEASURES}
    other = tmp_path / "other"
    told = outcome(other, archive(tmp_path, {**FILES, **faulty, **measured}))
    assert (told.files, told.fault) == (len(FILES), "")
    assert {str(sentence(each)) for each in told.left} <= {
        "Set pawns: damaged. Enrol its pieces again, or use an earlier file.",
        "Set pawns: a picture is missing. Enrol its pieces again, or use an earlier file.",
    }
    assert all("take an earlier file" in each.fault for each in told.left), "a remedy that fits"
    assert there(other) == FILES


@pytest.mark.parametrize("deck", [b"cards = []", DECK.rpartition(b"[[cards]]")[0]], ids=["no cards", "all but one"])
def test_all_that_the_table_itself_plays_with_is_put_back(state: Path, tmp_path: Path, deck: bytes) -> None:
    """A card that an owner left out counts as it was shipped."""
    (state / "decks" / "fence.toml").write_bytes(deck)
    build(spec("fence"), state)
    data = save(state)
    assert data is not None
    told = outcome(tmp_path / "other", io.BytesIO(data))
    assert (told.files, told.left) == (len(FILES), ())


def test_a_deck_that_no_match_could_be_played_with_is_refused_with_file_place_and_remedy(tmp_path: Path) -> None:
    path = archive(tmp_path, {"decks/fence.toml": DECK.replace(b"sp = 2", b'sp = "two"')})
    with pytest.raises(BadFile, match=r"saved\.zip: decks/fence\.toml: cards\[0\]\.sp: .*; enrol or correct it again"):
        restored(tmp_path / "state", path)


def test_a_file_that_is_in_it_twice_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "saved.zip", "w") as made, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.writestr("decks/fence.toml", DECK)
        made.writestr("decks/fence.toml", DECK)
    with pytest.raises(BadFile, match="no such archive"):
        restored(tmp_path / "state", tmp_path / "saved.zip")


OTHER = f"enrolled/stones/{'f' * 16}.png"
OTHERS_INDEX = INDEX.replace(b"sword", b"crown").replace(NAMED.encode(), f"{'f' * 16}.png".encode())
PAWNS = "enrolled/pawns/measured.json"
CORRECTED = DECK.replace(b"sp = 2", b"sp = 1", 1)


def there(state: Path) -> dict[str, bytes]:
    """All that is kept of pieces and cards, without drafts, which nobody reads."""
    return {
        path.relative_to(state).as_posix(): path.read_bytes()
        for folder in ("enrolled", "decks")
        for path in (state / folder).rglob("*")
        if path.is_file() and path.suffix != ".new"
    }


def test_what_was_replaced_comes_back_and_what_was_added_goes_as_often_as_one_likes(
    state: Path, tmp_path: Path
) -> None:
    before = there(state)
    files = {"enrolled/stones/enrolled.json": OTHERS_INDEX, OTHER: PICTURE, PAWNS: MEASURES}
    assert not undoable(state)
    with pytest.raises(BadFile, match="nothing was put back"):
        undo(state)
    restored(state, archive(tmp_path, files))
    after = there(state)
    assert after == {**before, **files}
    for expected in (before, after, before):
        assert undoable(state)
        changed = {path.relative_to(state).as_posix() for path in undo(state)}
        assert changed == {*files, f"enrolled/stones/{NAMED}"}, "with the pictures of the index that comes or goes"
        assert there(state) == expected


def test_pieces_that_were_enrolled_anew_meanwhile_do_not_cost_the_pictures_of_the_old_ones(
    state: Path, tmp_path: Path
) -> None:
    """Whoever enrols a kind again removes the pictures that the index does not name."""
    before = there(state)
    restored(state, archive(tmp_path, {"enrolled/stones/enrolled.json": OTHERS_INDEX, OTHER: PICTURE}))
    (state / "enrolled" / "stones" / NAMED).unlink()
    (state / "enrolled" / "stones" / "checked.json").write_bytes(b"of other pictures")
    undo(state)
    assert there(state) == before


class Breaking:
    """Breaks a putting back or an undo off: the step number `at` of all that change the disk, counted from 0, and, as
    when the plug is pulled, every later one fails. steps: that were asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
        self.at, self.steps = at, list[str]()
        for owner, name in (
            (Path, "replace"), (Path, "unlink"), (backup, "sync"), (backup, "write_all"), (backup, "_pack"),
        ):  # fmt: skip
            monkeypatch.setattr(owner, name, self._breakable(name, getattr(owner, name)))

    def _breakable(self, name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def taken(*given: Any, **more: Any) -> Any:
            self.steps.append(name)
            if len(self.steps) > self.at:
                raise OSError(errno.ENOSPC, "No space left on device")
            return step(*given, **more)

        return taken


NEW = {"enrolled/stones/enrolled.json": OTHERS_INDEX, OTHER: PICTURE, PAWNS: MEASURES}


def broken_off(folder: Path, archive: io.BytesIO | None, monkeypatch: pytest.MonkeyPatch, at: int) -> tuple[bool, str]:
    """Whether it was, and the step at which."""
    with monkeypatch.context() as meanwhile:
        breaking = Breaking(meanwhile, at)
        told = outcome(folder, archive)
    assert told.sound
    broken = len(breaking.steps) > at
    assert bool(told.fault) == broken
    return broken, breaking.steps[at] if broken else ""


@pytest.mark.thorough
def test_a_putting_back_that_is_broken_off_anywhere_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything of it is kept, the one before it is what `undo` brings back; afterwards it is itself."""
    reached = set[str]()
    for at in itertools.count():
        state = made(tmp_path / str(at))
        before = there(state)
        restored(state, io.BytesIO(packed({"decks/fence.toml": CORRECTED})))
        once = there(state)
        broken, step = broken_off(state, io.BytesIO(packed(NEW)), monkeypatch, at)
        if not broken:
            break
        reached.add(step)
        kept = (state / backup.BEGUN).exists()
        done = not kept and there(state) != once
        undo(state)
        assert there(state) == (once if kept or done else before), f"step {at}, {step}"
        if kept or done:
            undo(state)
            assert there(state) == ({**once, **NEW} if done else before), f"step {at}, {step}"
    assert there(state) == {**once, **NEW}
    assert reached == {"_pack", "replace", "unlink", "sync", "write_all"}


@pytest.mark.thorough
def test_an_undo_that_is_broken_off_anywhere_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that takes back what was broken off itself: it is done again until it is whole."""
    reached = set[str]()
    for at in itertools.count():
        state = made(tmp_path / str(at))
        before = there(state)
        restored(state, io.BytesIO(packed(NEW)))
        after = there(state)
        broken, step = broken_off(state, None, monkeypatch, at)
        if not broken:
            break
        reached.add(step)
        if (state / backup.BEGUN).exists():
            for again in itertools.count():
                taken, _ = broken_off(state, None, monkeypatch, again)
                if not (taken and (state / backup.BEGUN).exists()):
                    break
            assert there(state) == after, f"step {at}, {step}"
        if there(state) == after:
            undo(state)
        assert there(state) == before, f"step {at}, {step}"
    assert there(state) == before
    assert reached == {"_pack", "replace", "unlink", "sync", "write_all"}


def test_the_next_putting_back_takes_back_one_that_was_broken_off(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = there(state)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(backup, "_change", failing)
        assert not outcome(state, io.BytesIO(packed({PAWNS: MEASURES}))).files
    assert (state / backup.BEGUN).exists()
    (state / PAWNS).parent.mkdir()
    (state / PAWNS).write_bytes(MEASURES)
    restored(state, archive(tmp_path, {"decks/fence.toml": CORRECTED}))
    undo(state)
    assert there(state) == before
    (state / backup.BEGUN).write_bytes(b"what the disk made of it")
    restored(state, archive(tmp_path, FILES))
    assert there(state) == before


def failing(*_given: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_of_what_was_kept_and_the_disk_spoilt_nothing_is_brought_back(state: Path, tmp_path: Path) -> None:
    """Also not the files that come before the spoilt one."""
    new = {"enrolled/stones/enrolled.json": OTHERS_INDEX, OTHER: PICTURE, "decks/fence.toml": CORRECTED}
    restored(state, archive(tmp_path, new))
    after = there(state)
    spoilt = bytearray((state / backup.BEFORE).read_bytes())
    spoilt[spoilt.find(b"sword")] ^= 1
    for name in (backup.BEFORE, backup.BEGUN):
        (state / name).write_bytes(spoilt)
        with pytest.raises(BadFile, match="no such archive"):
            undo(state)
        assert there(state) == after


def test_the_same_put_back_twice_does_not_take_the_place_of_what_was_kept(state: Path, tmp_path: Path) -> None:
    before = there(state)
    path = archive(tmp_path, {"decks/fence.toml": CORRECTED})
    assert restored(state, path) == restored(state, path) == (state / "decks" / "fence.toml",)
    undo(state)
    assert there(state) == before


def test_what_is_told_of_a_long_name_is_a_sentence(tmp_path: Path) -> None:
    index = INDEX.replace(NAMED.encode(), b"f" * 100_000 + b".png")
    told = outcome(tmp_path, io.BytesIO(packed({"enrolled/stones/enrolled.json": index})))
    assert backup.NOWHERE in told.fault
    assert len(told.fault) < 500


def test_an_index_may_name_a_picture_that_is_here_already(state: Path, tmp_path: Path) -> None:
    assert len(restored(state, archive(tmp_path, {"enrolled/stones/enrolled.json": INDEX}))) == 1


def test_a_file_that_swells_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path, {"decks/fence.toml": bytes(LONGEST + 1)})
    with pytest.raises(BadFile):
        restored(tmp_path / "state", path)


ENTRY = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 3, 20, 0, 0, 0, 0, 0x21, 0, 0, 0, 1, *[0] * 6) + b"a"
"""The shortest of a directory, of a file without a byte: 47 bytes."""


def ended(entries: int, *, told: int | None = None, comment: bytes = b"") -> bytes:
    """An archive that is nothing but a directory, and its end. told: how many entries it says that it has."""
    count = entries if told is None else told
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, entries * len(ENTRY), 0, len(comment))
    return ENTRY * entries + end + comment


def large(entries: int) -> bytes:
    """The same with ZIP64, whose end says how many there are."""
    size = entries * len(ENTRY)
    end = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, size, 0)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, size, 1)
    return ENTRY * entries + end + locator + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, 47, 0, 0)


@pytest.mark.parametrize(
    "data",
    [
        ended(MOST_FILES + 1), ended(60_000, told=1), ended(1, comment=b"PK\5\6"), large(60_000), large(1),
        b"", b"PK\5\6", ended(1)[:-1],
    ],
    ids=["files", "directory", "comment", "zip64", "small zip64", "nothing", "an end", "cut"],
)  # fmt: skip
def test_a_directory_of_more_entries_than_are_ever_saved_is_not_even_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    """Each entry takes memory and time, whatever it is of."""
    read: list[object] = []
    monkeypatch.setattr("zipfile.ZipFile", read.append)
    with pytest.raises(BadFile, match="no such archive"):
        restored(tmp_path, io.BytesIO(data))
    assert not read


def test_what_games_there_are_is_read_once_however_many_decks_an_archive_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of one byte may be sound TOML; to read all games for each of 5,000 took most of a minute."""
    read, specs = list[int](), games.specs

    def reading() -> dict[str, GameSpec]:
        read.append(1)
        return specs()

    monkeypatch.setattr(games, "specs", reading)
    told = outcome(tmp_path, io.BytesIO(packed({f"decks/no-{number}.toml": b"#" for number in range(100)})))
    assert "holds the cards of no game that is installed here" in told.fault
    assert len(read) == 1


@pytest.mark.parametrize("way", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_what_is_packed_as_nothing_is_saved_is_refused_before_it_is_unpacked(tmp_path: Path, way: int) -> None:
    """A damaged LZMA stream raises an error of its own, and may ask for gigabytes."""
    path = tmp_path / "packed.zip"
    with zipfile.ZipFile(path, "w", way) as made:
        made.writestr("decks/fence.toml", b"[cards]\n" * 50)
    data = bytearray(path.read_bytes())
    at = data.find(b"fence.toml") + len(b"fence.toml")
    data[at + 12 : at + 20] = b"\xff" * 8
    for content in (path.read_bytes(), bytes(data)):
        with pytest.raises(BadFile, match=r"decks/fence\.toml in it is packed otherwise"):
            restored(tmp_path / "state", io.BytesIO(content))


class Failing(io.BytesIO):
    """An archive on a disk that does not give it back."""

    def read(self, size: int | None = -1) -> bytes:
        raise OSError(errno.EIO, "Input/output error")


def test_a_disk_that_fails_is_not_taken_for_an_archive_that_nobody_can_read(state: Path, tmp_path: Path) -> None:
    data = save(state)
    assert data is not None
    failed = outcome(tmp_path / "other", Failing(data))
    assert (failed.files, failed.sound, failed.fault) == (0, True, "[Errno 5] Input/output error")
    (tmp_path / "saved.zip").write_bytes(data[:-1])
    cut = outcome(tmp_path / "other", tmp_path / "saved.zip")
    assert (cut.files, cut.sound) == (0, False)
    assert "no such archive" in cut.fault
    assert outcome(tmp_path / "other", io.BytesIO(data)).files == len(FILES)


@pytest.mark.parametrize(("limit", "most"), [("MOST_FILES", 1), ("MOST_BYTES", len(INDEX) + len(PICTURE))])
def test_what_could_not_be_put_back_is_not_saved(
    state: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    """More files than are taken back, or an archive that is too long itself where what it holds is not."""
    (state / "decks" / "fence.toml").unlink()
    monkeypatch.setattr(backup, limit, most)
    with pytest.raises(BadFile, match="holds more than"):
        save(state)


@pytest.mark.parametrize(
    ("name", "content", "out"),
    [
        (f"enrolled/stones/{NAMED}", PICTURE[:40], {f"enrolled/stones/{NAMED}", "enrolled/stones/enrolled.json"}),
        ("enrolled/stones/enrolled.json", b"{", {f"enrolled/stones/{NAMED}", "enrolled/stones/enrolled.json"}),
        ("decks/fence.toml", b"[cards", {"decks/fence.toml"}),
        ("decks/chess.toml", DECK, {"decks/chess.toml"}),
    ],
    ids=["picture", "index", "cards", "no such game"],
)  # fmt: skip
def test_what_the_table_could_not_use_is_not_saved_and_said(
    state: Path, tmp_path: Path, name: str, content: bytes, out: set[str]
) -> None:
    (state / name).write_bytes(content)
    found = sift(state)
    assert (set(found.out), found.left[0].file) == (out, name)
    data = save(state, found.out)
    assert data is not None
    (tmp_path / "saved.zip").write_bytes(data)
    assert outcome(tmp_path / "other", tmp_path / "saved.zip") == Outcome(len({*FILES, name} - out))


def test_of_what_is_sound_nothing_is_left_out(state: Path) -> None:
    assert sift(state) == Sifted()


def test_a_picture_that_is_gone_is_told_of_the_set(state: Path) -> None:
    (state / "enrolled" / "stones" / NAMED).unlink()
    (left,) = sift(state).left
    assert str(sentence(left)) == "Set stones: a picture is missing. Enrol its pieces again, or use an earlier file."


def test_drafts_of_a_power_cut_are_swept_away_and_nothing_else(state: Path) -> None:
    drafts = ["enrolled/stones/enrolled.json.new", "decks/fence.toml.271.new", f"{backup.BEGUN}.new"]
    before = there(state)
    for name in drafts:
        (state / name).write_bytes(b"half")
    assert sweep(state) == (), "somebody may be at it"
    for name in drafts:
        os.utime(state / name, (1.0, 1.0))
    assert {path.relative_to(state).as_posix() for path in sweep(state)} == set(drafts)
    assert there(state) == before
    assert sweep(state / "nowhere") == ()


def test_an_index_is_put_back_after_the_pictures_that_it_names(tmp_path: Path) -> None:
    path = archive(tmp_path, {"enrolled/stones/enrolled.json": INDEX, f"enrolled/stones/{NAMED}": PICTURE})
    folder = tmp_path / "state" / "enrolled" / "stones"
    (folder / NAMED).mkdir(parents=True)  # there the disk takes nothing
    (folder / "enrolled.json").write_bytes(b"old")
    with pytest.raises(IsADirectoryError):
        restored(tmp_path / "state", path)
    assert (folder / "enrolled.json").read_bytes() == b"old"


def test_where_nothing_was_made_nothing_is_saved(tmp_path: Path) -> None:
    assert save(tmp_path) is None


def test_an_empty_archive_and_none_at_all_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="holds nothing"):
        restored(tmp_path, archive(tmp_path, {}))
    with pytest.raises(BadFile):
        restored(tmp_path, tmp_path / "nowhere.zip")


@pytest.mark.thorough
def test_whatever_a_damaged_archive_holds_it_is_a_sentence(state: Path, tmp_path: Path) -> None:
    dice, good = random.Random(3), save(state)
    assert good is not None
    for _ in range(300):
        data = bytearray(good)
        for _ in range(dice.randrange(1, 6)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        (tmp_path / "damaged.zip").write_bytes(
            bytes(data[: dice.randrange(len(data) + 1)]) if dice.random() < 0.3 else data
        )
        target = tmp_path / "target"
        try:
            written = restored(target, tmp_path / "damaged.zip")
        except BadFile:
            continue
        assert all(path.is_relative_to(target) for path in written)
