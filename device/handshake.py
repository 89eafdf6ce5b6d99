"""The handshake by which a page proves that it knows a key, or a code. Neither crosses the network.

    worker to page  {"challenge": C}            the public key of a `KeyPair` and the number of the link
    page to daemon  {"prove": P}                to come back; P = mark(S, C)
                    {"prove": P, "join": X}     to join with a code; P = mark(S, C + digest(code)), X = a new public key
    daemon to page  {"joined": audience}        or why not

`mark` is HMAC-SHA-256 and `digest` SHA-256, both in hexadecimal. S is the digest of the page's key: all that the table
keeps of it. A new key is what X25519 (RFC 7748) makes of both public keys, so that it stays unknown to a listener, even
to one who knows the code. A proof is worth nothing on another link, where the challenge is another.
"""

from __future__ import annotations

import hashlib
import hmac

import msgspec

DIGEST = 64
"""Hexadecimal digits of a digest."""


class KeyPair:
    """The daemon's half of a handshake; each connection of a worker has its own."""

    def __init__(self) -> None:
        # With OpenSSL, which takes a small computer a while to read in: only where there are pages.
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        self._private = X25519PrivateKey.generate()
        self.public = self._private.public_key().public_bytes_raw().hex()

    def agree_key(self, public: str) -> str:
        """Return the key that only this side and the owner of the other public key can compute. Raises ValueError for
        a public key with which everybody would compute the same."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

        return self._private.exchange(X25519PublicKey.from_public_bytes(bytes.fromhex(public))).hex()


class KeyProof(msgspec.Struct, frozen=True):
    """What a page sent to prove that it knows a secret. challenge: what it was asked with."""

    challenge: str
    mark: str

    def shows(self, secret: str, code: str = "") -> bool:
        """Return whether the page knows this secret, and the code with this digest. What is no digest is no secret: a
        mark made with it would be anybody's."""
        return len(secret) == DIGEST and hmac.compare_digest(mark(secret, self.challenge + code), self.mark)


def digest(key: str) -> str:
    """Return what is kept of a key or a code. A key has 128 bits of chance or more and a code 80, or is spent: nobody
    finds them by trying, so one round of hashing will do."""
    return hashlib.sha256(key.encode()).hexdigest()


def mark(secret: str, text: str) -> str:
    """Return what only those can make of a text who know the secret."""
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def seal(secret: str, text: str) -> str:
    """Return a text of at most 32 bytes, unreadable without the secret. The same text is always sealed alike, so that a
    page is not sent it twice."""
    head = mark(secret, f"seal {text}")
    pad = bytes.fromhex(mark(secret, f"pad {head}"))
    data = text.encode()
    return head + bytes(one ^ other for one, other in zip(data, pad[: len(data)], strict=True)).hex()
