"""Manages the table's private signing key. Pages and publishers don't have it, so they can't forge."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from engine.errors import RefereeError
from vision.files import NoFile, read_bytes, sync, write_synced

FILE = "table.key"
"""In the state folder, PKCS #8 in PEM."""

PUBLIC = 32
"""Bytes of the public key (RFC 8032, 5.1.5)."""


_PRIME = 2**255 - 19
"""Field prime of Ed25519 (RFC 8032, 5.1)."""

_EIGHTH = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER = frozenset({0, 1, _PRIME - 1, _EIGHTH, _PRIME - _EIGHTH})
"""The y coordinates of points of small order (https://cr.yp.to/ecdh.html#validate), under which anybody can sign."""


class NoKey(RefereeError, OSError):
    """The table has no usable key; the message says why and what to do."""


class PublicKey:
    """A table's public key. Raises ValueError for invalid hexadecimal digits."""

    def __init__(self, written: str) -> None:
        data = bytes.fromhex(written)
        if len(data) != PUBLIC or data.hex() != written:
            raise ValueError("a key has 64 hexadecimal digits, in small letters")
        _refuse_weak(data)
        self._key = Ed25519PublicKey.from_public_bytes(data)

    def has_signed(self, message: bytes, signature: bytes) -> bool:
        """Return True if this key signed the message."""
        try:
            self._key.verify(signature, message)
        except InvalidSignature:
            return False
        return True


def _refuse_weak(data: bytes) -> None:
    """Raise ValueError for a key that lets anybody sign, or an unreduced coordinate."""
    y = int.from_bytes(data, "little") & (1 << 255) - 1  # the last bit is the sign of x
    if y >= _PRIME or y in _SMALL_ORDER:
        raise ValueError("anybody can sign under this key, so it proves nothing")


class TableKey:
    """A key that can sign."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, message: bytes) -> bytes:
        """Return the deterministic signature."""
        return self._key.sign(message)


def make_key(folder: Path) -> TableKey:
    """Return the folder's key, creating a missing one, never replacing one. Thread-safe. Raises NoKey."""
    with suppress(NoFile):
        return read(folder)
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        _put(folder, pem)
    except OSError as error:
        raise NoKey(f"{folder / FILE} cannot be written ({error.strerror or error}): the table cannot sign") from error
    return read(folder)


def _put(folder: Path, pem: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    draft = (
        folder / f"{FILE}.{threading.get_native_id()}.new"
    )  # nobody else's: no two threads of a machine have one number
    draft.unlink(missing_ok=True)  # one that a killed process left may have another mode
    try:
        write_synced(draft, pem, mode=0o600)
        if os.geteuid() == 0:  # who looks after the machine asks first: it is the referee's all the same
            os.chown(draft, folder.stat().st_uid, folder.stat().st_gid)
        with suppress(FileExistsError):
            os.link(draft, folder / FILE)
    finally:
        draft.unlink(missing_ok=True)
    sync(folder)


def read(folder: Path) -> TableKey:
    """Read the key. Raises NoFile, or NoKey if damaged."""
    path = folder / FILE
    data = read_bytes(path, remedy="put a copy of it back")
    try:
        found = load_pem_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise NoKey(f"{path} is no key: put a copy of it back, or move it away for a new one to be made") from error
    if not isinstance(found, Ed25519PrivateKey):
        raise NoKey(f"{path} is no Ed25519 key: move it away for a new one to be made")
    return TableKey(found)


def qr_text(public: str) -> str:
    """Return a public key for a small QR code, in capitals."""
    return f"REFEREE:{public.upper()}"


def in_groups(public: str) -> str:
    """Return a key or hash in groups of four digits."""
    return " ".join(public[at : at + 4] for at in range(0, len(public), 4))
