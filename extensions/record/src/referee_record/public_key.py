"""Checks signatures under a table's public key. Nothing here can sign."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Check: TypeAlias = Callable[[bytes, bytes, bytes], bool]
"""Returns True if a public key signed a message: key, message, signature (Ed25519, RFC 8032)."""

PUBLIC = 32
"""Bytes of the public key (RFC 8032, 5.1.5)."""

_PRIME = 2**255 - 19
"""Field prime of Ed25519 (RFC 8032, 5.1)."""

_EIGHTH = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER = frozenset({0, 1, _PRIME - 1, _EIGHTH, _PRIME - _EIGHTH})
"""The y coordinates of points of small order (https://cr.yp.to/ecdh.html#validate), under which anybody can sign."""


def check_by_openssl(key: bytes, message: bytes, signature: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature  # a browser's Python has none, and checks otherwise
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


class PublicKey:
    """A table's public key. Raises ValueError for a weak one, and all but 64 lower-case hexadecimal digits."""

    def __init__(self, written: str, check: Check = check_by_openssl) -> None:
        data = bytes.fromhex(written)
        if len(data) != PUBLIC or data.hex() != written:
            raise ValueError("a key has 64 hexadecimal digits, in small letters")
        _refuse_weak(data)
        self._data, self._check = data, check

    def has_signed(self, message: bytes, signature: bytes) -> bool:
        return self._check(self._data, message, signature)


def _refuse_weak(data: bytes) -> None:
    y = int.from_bytes(data, "little") & (1 << 255) - 1  # the last bit is the sign of x
    if y >= _PRIME or y in _SMALL_ORDER:
        raise ValueError("anybody can sign under this key, so it proves nothing")


def qr_text(public: str) -> str:
    """Return a key for a small QR code, in capitals."""
    return f"REFEREE:{public.upper()}"


def in_groups(public: str) -> str:
    """Return a key or hash in groups of four digits."""
    return " ".join(public[at : at + 4] for at in range(0, len(public), 4))
