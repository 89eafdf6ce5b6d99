"""The disk that lies, under a process of its own: it records, fails, fills up, spoils and kills as it is told to."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee_simulator.disk import shim
from referee_simulator.disk.medium import Loss, Medium, calls, contents

ROOT = Path(__file__).parents[4]
PRELUDE = """
import errno, os, sqlite3, sys
from pathlib import Path
from vision.files import write_whole
from referee_simulator.disk.shim import Calls, watch_folder
folder, record = map(Path, sys.argv[1:])
"""


def run(code: str, tmp_path: Path) -> tuple[int, str, bytes]:
    """Status, output and record of a program under such a disk."""
    (tmp_path / "state").mkdir()
    command = [sys.executable, "-c", PRELUDE + code, str(tmp_path / "state"), str(tmp_path / "record")]
    done = subprocess.run(command, cwd=ROOT, env=shim.environment(), capture_output=True, text=True, check=False)
    assert done.returncode <= 0, done.stderr
    return done.returncode, done.stdout, (tmp_path / "record").read_bytes()


def test_the_record_leads_to_the_same_files(tmp_path: Path) -> None:
    _, _, record = run(
        """
with watch_folder(folder, record):
    write_whole(folder / "decks" / "fence.toml", b"cards" * 1000)
    write_whole(folder / "decks" / "fence.toml", b"other" * 10)
    with (folder / "log").open("ab") as log:
        log.write(b"one"); log.flush(); log.write(b"two")
    os.chdir(folder)
    os.writev(os.open("parts", os.O_CREAT | os.O_WRONLY), [b"a", b"b"])
    import shutil
    shutil.copy("log", "copy"); os.truncate(os.open("copy", os.O_RDWR), 4); os.remove("log")
    db = sqlite3.connect(folder / "journal.db")
    db.executescript("PRAGMA journal_mode=WAL; CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(9000));")
    os._exit(0)
""",
        tmp_path,
    )
    medium = Medium()
    for call in calls(record):
        medium.take(call)
    found = {path: file.synced for path, file in medium.now().items() if file is not None}
    there = contents(tmp_path / "state")
    assert found.keys() == there.keys() >= {"decks/fence.toml", "copy", "parts", "journal.db", "journal.db-wal"}
    mapped = "journal.db-shm"  # written in memory, and made again after a cut
    assert {**found, mapped: b""} == {**there, mapped: b""}


def test_a_transaction_is_synced_before_it_is_committed(tmp_path: Path) -> None:
    _, output, record = run(
        """
with watch_folder(folder, record) as disk:
    db = sqlite3.connect(folder / "journal.db", isolation_level=None)
    for mode in ("FULL", "OFF"):
        db.execute("PRAGMA journal_mode=WAL"); db.execute(f"PRAGMA synchronous={mode}")
        db.execute(f"CREATE TABLE {mode} (x)")
        print(disk.recorded, flush=True)
    os._exit(0)
""",
        tmp_path,
    )
    found = []
    for until in map(int, output.split()):
        medium = Medium()
        for call in calls(record[:until]):
            medium.take(call)
        now, left = medium.now()["journal.db-wal"], medium.contents_left(Loss.ALL, random.Random(1))["journal.db-wal"]
        found.append(now.synced == left.synced)
    assert found == [True, False]


def test_calls_fail_as_they_are_told_to(tmp_path: Path) -> None:
    _, output, _ = run(
        """
def tries(*acts):
    for act in acts:
        try:
            act()
            print("done", end=" ")
        except OSError as error:
            print(errno.errorcode[error.errno], end=" ")
        except sqlite3.Error as error:
            print(error.sqlite_errorname, end=" ")
    print()
db = sqlite3.connect(folder / "journal.db", isolation_level=None)
with watch_folder(folder, record) as disk:
    (folder / "kept").write_bytes(bytes(2000))
    disk.fail(errno.EIO, Calls.SYNC, times=1)
    tries(*[lambda: write_whole(folder / "a", b"a")] * 2)
    disk.fail(errno.EIO, Calls.WRITE, after=2)
    tries(*[lambda: os.close(os.open(folder / "kept", os.O_RDONLY)), lambda: (folder / "kept").write_bytes(b"b")] * 2)
    disk.heal()
    disk.fill()
    tries(lambda: write_whole(folder / "b", b"b"), lambda: os.pwrite(os.open(folder / "a", os.O_WRONLY), b"x", 0),
          lambda: os.pwrite(os.open(folder / "a", os.O_WRONLY), b"x", 9), lambda: (folder / "new").mkdir())
    disk.fill(False)
    disk.spoil(folder / "kept", 600)
    kept = os.open(folder / "kept", os.O_RDWR)
    os.pwrite(kept, bytes(2000), 0)
    tries(*[lambda at=at: os.pread(kept, 100, at) for at in (0, 550, 1100, 1112)])
    disk.heal()
    tries(lambda: os.pread(kept, 100, 600))
""",
        tmp_path,
    )
    assert output.splitlines() == [
        "EIO done ",
        "done EIO done EIO ",
        "ENOSPC done ENOSPC ENOSPC ",
        "done EIO EIO done ",
        "done ",
    ]


def test_sqlite_says_what_the_disk_does(tmp_path: Path) -> None:
    _, output, _ = run(
        """
with watch_folder(folder, record) as disk:
    db = sqlite3.connect(folder / "journal.db", isolation_level=None)
    db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (x)")
    for wrong in (lambda: disk.fail(errno.EIO, Calls.WRITE), lambda: disk.fail(errno.EIO, Calls.SYNC), disk.fill):
        wrong()
        try:
            db.execute("INSERT INTO t VALUES (zeroblob(?))", (90000 if wrong == disk.fill else 9,))
        except sqlite3.Error as error:
            print(error.sqlite_errorname)
        disk.heal()
    db.execute("INSERT INTO t VALUES (2)")
    print(db.execute("SELECT x FROM t").fetchall())
""",
        tmp_path,
    )
    assert output.split("\n")[:4] == ["SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_FULL", "[(2,)]"]


def test_it_kills_at_the_call(tmp_path: Path) -> None:
    status, output, record = run(
        """
with watch_folder(folder, record) as disk:
    file = os.open(folder / "a", os.O_CREAT | os.O_WRONLY)
    disk.kill(after=3)
    for number in range(4):
        os.write(file, b"x")
        os.write(1, b"%d " % number)
""",
        tmp_path,
    )
    assert status == -signal.SIGKILL
    assert output.split() == ["0"]
    assert [call.what for call in calls(record)] == ["O", "W", "W"]
    assert (tmp_path / "state" / "a").read_bytes() == b"xx"


def test_without_a_compiler_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(shim.NoCompiler, match="apt install gcc"):
        shim.build_library.__wrapped__()
    assert not shim.is_loaded()
