"""A club's certificates are such as every Python that the referee runs on believes."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from pathlib import Path

from referee_club import authority as club
from referee_record.herald.mqtt import trusting


def shaken(folder: Path, table: str, host: str) -> Mapping[str, object]:
    """Return what the broker knows of the table after a handshake. Both ends believe only what is made by the letter of
    RFC 5280, as Python does by itself from 3.13 on. Raises ssl.SSLError."""
    own = trusting(*(str(folder / each) for each in (f"{table}.pem", f"{table}.key", "authority.pem")))
    broker = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(folder / "authority.pem"))
    broker.load_cert_chain(folder / "broker.pem", folder / "broker.key")
    broker.verify_mode = ssl.CERT_REQUIRED
    for context in (own, broker):
        context.verify_flags |= ssl.VERIFY_X509_STRICT
    told, heard = ssl.MemoryBIO(), ssl.MemoryBIO()
    here = own.wrap_bio(heard, told, server_hostname=host)
    there = broker.wrap_bio(told, heard, server_side=True)
    open_ = [here, there]
    for _ in range(8):
        for end in tuple(open_):
            try:
                end.do_handshake()
                open_.remove(end)
            except ssl.SSLWantReadError:
                pass
    assert open_ == []
    return there.getpeercert() or {}


def test_what_a_club_makes_is_believed_by_the_letter(tmp_path: Path) -> None:
    authority = club.Authority(tmp_path)
    authority.serve(("club.local",))
    for ending, data in zip(("pem", "key"), authority.certify("table-1"), strict=True):
        (tmp_path / f"table-1.{ending}").write_bytes(data)
    assert shaken(tmp_path, "table-1", "club.local")["subject"] == ((("commonName", "table-1"),),)
