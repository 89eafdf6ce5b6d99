"""A network camera that sends its pictures by RTSP: JPEG (RFC 2435) over the connection itself (RFC 2326)."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import cv2

from tests.vision.cameras.stream_server import USER
from vision.camera import Image

PACKET, PER_SECOND, TICKS = 1300, 20, 90_000
SDP = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=camera\r\nt=0 0\r\nm=video 0 RTP/AVP 26\r\na=control:track1\r\n"
ANSWERS = {
    "OPTIONS": ("Public: OPTIONS, DESCRIBE, SETUP, PLAY\r\n", ""),
    "DESCRIBE": ("Content-Type: application/sdp\r\n", SDP),
    "SETUP": ("Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1\r\n", ""),
    "PLAY": ("Session: 1\r\n", ""),
}


class RtspServer:
    """The camera. does: "sends" pictures, "stalls", "ends" each stream. guarded: it wants a password."""

    def __init__(self, listener: socket.socket, picture: Image) -> None:
        self.does, self.guarded, self._picture, self._listener = "sends", False, picture, listener

    def address(self, user: str = "") -> str:
        return f"rtsp://{user}127.0.0.1:{self._listener.getsockname()[1]}/stream"

    def serve(self) -> None:
        """Serve every client until the listener closes."""
        with suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=(self._listener.accept()[0],), daemon=True).start()

    def _serve(self, link: socket.socket) -> None:
        with link, link.makefile("r", newline="\r\n") as asked, suppress(OSError, ValueError):
            while line := asked.readline():
                fields = dict(each.rstrip().split(": ", 1) for each in iter(asked.readline, "\r\n"))
                method = line.split()[0]
                more, body = ANSWERS.get(method, ("", ""))
                status = "200 OK"
                if self.guarded and method != "OPTIONS" and fields.get("Authorization") != USER:
                    status, more, body = "401 Unauthorized", 'WWW-Authenticate: Basic realm="camera"\r\n', ""
                elif method == "SETUP" and "TCP" not in fields["Transport"]:  # some FFmpeg asks for UDP first
                    status, more = "461 Unsupported Transport", ""
                length = f"Content-Length: {len(body)}\r\n" if body else ""
                link.sendall(f"RTSP/1.0 {status}\r\nCSeq: {fields['CSeq']}\r\n{more}{length}\r\n{body}".encode())
                if method == "PLAY" and status == "200 OK":
                    self._send(link)
                    return

    def _send(self, link: socket.socket) -> None:
        number = shown = 0
        while self.does != "ends":
            if self.does == "sends":
                shown += 1
                for packet in packets(self._picture):
                    last = 0x80 if packet.last else 0
                    head = struct.pack(">BBHII", 0x80, 26 | last, number % 2**16, shown * TICKS // PER_SECOND, 1)
                    data = head + packet.data
                    link.sendall(b"$\0" + struct.pack(">H", len(data)) + data)
                    number += 1
            time.sleep(1 / PER_SECOND)


class Packet:
    """A part of a picture."""

    def __init__(self, data: bytes, *, last: bool) -> None:
        self.data, self.last = data, last


def packets(picture: Image) -> Iterator[Packet]:
    """Return a picture as RTP/JPEG payloads: its tables, and its scan in parts."""
    height, width = picture.shape[:2]
    jpeg = cv2.imencode(".jpg", picture)[1].tobytes()
    at, tables, marker = 2, b"", 0
    while marker != 0xDA:  # the scan follows
        marker, length = struct.unpack(">xBH", jpeg[at : at + 4])
        if marker == 0xDB:
            tables += jpeg[at + 5 : at + 2 + length]
        at += 2 + length
    scan = jpeg[at:-2]
    for offset in range(0, len(scan), PACKET):
        head = struct.pack(">BBHBBBB", 0, offset >> 16, offset % 2**16, 1, 255, width // 8, height // 8)
        head += struct.pack(">BBH", 0, 0, len(tables)) + tables if not offset else b""
        yield Packet(head + scan[offset : offset + PACKET], last=offset + PACKET >= len(scan))


@contextmanager
def serving(picture: Image) -> Iterator[RtspServer]:
    """Serve the camera until the context ends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = RtspServer(listener, picture)
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        yield server
        server.does = "ends"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
