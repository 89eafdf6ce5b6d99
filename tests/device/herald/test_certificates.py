"""The recipe for a club's certificates makes such as every Python that the referee runs on believes."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from device.herald.mqtt import trusting
from tests.device.herald.certificates import Authority

ROOT = Path(__file__).resolve().parents[3]
OPENSSL, BASH = shutil.which("openssl"), shutil.which("bash")


def recipe() -> str:
    """What docs/herald.md has somebody type to make certificates."""
    lines = (ROOT / "docs" / "herald.md").read_text(encoding="utf-8").splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("    openssl req -x509"))
    end = next(at for at in range(first, len(lines)) if not lines[at].startswith("    "))
    return "\n".join(line.removeprefix("    ") for line in lines[first:end])


def shaken(folder: Path, table: str, host: str) -> Mapping[str, object]:
    """What the broker knows of the table after both have shaken hands, each of which believes only what is made by
    the letter of RFC 5280, as Python does by itself from 3.13 on. Raises ssl.SSLError."""
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


@pytest.mark.skipif(OPENSSL is None or BASH is None, reason="openssl or bash is not installed")
def test_what_the_documented_recipe_makes_is_believed_by_the_letter(tmp_path: Path) -> None:
    assert BASH is not None
    subprocess.run([BASH, "-e"], input=recipe().encode(), cwd=tmp_path, check=True, capture_output=True, timeout=60)
    assert shaken(tmp_path, "table-1", "club.local")["subject"] == ((("commonName", "table-1"),),)


def test_what_the_tests_make_is_believed_by_the_letter_too(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    for name in ("broker", "table-1"):
        authority.certify(name)
    assert shaken(tmp_path, "table-1", "localhost")["subject"] == ((("commonName", "table-1"),),)
