"""`python -m referee_simulator.live.pieces`: enrols a mat's pieces for a live table, also while it runs."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from pathlib import Path

from device import games
from referee_simulator.harness.enrol import enrol
from vision.mat import Mat

_log = logging.getLogger(__name__)


def missing(mat: Mat, folder: Path) -> tuple[str, ...]:
    return tuple(name for name in sorted({zone.set for zone in mat.zones}) if not (folder / name).exists())


def enrol_missing(mat: Mat, seed: int, folder: Path, told: Callable[[float], None] = lambda _share: None) -> None:
    """Enrol a mat's piece sets that the folder lacks. told: callback with the share done. Raises NotEnrolled."""
    names = missing(mat, folder)
    for number, name in enumerate(names):
        draft = folder.with_name("enrolling") / name
        enrol(mat, name, seed + 1, draft, progress=_part(told, number, len(names)))
        folder.mkdir(parents=True, exist_ok=True)
        draft.rename(folder / name)


def _part(told: Callable[[float], None], number: int, of: int) -> Callable[[float], None]:
    return lambda share: told((number + share) / of)


async def enrol_pieces(mat: Mat, seed: int, folder: Path) -> None:
    """Enrol missing pieces in another process, which keeps the page responsive and ignores Ctrl-C; only log a
    failure."""
    if not missing(mat, folder):
        return
    _log.info("the camera is shown the pieces of the mat %s; this takes some seconds", mat.name)
    command = (sys.executable, "-m", __name__, mat.name, str(seed), str(folder))
    process = await asyncio.create_subprocess_exec(*command, start_new_session=True)
    try:
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        _log.error("the pieces of the mat %s could not be enrolled: the camera names none of them", mat.name)


if __name__ == "__main__":
    name, number, place = sys.argv[1:]
    enrol_missing(games.mats([name])[name], int(number), Path(place))
