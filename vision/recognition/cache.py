"""Caches computed data of an enrolled set beside its pictures.

An undamaged cache is valid for the same pictures, network, code and libraries; it may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import io
import logging
import platform
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.files import BadFile, decoding, read_bytes, write_whole
from vision.recognition import enrolment, index
from vision.recognition.models import SHA256

Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""Cached arrays by name."""

MAGIC = b"TRKEPT1\n"
DIGEST = hashlib.sha256().digest_size
LONGEST = 64_000_000
"""Largest file in bytes; 45 kinds of cards take 5 million."""

VISION = Path(__file__).parents[1]
CODE = ("recognition/**/*.py", "quantiles.py", "pictures.py")
"""Files in `vision` that affect results."""

_log = logging.getLogger(__name__)


def worked_out(folder: Path, name: str, work: Callable[[], Arrays]) -> Arrays:
    """Return the cached result of `work`, or compute and cache it if possible. Raises what `work` raises."""
    path, key = folder / f"{name}.cache", fingerprint(folder)
    if key is not None and (kept := _read(path, key)) is not None:
        return kept
    made = work()
    if key is not None and fingerprint(folder) == key:  # nobody has enrolled since
        _write(path, key, made)
    return made


def fingerprint(folder: Path) -> bytes | None:
    """Return a digest of all that affects results; None if a file of set or program cannot be read."""
    program = _program()
    if program is None:
        return None
    whole = hashlib.sha256(program)
    try:
        whole.update(read_bytes(folder / index.INDEX))
        for reference in index.read_index(folder).references:
            whole.update(hashlib.sha256(read_bytes(folder / reference.file, limit=LONGEST)).digest())
    except (BadFile, enrolment.EnrolmentError):
        return None
    return whole.digest()


@cache
def _program() -> bytes | None:
    told = [cv2.__version__, np.__version__, platform.machine(), *SHA256.values()]
    whole = hashlib.sha256("\n".join(told).encode())
    sources = [path for pattern in CODE for path in sorted(VISION.glob(pattern))]
    try:
        for path in sources:
            whole.update(hashlib.sha256(read_bytes(path)).digest())
    except BadFile:
        return None
    return whole.digest() if sources else None


def _read(path: Path, key: bytes) -> Arrays | None:
    try:
        data = read_bytes(path, limit=LONGEST)
        head, body = data[: len(MAGIC) + 2 * DIGEST], data[len(MAGIC) + 2 * DIGEST :]
        if head != MAGIC + key + hashlib.sha256(body).digest():
            return None
        with decoding(path), np.load(io.BytesIO(body), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except BadFile:
        return None


def _write(path: Path, key: bytes, arrays: Arrays) -> None:
    held = io.BytesIO()
    np.savez(held, **dict[str, Any](arrays))
    body = held.getvalue()
    try:
        write_whole(path, MAGIC + key + hashlib.sha256(body).digest() + body)
    except OSError as error:
        _log.info("%s cannot be written (%s): every start works it out again", path, error.strerror)
