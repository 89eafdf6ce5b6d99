"""A vision worker that sees nothing: it obeys the link, and can fall silent or die on purpose.

Usage: scripted_worker.py ADDRESS [MODE [N]], where MODE is silent-after, die-after, blind-after, loads, stuck-after,
camera, garbage or mute. blind-after: it says that no frames come, and dies. loads: before its third frame it reads N
pictures, and is told after each to go on. stuck-after: it says for ever that it reads the same one. camera: it sees
while the file N is there, and dies otherwise.
"""

import sys
import time
from pathlib import Path

import msgspec
import zmq

from engine.table import Health, Observation
from vision.messages import Busy, Picture, Quit, Report, RestPicture, ToWorker


def main(address: str, mode: str = "", count: str = "0") -> None:
    socket = zmq.Context().socket(zmq.PAIR)
    socket.connect(address)
    if mode == "camera" and not Path(count).exists():
        sys.exit(1)
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
        work(socket, mode, frame, count)
        if mode == "garbage":
            socket.send(b"\xff not a message")
        while socket.poll(20):
            if isinstance(decoder.decode(socket.recv()), Quit):
                return
            socket.send(msgspec.json.encode(Picture(frame, b"told")))
            socket.send(msgspec.json.encode(RestPicture(b"kept", Observation(frame, 1.0, ()))))
        socket.send(msgspec.json.encode(Report(frame, time.monotonic(), False, Health.OK)))


def work(socket: "zmq.Socket[bytes]", mode: str, frame: int, given: str) -> None:
    """What lies between two frames."""
    if mode == "camera":
        if not Path(given).exists():
            sys.exit(1)
        return
    count = int(given)
    if mode == "loads" and frame == 3:
        for done in range(count):
            socket.send(msgspec.json.encode(Busy("reads set stones", done, count)))
            socket.recv()
    while mode == "stuck-after" and frame > count:
        socket.send(msgspec.json.encode(Busy("reads set stones", 0, 5)))
        time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])
