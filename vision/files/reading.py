"""Reads untrusted files or raises `BadFile`.

No contents may crash, block or exhaust a process: sizes are limited, decoders' errors caught.
"""

from __future__ import annotations

import math
import os
import re
import stat
import struct
import tomllib
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from vision.files import decode
from vision.files.faults import BadFile, Fault, NoFile, Refused, quote

T = TypeVar("T")

LONGEST = 1_000_000
"""Default limit in bytes; the longest shipped file (fonts) has 555,000."""

LONGEST_TOML = 256_000
"""Limit in bytes; Python parses about 1 MB/s on a PC."""

READ_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags for `os.open`: a pipe would wait for its writer. No system has all of them."""

END = "\x1a"
"""DOS end of text (Ctrl-Z)."""

DOTTED = re.compile(r"""(?<![\w"'-])[\w"'-]++(?:[ \t]*+\.[ \t]*+[\w"'-]++){64}""")
"""A key of over 64 parts, slow in tomllib; possessive, to match in linear time."""

REMEDY = "put a good copy in its place"
UTF8 = "save the file as text in UTF-8"

DECODING = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    AssertionError,
    OSError,
    EOFError,
    RecursionError,
    MemoryError,
    struct.error,
    msgspec.MsgspecError,
)
"""Errors of decoders for bad contents."""


def exists(path: Path) -> bool:
    """Return True if a path exists; False also for invalid names and in unsearchable folders."""
    try:
        path.stat()
    except (OSError, ValueError):
        return False
    return True


def read_bytes(path: Path, *, limit: int = LONGEST, remedy: str = REMEDY) -> bytes:
    """Read a file of at most `limit` bytes. Raises NoFile, Refused, or BadFile if longer or not regular. remedy: ends
    the message."""
    return check_size(read_head(path, limit + 1, remedy=remedy), path, limit=limit, remedy=remedy)


def check_size(data: bytes, path: Path | str, *, limit: int = LONGEST, remedy: str = REMEDY) -> bytes:
    """Return bytes already read. Raises BadFile above `limit`."""
    if len(data) > limit:
        raise BadFile(path, Fault("", f"is longer than {limit:,} bytes, the most that is read", remedy))
    return data


def read_head(path: Path, length: int, *, remedy: str = REMEDY) -> bytes:
    """Read the first `length` bytes. Raises as `read_bytes`."""
    try:
        handle = os.open(path, READ_FLAGS)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise BadFile(path, Fault("", "is no file, but a folder, a pipe or a device", remedy))
            return file.read(length)
    except FileNotFoundError as error:
        raise NoFile(path, Fault("", "is not there", remedy)) from error
    except IsADirectoryError as error:
        raise BadFile(path, Fault("", "is a folder and no file", remedy)) from error
    except PermissionError as error:
        what = "let the user that runs this read it (the service runs as `referee`)"
        raise Refused(path, Fault("", f"cannot be read ({error.strerror})", what)) from error
    except OSError as error:
        raise Refused(path, Fault("", f"cannot be read ({error.strerror or error})", remedy)) from error
    except ValueError as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(repr(str(path)), Fault("", f"is no name of a file ({quote(error)})", remedy)) from error


def read_text(path: Path, *, limit: int = LONGEST, remedy: str = REMEDY) -> str:
    """Read UTF-8 text, dropping byte order mark and DOS end. Raises BadFile with line and byte, and as `read_bytes`."""
    return text_of(read_bytes(path, limit=limit, remedy=remedy), path)


def text_of(data: bytes, path: Path | str) -> str:
    """Decode bytes as `read_text`. Raises BadFile with line and byte. path: for errors."""
    try:
        return data.decode("utf-8-sig").rstrip(END)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        wrong = f"is no text in UTF-8 (byte 0x{data[error.start]:02X} at {error.start})"
        raise BadFile(path, Fault("", wrong, UTF8, line)) from error


def read_toml(path: Path, kind: type[T], *, remedy: str = REMEDY) -> T:
    """Read TOML as `kind`. Raises BadFile with all faults of a struct, and as `read_text`. remedy: for an
    unreadable file."""
    text = read_text(path, limit=LONGEST_TOML, remedy=remedy)
    return decode.convert(kind, toml_of(text, path), text, path)


def toml_of(text: str, path: Path | str) -> dict[str, Any]:
    """Parse TOML. Raises BadFile with line and column. path: for errors."""
    if found := DOTTED.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise BadFile(path, Fault("", "has a key of more than 64 parts", "correct this line", line))
    try:
        return _loads(text)
    except tomllib.TOMLDecodeError as error:
        wrong, _, where = quote(error).rpartition(" (at ")
        at = where.rstrip(")") if wrong else ""
        raise BadFile(path, Fault(at, f"is not TOML: {wrong or where}", "correct this line")) from error
    except DECODING as error:
        wrong = "is nested too deeply" if isinstance(error, RecursionError) else f"is not TOML: {quote(error)}"
        raise BadFile(path, Fault("", wrong, "correct this line", _line_that_breaks(text))) from error


def _loads(text: str) -> dict[str, Any]:
    return tomllib.loads(text, parse_float=_finite)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is no finite number")
    return value


def _line_that_breaks(text: str) -> int:
    """Return the line (from 1) that raises a non-TOML error."""
    lines = text.replace("\r\n", "\n").split("\n")

    def breaks(count: int) -> bool:
        try:
            _loads("\n".join(lines[:count]))
        except tomllib.TOMLDecodeError:
            return False
        except DECODING:
            return True
        return False

    return bisect_left(range(len(lines)), True, key=lambda count: breaks(count + 1)) + 1


def read_json(path: Path, kind: type[T], *, limit: int = LONGEST, remedy: str = REMEDY) -> T:
    """Read JSON as `kind`. Raises BadFile with the first fault, and as `read_bytes`."""
    return json_of(read_bytes(path, limit=limit, remedy=remedy), kind, path, remedy)


def json_of(data: bytes, kind: type[T], path: Path | str, remedy: str = REMEDY) -> T:
    """Decode JSON bytes as `read_json`. Raises BadFile with the first fault. path: for errors."""
    try:
        return msgspec.json.decode(data, type=kind)
    except DECODING as error:
        raise BadFile(path, _json_fault(error, data, remedy)) from error


def _json_fault(error: Exception, data: bytes, remedy: str) -> Fault:
    if isinstance(error, RecursionError):
        return Fault("", "is nested too deeply", remedy)
    if not data.strip(b" \t\r\n\0"):
        return Fault("", "is empty", remedy)
    if isinstance(error, msgspec.ValidationError):
        return _at_key(error, remedy)
    at = re.search(r"\(byte (\d+)\)$", str(error))
    line = data[: int(at[1])].count(b"\n") + 1 if at else None
    return Fault("", f"is not JSON: {quote(error)}", remedy, line)


def _at_key(error: msgspec.ValidationError, remedy: str) -> Fault:
    wrong, _, where = quote(error).partition(" - at `")
    return Fault(where.removeprefix("$").strip("`."), wrong, remedy)


@contextmanager
def decoding(path: Path | str, remedy: str = REMEDY) -> Iterator[None]:
    """Turn other decoders' errors into BadFile."""
    try:
        yield
    except BadFile:
        raise
    except msgspec.ValidationError as error:
        raise BadFile(path, _at_key(error, remedy)) from error
    except DECODING as error:
        raise BadFile(path, Fault("", f"cannot be decoded ({quote(error)})", remedy)) from error
