"""The disk of a fault run, which fills up, fails, loses unsynced data and gets bad sectors."""

from __future__ import annotations

import errno
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path

from device.journal import JournalError
from device.journal.opening import Opened, open_at_power_on
from referee_simulator.disk.medium import Loss, Medium, calls, contents, lay
from referee_simulator.disk.shim import Calls, Disk
from referee_simulator.fault_runs.faults import Kind


class LyingDisk:
    """The disk below a table's state folder.

    unsaved: the daemon reports that nothing is saved
    told: its report of damage, or ""
    spoiled: a sector went bad; callers reset it"""

    def __init__(self, folder: Path, furnish: Callable[[Path], None]) -> None:
        """folder: created here. furnish: adds other files, such as pieces, also after cuts."""
        self._folder, self._furnish, self._full = folder, furnish, False
        self._record = folder.with_name("record")
        self.told, self.unsaved, self.spoiled = "", False, False
        folder.mkdir(parents=True)
        self._begin()

    def _begin(self) -> None:
        self._medium = Medium(contents(self._folder))
        self._furnish(self._folder)
        self._disk = Disk(self._folder, self._record)
        self._disk.fill(self._full)

    @property
    def records(self) -> int:
        return self._disk.records

    def open_journal(self) -> Opened:
        opened = open_at_power_on(self._folder / "journal.db")
        self._journal = opened.journal
        self.told, self.unsaved = str(opened.mended or ""), opened.unsaved is not None
        return opened

    def fill(self, full: bool) -> None:
        self._full = full
        self._disk.fill(full)

    def fail(self, dice: random.Random) -> None:
        """Fail some kinds of calls with EIO until `mend`."""
        kinds = dice.choice((Calls.WRITE, Calls.SYNC, Calls.WRITE | Calls.SYNC | Calls.SIZE))
        self._disk.fail(errno.EIO, kinds, after=dice.randrange(8))

    def mend(self) -> None:
        self._disk.fail(0, Calls.ANY, times=0)

    def cut(self, kind: Kind, at: int, dice: random.Random) -> None:
        """Leave the folder as a kill or power loss after `at` recorded calls would."""
        self._disk.close()
        for call in islice(calls(self._record.read_bytes()), at):
            self._medium.take(call)
        left = self._medium.now() if kind is Kind.KILL else self._medium.contents_left(dice.choice(list(Loss)), dice)
        old = self._folder.rename(self._folder.with_name("old"))
        with suppress(JournalError):  # a killed process closes nothing; this one goes on
            self._journal.close()
        for folder in (old, self._folder):
            shutil.rmtree(folder, ignore_errors=True)
        self._folder.mkdir()
        lay(left, self._folder)
        self.spoiled |= kind is Kind.SECTOR and self._spoil(dice)
        self._begin()

    def _spoil(self, dice: random.Random) -> bool:
        files = [path for path in sorted(self._folder.glob("journal*")) if not path.name.endswith("-shm")]
        files = [path for path in files if path.is_file() and path.stat().st_size >= 512]
        if not files:
            return False
        path = dice.choice(files)
        data = bytearray(path.read_bytes())
        start = dice.randrange(len(data) // 512) * 512
        data[start : start + 512] = dice.choice((bytes(512), b"\xff" * 512, dice.randbytes(512)))
        path.write_bytes(data)
        return True

    def close(self) -> None:
        self._disk.close()
