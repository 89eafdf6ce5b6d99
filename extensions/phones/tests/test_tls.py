"""Pages with the table's own certificates, if its owner wants them encrypted."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import shutil
import socket
import ssl
import stat
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import msgspec
import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from device.certificates import Issuer, authority
from device.web.audiences import AUDIENCES
from device.web.connection_limits import Limits
from extensions.phones.tests.daemon.phone import Phone
from extensions.phones.tests.stand_in import CODE, gateway
from referee_phones.plan import Certificate, Plan
from referee_phones.tls import RENEWED, NoCertificate, certificates, fingerprint

NAMES = ("referee.local", "127.0.0.1")


def prints(folder: Path, names: tuple[str, ...] = NAMES) -> list[str]:
    return [fingerprint(each) for each in certificates(folder, names).values()]


def issuer(folder: Path) -> Issuer:
    """The authority whose files are in a folder."""
    return Issuer((folder / "certificate.pem").read_bytes(), (folder / "key.pem").read_bytes())


def put(made: Certificate, certificate: bytes, key: bytes) -> None:
    Path(made.chain).write_bytes(certificate)
    Path(made.key).write_bytes(key)


def test_each_audience_has_a_key_of_its_own_and_keeps_it(tmp_path: Path) -> None:
    made = certificates(tmp_path / "state", NAMES)
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700
    assert tuple(made) == AUDIENCES
    for each in made.values():
        assert stat.S_IMODE(Path(each.key).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "state" / "key.pem").stat().st_mode) == 0o600
    first = prints(tmp_path / "state")
    assert first == [fingerprint(each) for each in made.values()]
    assert len(set(first)) == len(AUDIENCES)
    assert all(len(each.split(":")) == 32 for each in first)
    assert set(prints(tmp_path / "state", ("other.local",))).isdisjoint(first), "for other names there are others"


def test_what_is_old_or_spoiled_is_made_anew_and_nothing_else(tmp_path: Path) -> None:
    made, first = certificates(tmp_path, NAMES), prints(tmp_path)
    Path(made["a"].key).write_text("no key")
    put(made["b"], *issuer(tmp_path).certify("b", NAMES, RENEWED.days, ExtendedKeyUsageOID.SERVER_AUTH))
    first[AUDIENCES.index("b")] = fingerprint(made["b"])
    kept = {name for name, now, before in zip(made, prints(tmp_path), first, strict=True) if now == before}
    assert kept == set(AUDIENCES) - {"a", "b"}
    (tmp_path / "certificate.pem").write_bytes(b"")
    assert set(prints(tmp_path)).isdisjoint(first)


def test_a_certificate_that_was_made_while_the_clock_was_ahead_is_made_anew(tmp_path: Path) -> None:
    made, ahead = certificates(tmp_path, NAMES), datetime.now(UTC) + timedelta(days=600)
    put(made["b"], *issuer(tmp_path).certify("b", NAMES, 800, ExtendedKeyUsageOID.SERVER_AUTH, since=ahead))
    certificates(tmp_path, NAMES)
    found = x509.load_pem_x509_certificate(Path(made["b"].chain).read_bytes())
    assert found.not_valid_before_utc < datetime.now(UTC)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
@pytest.mark.quick(3)
@pytest.mark.parametrize("names", [("referee.local",), NAMES, ("my_table", "2001:db8::1")])
@pytest.mark.parametrize("name", ["bank.example", "192.0.2.1", "2001:db8::2"])
def test_the_authority_vouches_for_no_other_name_and_no_other_address(
    tmp_path: Path, names: tuple[str, ...], name: str
) -> None:
    own = certificates(tmp_path, names)["a"].chain
    verify = ("openssl", "verify", "-CAfile", str(tmp_path / "certificate.pem"))
    assert subprocess.run((*verify, own), check=False, capture_output=True).returncode == 0
    forged = str(tmp_path / "forged.crt")
    Path(forged).write_bytes(issuer(tmp_path).certify("forged", (name,), 100, ExtendedKeyUsageOID.SERVER_AUTH)[0])
    told = subprocess.run((*verify, forged), check=False, capture_output=True, text=True)
    assert "subtree violation" in told.stderr, told


def test_an_authority_that_an_older_version_made_less_narrow_is_made_anew(tmp_path: Path) -> None:
    first = prints(tmp_path)
    put(Certificate(str(tmp_path / "certificate.pem"), str(tmp_path / "key.pem")), *authority("Table referee", 3650))
    assert set(prints(tmp_path)).isdisjoint(first)


def test_one_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(NoCertificate, match="no certificate can be made"):
        certificates(tmp_path / "state", ("стол.example",))
    (tmp_path / "file").touch()
    with pytest.raises(NoCertificate, match="no certificate can be made"):
        certificates(tmp_path / "file", NAMES)


def encrypted(folder: Path) -> Callable[[Plan], Plan]:
    """The plan, with a certificate for every place of it."""
    made = certificates(folder / "state", NAMES)

    def change(plan: Plan) -> Plan:
        places = (msgspec.structs.replace(each, certificate=made[each.audience]) for each in plan.places)
        return msgspec.structs.replace(plan, places=tuple(places))

    return change


@pytest.mark.thorough
def test_a_worker_that_is_shut_in_speaks_tls_for_its_audience_alone(tmp_path: Path) -> None:
    with gateway(tmp_path, change=encrypted(tmp_path)) as served:
        trust = ssl.create_default_context(cafile=str(tmp_path / "state" / "certificate.pem"))
        asyncio.run(asyncio.wait_for(play(served.ports["a"], trust), 60))
        shown = {each: shown_by(served.ports[each], trust) for each in ("table", "a")}
        assert shown == {
            each: fingerprint(made) for each, made in certificates(tmp_path / "state", NAMES).items() if each in shown
        }
        assert "Traceback" not in served.text


async def play(port: int, trust: ssl.SSLContext, source: str = "127.0.0.1") -> None:
    connector = aiohttp.TCPConnector(ssl=trust, local_addr=(source, 0))
    async with aiohttp.ClientSession(f"https://127.0.0.1:{port}", connector=connector) as session:
        page = await session.get("/")
        assert page.status == 200
        async with session.ws_connect("/link", origin=f"https://127.0.0.1:{port}") as link:
            asked = (await link.receive_json())["challenge"]
            assert (await link.receive_json())["number"] == 1
            await link.send_json(Phone().joins(asked, CODE))
            assert await link.receive_json() == {"joined": "a"}
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientError):
            await session.get(f"http://127.0.0.1:{port}/")


def shown_by(port: int, trust: ssl.SSLContext) -> str:
    """The fingerprint of the certificate that is shown at a port."""
    with (
        socket.create_connection(("127.0.0.1", port)) as raw,
        trust.wrap_socket(raw, server_hostname="127.0.0.1") as made,
    ):
        data = made.getpeercert(binary_form=True)
    assert data is not None
    digits = hashlib.sha256(data).hexdigest().upper()
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))


@pytest.mark.thorough
def test_who_begins_to_encrypt_and_goes_no_further_is_counted(tmp_path: Path) -> None:
    """From the connection on: 300 of them keep no room, and another is served meanwhile."""
    with gateway(tmp_path, change=encrypted(tmp_path)) as served, contextlib.ExitStack() as held:
        trust = ssl.create_default_context(cafile=str(tmp_path / "state" / "certificate.pem"))
        served.until(lambda: "a" in served.workers())
        pid, port = served.workers()["a"], served.ports["a"]
        for _ in range(300):
            half = held.enter_context(socket.create_connection(("127.0.0.1", port)))
            half.sendall(HELLO)
        served.until(lambda: guests(pid, port) == Limits().handshakes)
        asyncio.run(asyncio.wait_for(play(port, trust, "127.0.0.2"), 60))
        served.until(lambda: guests(pid, port) == 0)  # a handshake has its time


HELLO = b"\x16\x03\x01\x02\x00"
"""The head of a record in which a handshake begins (RFC 8446, 5.1)."""


def guests(pid: int, port: int) -> int:
    """Connections to a port that a process has taken and not given up."""
    held = set[str]()
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            held.add(str(each.readlink()))
    rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
    taken = [row[9] for row in rows if row[1].endswith(f":{port:04X}") and row[3] != LISTENS]
    return sum(f"socket:[{inode}]" in held for inode in taken)


LISTENS = "0A"
"""The state of a socket that waits for connections, in the kernel's table."""
