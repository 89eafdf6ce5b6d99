"""A broker that is slow, silent, hostile or talks nonsense is left with a sentence, and takes no memory."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from extensions.record.tests.herald.certificates import Authority
from referee_record.herald import mqtt
from referee_record.herald.mqtt import LONGEST, BrokerError

PATIENCE_S = 60.0
CONNACK = bytes((0x20, 3, 0, 0, 0))
Speaks = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def trusted(authority: Authority) -> ssl.SSLContext:
    """As the herald of a table believes brokers."""
    certificate, key = authority.certify("table-1")
    return mqtt.trusting(str(certificate), str(key), str(authority.certificate))


async def packet(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The next of a client: its first byte and its content."""
    first, length, shift = (await reader.readexactly(1))[0], 0, 0
    while True:
        byte = (await reader.readexactly(1))[0]
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return first, await reader.readexactly(length)


def told(folder: Path, speaks: Speaks, *, says: int = 1, patience_s: float = mqtt.PATIENCE_S) -> str:
    """What a client says of a broker that speaks so, and is told so many messages. patience_s: once it is connected."""
    authority = Authority(folder)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(*authority.certify("broker"))
    own = trusted(authority)

    async def scenario() -> str:
        done = asyncio.Event()

        async def spoken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await speaks(reader, writer)
                await done.wait()
            except OSError:
                pass
            finally:
                writer.transport.abort()

        server = await asyncio.start_server(spoken, "localhost", 0, ssl=serving)
        port = server.sockets[0].getsockname()[1]
        try:
            with pytest.raises(BrokerError) as found:
                await talk(port)
            return str(found.value)
        finally:
            done.set()
            server.close()

    async def talk(port: int) -> None:
        broker = await mqtt.connect_to_broker("localhost", port, own)
        try:
            patch.setattr(mqtt, "PATIENCE_S", patience_s)
            await broker.begin("table-1", "alive", b"0")
            reading = asyncio.ensure_future(broker.run())
            try:
                for _ in range(says):
                    saying = asyncio.ensure_future(broker.publish("topic", b"text", retain=False))
                    await asyncio.wait((saying, reading), return_when=asyncio.FIRST_COMPLETED)
                    if reading.done():
                        saying.cancel()
                        break
                    await saying
                await reading
            finally:
                reading.cancel()
        finally:
            broker.close()

    with pytest.MonkeyPatch.context() as patch:
        return asyncio.run(asyncio.wait_for(scenario(), PATIENCE_S))


def answering(*answers: bytes) -> Speaks:
    """To each packet of the client the next answer."""

    async def speaks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            await packet(reader)
            writer.write(answer)

    return speaks


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ((b"HTTP/1.1 400 Bad Request\r\n\r\n" + bytes(100),), "does not answer as one"),
        ((bytes((0x20, 1, 0)),), "does not answer as one"),
        ((bytes((0x20, 5, 0, 0, 2, 0x77, 0)),), "does not answer as one"),
        ((bytes((0x20, 3, 0, 0x87, 0)),), "refuses: this table may not write there"),
        ((bytes((0x20, 3, 0, 0x9F, 0)),), "refuses: reason code 0x9f"),
        ((b"\x20\xff\xff\xff\x7f",), f"more than {LONGEST} bytes at once"),
        ((b"\x20\x80\x80\x80\x80\x80\x80",), f"more than {LONGEST} bytes at once"),
        ((CONNACK, bytes((0x40, 3, 0, 1, 0x87))), "refuses topic: this table may not write there"),
        ((CONNACK, bytes((0x40, 2, 0, 9))), "what it was not asked"),
        ((CONNACK, bytes((0x30, 4, 0, 1, 0x61, 0))), "what it was not asked"),
        ((CONNACK, bytes((0xE0, 1, 0x8E))), "another table has the same certificate"),
        ((CONNACK, b"\x40\xff\xff\xff\x7f" + bytes(1 << 20)), f"more than {LONGEST} bytes at once"),
        ((bytes((0x20, 8, 0, 0, 5, 0x27, 0, 0, 0, 9)),), "takes no more than 9 bytes"),
    ],
)
def test_what_is_no_broker_or_refuses_is_left_with_a_sentence(
    tmp_path: Path, answers: tuple[bytes, ...], sentence: str
) -> None:
    assert sentence in told(tmp_path, answering(*answers))


def test_receipts_are_waited_for_one_after_the_other(tmp_path: Path) -> None:
    numbers = list[bytes]()

    async def speaks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await packet(reader)
        writer.write(CONNACK)
        for _ in range(3):
            first, body = await packet(reader)
            assert (first, body[:7], body[10:]) == (0x32, b"\x00\x05topic", b"text")
            numbers.append(body[7:9])
            writer.write(bytes((0x40, 2)) + body[7:9])
        writer.close()

    assert "closed the connection" in told(tmp_path, speaks, says=3)
    assert numbers == [b"\x00\x01", b"\x00\x02", b"\x00\x03"]


@pytest.mark.parametrize("answers", [(), (CONNACK,)], ids=["at once", "later"])
def test_one_that_says_nothing_is_not_waited_for_for_ever(tmp_path: Path, answers: tuple[bytes, ...]) -> None:
    assert "says nothing" in told(tmp_path, answering(*answers), patience_s=0.5)


def test_one_that_falls_silent_is_found_though_there_is_nothing_to_say(tmp_path: Path) -> None:
    """Its receipt for the connection says that it wants to hear something each second."""
    asked = bytes((0x20, 6, 0, 0, 3, 0x13, 0, 1))
    assert "fallen silent" in told(tmp_path, answering(asked), says=0)


def test_nobody_there_is_a_sentence(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    own = trusted(authority)

    async def scenario() -> None:
        server = await asyncio.start_server(lambda *_: None, "localhost", 0)
        port = server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()
        with pytest.raises(BrokerError, match="cannot be reached"):
            await mqtt.connect_to_broker("localhost", port, own)

    asyncio.run(asyncio.wait_for(scenario(), PATIENCE_S))


def test_files_that_are_no_certificates_are_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "nonsense").write_text("nonsense")
    nonsense = str(tmp_path / "nonsense")
    for path in (nonsense, str(tmp_path / "nothing")):
        with pytest.raises(BrokerError, match="cannot be used"):
            mqtt.trusting(path, path, path)


@pytest.mark.parametrize(
    ("host", "port"),
    [("127.0.0.1", 99_999), ("a" * 70 + ".local", 8883), ("..", 8883), ("club..local", 8883), (".local", 8883)],
)
def test_an_address_that_cannot_be_is_a_sentence(host: str, port: int) -> None:
    with pytest.raises(BrokerError, match="there can be no broker at"):
        asyncio.run(mqtt.connect_to_broker(host, port, ssl.create_default_context()))
