"""Pages with the table's own certificate, if its owner wants them encrypted."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import stat
from pathlib import Path

import aiohttp
import msgspec
import pytest

from device.pages.tls import NoCertificate, certificate, fingerprint
from tests.device.pages.stand_in import CODE, KEY, gateway

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


def test_it_is_made_once_and_kept_to_ourselves(tmp_path: Path) -> None:
    first = certificate(tmp_path / "state", ("referee.local", "10.0.0.5"))
    assert stat.S_IMODE(Path(first.key).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700
    again = certificate(tmp_path / "state", ("other.local",))
    assert fingerprint(again) == fingerprint(first)
    assert len(fingerprint(first).split(":")) == 32


def test_one_that_cannot_be_used_or_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = certificate(tmp_path / "state", ("referee.local",))
    Path(made.key).write_text("no key")
    with pytest.raises(NoCertificate, match="remove it"):
        certificate(tmp_path / "state", ("referee.local",))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoCertificate, match="install openssl"):
        certificate(tmp_path / "other", ("referee.local",))


def test_a_worker_that_is_shut_in_speaks_tls(tmp_path: Path) -> None:
    made = certificate(tmp_path / "state", ("127.0.0.1",))
    trust = ssl.create_default_context(cafile=made.chain)

    async def play(port: int) -> None:
        connector = aiohttp.TCPConnector(ssl=trust)
        async with aiohttp.ClientSession(f"https://127.0.0.1:{port}", connector=connector) as session:
            page = await session.get("/")
            assert page.status == 200
            async with session.ws_connect("/link", origin=f"https://127.0.0.1:{port}") as link:
                assert (await link.receive_json())["number"] == 1
                await link.send_json({"join": CODE, "key": KEY})
                assert await link.receive_json() == {"joined": "a"}
        async with aiohttp.ClientSession() as session:
            with pytest.raises(aiohttp.ClientError):
                await session.get(f"http://127.0.0.1:{port}/")

    with gateway(tmp_path, change=lambda plan: msgspec.structs.replace(plan, certificate=made)) as served:
        asyncio.run(asyncio.wait_for(play(served.ports["a"]), 20))
        assert "Traceback" not in served.text
