"""Proves that a page knows a key or code without sending either.

  worker to page  {"challenge": C}          public key of a `KeyPair` and the link's number
  page to daemon  {"prove": P}              return: P = mark(S, C)
  page to daemon  {"prove": P, "join": X}   join: P = mark(S, C + digest(code)), X = a new public key
  daemon to page  {"joined": audience}      or a refusal

`mark` is HMAC-SHA-256, `digest` SHA-256, in hexadecimal; S is the digest of the page's key, which alone is stored.
X25519 (RFC 7748) makes new keys, unknown even to a listener with the code. Challenges are unique, so proofs can't be
reused.
"""

from __future__ import annotations

import hashlib
import hmac

import msgspec

DIGEST = 64
"""Hexadecimal digits of a digest."""


class KeyPair:
    """The daemon's key pair, one per worker connection."""

    def __init__(self) -> None:
        # Loading OpenSSL is slow on a small computer: only where there are pages.
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        self._private = X25519PrivateKey.generate()
        self.public = self._private.public_key().public_bytes_raw().hex()

    def agree_key(self, public: str) -> str:
        """Return the shared key. Raises ValueError for an invalid or weak public key."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

        return self._private.exchange(X25519PublicKey.from_public_bytes(bytes.fromhex(public))).hex()


class KeyProof(msgspec.Struct, frozen=True):
    """A page's proof for a challenge."""

    challenge: str
    mark: str

    def shows(self, secret: str, code: str = "") -> bool:
        """Return True if the page knows this secret (never "") and the code with this digest, if given."""
        return len(secret) == DIGEST and hmac.compare_digest(mark(secret, self.challenge + code), self.mark)


def mark(secret: str, text: str) -> str:
    """Return a text's authentication code."""
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def seal(secret: str, text: str) -> str:
    """Encrypt a text deterministically, so that equal pages stay equal. Raises ValueError above 32 bytes."""
    head = mark(secret, f"seal {text}")
    pad = bytes.fromhex(mark(secret, f"pad {head}"))
    data = text.encode()
    return head + bytes(one ^ other for one, other in zip(data, pad[: len(data)], strict=True)).hex()
