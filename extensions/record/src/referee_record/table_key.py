"""Manages the table's private signing key. Pages and publishers don't have it, so they can't forge."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
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


class NoKey(RefereeError, OSError):
    """The table has no usable key; the message has the remedy."""


class TableKey:
    """The private key. public: hexadecimal."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, message: bytes) -> bytes:
        """Return the deterministic signature."""
        return self._key.sign(message)


def make_key(folder: Path) -> TableKey:
    """Return the folder's key, creating a missing one, never replacing one. Thread-safe. Raises NoKey, BadFile."""
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
    draft = folder / f"{FILE}.{threading.get_native_id()}.new"  # no other thread of the machine has this number
    draft.unlink(missing_ok=True)  # a killed process's may have another mode
    try:
        write_synced(draft, pem, mode=0o600)
        if os.geteuid() == 0:  # root may ask first: the key is still the referee's
            os.chown(draft, folder.stat().st_uid, folder.stat().st_gid)
        with suppress(FileExistsError):
            os.link(draft, folder / FILE)
    finally:
        draft.unlink(missing_ok=True)
    sync(folder)


def read(folder: Path) -> TableKey:
    """Read the key. Raises NoKey if damaged or of another kind, NoFile without one, BadFile if unreadable."""
    path = folder / FILE
    data = read_bytes(path, remedy="put a copy of it back")
    try:
        found = load_pem_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise NoKey(f"{path} is no key: put a copy of it back, or move it away for a new one to be made") from error
    if not isinstance(found, Ed25519PrivateKey):
        raise NoKey(f"{path} is no Ed25519 key: move it away for a new one to be made")
    return TableKey(found)
