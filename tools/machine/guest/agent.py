"""What lies around a Raspberry Pi, inside the test machine: pins (gpio-sim), buses (pi_buses), a camera (v4l2loopback).

Keeps what is sent to displays in /run/machine/log (oled.py decodes it), shows share/frame.yuv to the camera, and does
what lines of JSON on the virtio port "agent" ask; each answer carries the question's `id`:

    {"sh": COMMAND, "timeout": S}     -> {"rc": 0, "out": ..., "err": ...}
    {"level": PIN, "closed": true}    a button's contact
    {"tell": LINE}                    a line for /dev/wires (modules/pi_buses.c)
    {"camera": true}                  loads the camera's driver, as late as it is asked for

Runs before everything else of the machine, by Debian's own Python, without any library.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import socket
import subprocess
import threading
import time
import traceback
from pathlib import Path
from typing import Any

HERE = Path("/run/machine")
LOG = HERE / "log"
SHARE = HERE / "share"
MOUNT = f"mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000 share {SHARE}"
MODULES = HERE / "modules"
PORT = Path("/dev/virtio-ports/agent")
SIZE, FPS = (1280, 720), 5
"""Of the camera's pictures. Ten a second took a fifth of all that the emulated machine can do."""

PINS = 54
S_FMT = 0xC0D05605  # VIDIOC_S_FMT of linux/videodev2.h

Answer = dict[str, Any]


def sh(command: str, timeout: float = 600) -> subprocess.CompletedProcess[str]:
    """A command of the shell. Raises subprocess.TimeoutExpired; then it and all that it started are ended."""
    child = subprocess.Popen(
        command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, text=True, errors="replace",
    )  # fmt: skip
    try:
        out, err = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, 9)
        child.communicate()
        raise
    return subprocess.CompletedProcess(command, child.returncode, out, err)


def must(command: str) -> None:
    """A command without which there is no machine."""
    done = sh(command)
    if done.returncode:
        raise SystemExit(f"{command}: {done.stderr}")


def options() -> dict[str, str]:
    """Words of the kernel's command line that begin with `machine.`, without that."""
    words = Path("/proc/cmdline").read_text().split()
    return {
        name.removeprefix("machine."): value
        for name, found, value in (word.partition("=") for word in words)
        if found and name.startswith("machine.")
    }


def set_up() -> None:
    """Pins, buses, and the camera unless it is to come late."""
    wanted = options()
    must("mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config")
    must("modprobe -a i2c-dev i2c-mux 9pnet_virtio virtio_console")
    if not Path("/proc/device-tree").exists():
        board = f"revision={wanted['revision']} 'model=\"{wanted['model'].replace('_', ' ')}\"'"
        must(f"insmod {MODULES}/pi_identity.ko {board}")
    must(f"insmod {MODULES}/gpio_pi.ko")
    bank = Path("/sys/kernel/config/gpio-sim/pi/bank0")
    bank.mkdir(parents=True)
    (bank / "label").write_text("pinctrl-bcm2711")
    (bank / "num_lines").write_text(str(PINS))
    (bank.parent / "live").write_text("1")
    mux = int(wanted.get("mux", "0"))
    must(f"insmod {MODULES}/pi_buses.ko mux={mux}")
    if mux:
        must(f"insmod {MODULES}/i2c-mux-pca954x.ko")
        Path("/sys/bus/i2c/devices/i2c-1/new_device").write_text("pca9548 0x70")
    for display in filter(None, wanted.get("displays", "0:0x3c,0:0x3d").split(",")):
        bus, address = display.split(":")
        tell(f"there {bus} {address} 1")
    SHARE.mkdir(exist_ok=True)
    sh(MOUNT)
    if wanted.get("camera", "no") == "yes":
        camera()


def camera() -> None:
    """Loads the camera's driver, and shows pictures from now on.

    With more than one buffer a reader that asks for one takes the others out of the driver's list, without its lock:
    the kernel panics if a picture is just being written to one of them (v4l2loopback 0.12.7, vidioc_reqbufs).
    """
    must("modprobe -a videodev")
    must(f"insmod {MODULES}/v4l2loopback.ko video_nr=0 card_label=table max_width=1920 max_height=1080 max_buffers=1")
    threading.Thread(target=film, daemon=True).start()


def tell(line: str) -> None:
    """To the buses."""
    Path("/dev/wires").write_text(line)


def pull(pin: int, closed: bool) -> None:
    """Closes or opens a contact to ground."""
    (path,) = Path("/sys/devices/platform").glob(f"gpio-sim.*/gpiochip*/sim_gpio{pin}/pull")
    path.write_text("pull-down" if closed else "pull-up")


def keep() -> None:
    """Copies what was sent on the buses to the log, for ever."""
    with Path("/dev/wires").open("rb", buffering=0) as wires, LOG.open("ab", buffering=0) as log:
        while True:
            log.write(wires.read(1 << 16))


def film() -> None:
    """Writes the newest picture to the loopback device, FPS times a second, whatever changes it."""
    device = os.open("/dev/video0", os.O_WRONLY)
    width, height = SIZE
    form = bytearray(208)  # struct v4l2_format of an output, YUYV
    form[0:4] = (2).to_bytes(4, "little")
    code = int.from_bytes(b"YUYV", "little")
    for at, value in (
        (8, width),
        (12, height),
        (16, code),
        (20, 1),
        (24, width * 2),
        (28, width * height * 2),
        (32, 8),
    ):
        form[at : at + 4] = value.to_bytes(4, "little")
    fcntl.ioctl(device, S_FMT, bytes(form))
    newest = Newest(SHARE / "frame.yuv", width * height * 2)
    while True:
        begun = time.monotonic()
        if (picture := newest.read()) is not None:
            try:
                os.write(device, add_grain(picture))
            except OSError as error:
                print("camera:", error, flush=True)
        time.sleep(max(0.0, 1 / FPS - (time.monotonic() - begun)))


def add_grain(picture: bytes) -> bytes:
    """A picture as a sensor delivers it: each level one higher or not, another time otherwise.

    No two pictures of a real camera are alike, and one that sends the same again and again is taken for frozen.
    """
    return picture.translate(bytes(min(255, level + random.getrandbits(1)) for level in range(256)))


class Newest:
    """The last whole picture of a file that others replace."""

    def __init__(self, path: Path, size: int) -> None:
        self._path, self._size = path, size
        self._stamp = -1
        self._picture: bytes | None = None

    def read(self) -> bytes | None:
        try:
            stamp = self._path.stat().st_mtime_ns
            if stamp != self._stamp and len(picture := self._path.read_bytes()) == self._size:
                self._stamp, self._picture = stamp, picture
        except OSError:
            pass
        return self._picture


def answer(asked: Answer) -> Answer:
    """Does what is asked."""
    if "sh" in asked:
        try:
            done = sh(asked["sh"], asked.get("timeout", 600))
        except subprocess.TimeoutExpired:
            return {"rc": 124, "out": "", "err": "timeout"}
        return {"rc": done.returncode, "out": done.stdout[-500000:], "err": done.stderr[-20000:]}
    if "level" in asked:
        pull(asked["level"], asked["closed"])
    if "tell" in asked:
        tell(asked["tell"])
    if "camera" in asked:
        camera()
    return {"rc": 0, "out": "", "err": ""}


class Port:
    """The serial port to the host: lines of JSON, answered as they are done."""

    def __init__(self) -> None:
        while not PORT.exists():
            time.sleep(0.1)
        self._port = os.open(PORT, os.O_RDWR)
        self._lock = threading.Lock()

    def serve(self) -> None:
        pending = b""
        while True:
            got = os.read(self._port, 65536)
            if not got:  # nobody listens
                time.sleep(0.1)
            *lines, pending = (pending + got).split(b"\n")
            for line in lines:
                threading.Thread(target=self._work, args=(line,), daemon=True).start()

    def _work(self, line: bytes) -> None:
        asked = json.loads(line)
        try:
            told = answer(asked)
        except Exception:  # noqa: BLE001  the asker is told
            told = {"rc": -1, "out": "", "err": traceback.format_exc()}
        data = json.dumps({**told, "id": asked["id"]}).encode() + b"\n"
        with self._lock:
            while data:
                data = data[os.write(self._port, data) :]


def ready() -> None:
    """Tells systemd."""
    if address := os.environ.pop("NOTIFY_SOCKET", ""):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.sendto(b"READY=1", address.replace("@", "\0", 1))


if __name__ == "__main__":
    set_up()
    threading.Thread(target=keep, daemon=True).start()
    ready()
    Port().serve()
