"""A browser's half of the handshake (`referee_phones.daemon.handshake`), as `handshake.js` has it."""

from __future__ import annotations

from typing import Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from device.owner.claim import digest
from referee_phones.daemon.handshake import KeyProof, mark
from referee_phones.daemon.seats import DIGITS
from referee_phones.frames import Back, Join, challenge

CODE = 16
"""Characters of an invitation's code."""


class Phone:
    """A browser. key: of the seat, or the table, that it last asked for with a code."""

    def __init__(self, key: str = "") -> None:
        self.key = key

    @property
    def secret(self) -> str:
        """The digest of its key, which a table keeps."""
        return digest(self.key)

    @property
    def number(self) -> str:
        """By which another phone takes its seat."""
        return f"{int(digest(f'number {self.secret}'), 16) % 10**DIGITS:0{DIGITS}}"

    def joins(self, asked: str, code: str) -> dict[str, Any]:
        """Its answer to a challenge, with a code or a number."""
        own = X25519PrivateKey.generate()
        self.key = own.exchange(X25519PublicKey.from_public_bytes(bytes.fromhex(asked[:64]))).hex()
        said = {"prove": mark(self.secret, asked + digest(code)), "join": own.public_key().public_bytes_raw().hex()}
        return {**said, "number": True} if is_number(code) else said

    def returns(self, asked: str) -> dict[str, Any]:
        """Its answer to a challenge, to come back."""
        return {"prove": mark(self.secret, asked)}

    def join(self, public: str, link: int, code: str) -> Join:
        """The same as a frame."""
        said = self.joins(challenge(public, link), code)
        return Join(link, said["join"], said["prove"], said.get("number", False))

    def back(self, public: str, link: int) -> Back:
        """The same as a frame."""
        return Back(link, self.returns(challenge(public, link))["prove"])


def is_number(code: str) -> bool:
    """Return True if a browser takes what was typed or scanned for a number: codes are longer."""
    return code.isdecimal() and len(code) < CODE


def knows(key: str, code: str = "") -> KeyProof:
    """The proof of who has a key, and knows a code."""
    return KeyProof("?", mark(digest(key), "?" + (code and digest(code))))
