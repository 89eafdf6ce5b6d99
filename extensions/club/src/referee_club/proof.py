"""Verifies a match's new entries; stored ones were verified before."""

from __future__ import annotations

from collections.abc import Iterable

from referee_record.listening import Forged, Nonsense, OtherKey
from referee_record.public_entries import Chain, Opening, Signed, signature_bytes
from referee_record.public_key import PublicKey


class Proof:
    """A match's verified part: `links` entries. key: hexadecimal."""

    def __init__(self, opening: Opening, key: str) -> None:
        """Begin before the opening, which `take` verifies. key: the table's, or "" for any. Raises OtherKey,
        UnknownFormat, Nonsense."""
        if key and opening.key != key:
            raise OtherKey(f"it is signed by the key {opening.key!r}, not by this table's")
        try:
            self._public = PublicKey(opening.key)
        except ValueError as error:
            raise Nonsense(f"the table's key is none: {error}") from error
        self._chain, self.key, self.links = Chain(opening.format), opening.key, 0

    @classmethod
    def after(cls, links: Iterable[Signed], key: str) -> Proof:
        """Continue after stored entries, the opening at least. Raises as the constructor."""
        proof: Proof | None = None
        for link in links:
            if proof is None:
                assert isinstance(link.body, Opening)
                proof = cls(link.body, key)
            proof._chain.add(link.body)
            proof._chain.add_signature(signature_bytes(link.signature))
            proof.links += 1
        assert proof is not None
        return proof

    def take(self, link: Signed) -> None:
        """Verify the next entry. Raises Forged, without taking it."""
        chain = self._chain.copy()
        if not self._public.has_signed(chain.add(link.body), signature_bytes(link.signature)):
            raise Forged("it is not what the table's key signed: changed, moved or added")
        chain.add_signature(signature_bytes(link.signature))
        self._chain, self.links = chain, self.links + 1
