"""A vision worker that sees nothing: it obeys the link, and can fall silent or die on purpose.

Usage: scripted_worker.py ADDRESS [silent-after N | die-after N | blind-after N | garbage | mute]
blind-after: it says that no frames come, and dies.
"""

import sys
import time

import msgspec
import zmq

from engine.table import Health
from vision.link import Picture, Quit, Report, ToWorker


def main(address: str, mode: str = "", count: str = "0") -> None:
    socket = zmq.Context().socket(zmq.PAIR)
    socket.connect(address)
    decoder = msgspec.json.Decoder(ToWorker)
    for frame in range(1, 10_000):
        if mode == "mute" or (mode == "silent-after" and frame > int(count)):
            time.sleep(60)
        if mode == "blind-after":
            socket.send(msgspec.json.encode(Report(0, time.monotonic(), False, Health.NO_FRAMES)))
            time.sleep(0.02)
            if frame > int(count):
                sys.exit(1)
            continue
        if mode == "die-after" and frame > int(count):
            sys.exit(1)
        if mode == "garbage":
            socket.send(b"\xff not a message")
        while socket.poll(20):
            if isinstance(decoder.decode(socket.recv()), Quit):
                return
            socket.send(msgspec.json.encode(Picture(frame, b"told")))
        socket.send(msgspec.json.encode(Report(frame, time.monotonic(), False, Health.OK)))


if __name__ == "__main__":
    main(*sys.argv[1:])
