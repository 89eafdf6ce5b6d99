"""What the vision worker and the daemon say to each other: typed messages, one JSON document each.

The worker answers every frame with exactly one `Report`: it is heartbeat, motion signal and result in one, and lets
simulated time wait for the worker. Work between two frames that may take more than a second says `Busy`. Frames
themselves leave the worker only as `Picture`, and only if the worker was started with `pictures` allowed (calibration,
simulation): frames show peeks (law 5).
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.table import Health, Observation, Seat
from engine.text import Text

VERSION = 1


class Report(msgspec.Struct, frozen=True, tag="report"):
    """The answer to one frame. `observation` is set once the table came to rest, and at the first frames.

    A look may take several frames: then the last of them brings the observation, stamped as the first, which it shows.
    moving: something moves, or came to rest and is not told yet. looking: a look goes on, and the next frame is waited
    for; nothing need have moved. A frame with an observation may show a hand that came since. frame 0: no frame.
    instead: the name of another mat, if that lies there and the one to look at is not found.
    """

    frame: int
    at: float
    moving: bool
    health: Health
    observation: Observation | None = None
    frame_ms: float = 0.0
    instead: str = ""
    looking: bool = False
    version: int = VERSION


class Busy(msgspec.Struct, frozen=True, tag="busy"):
    """A sign of life of slow work between two frames, such as reading what was enrolled: `done` of `of` steps are done.

    doing: what, for the log ("reads set stones"). One is sent after each step; the same one twice is no sign of life.
    """

    doing: str
    done: int
    of: int
    version: int = VERSION


class Picture(msgspec.Struct, frozen=True, tag="picture"):
    """A frame as JPEG with what was seen drawn in; only when allowed and asked for."""

    frame: int
    jpeg: bytes
    hints: tuple[Text, ...] = ()
    version: int = VERSION


class VisionSetup(msgspec.Struct, frozen=True, tag="setup"):
    """What to look at: the mat (a name in config/mats), the piece set enrolled for each zone, and seats by mat side."""

    mat: str
    zones: tuple[str, ...]
    sets: dict[str, str]
    sides: dict[Seat, str]
    version: int = VERSION


class Rebase(msgspec.Struct, frozen=True, tag="rebase"):
    """Forget what was touched, and report the table anew at the next rest (after a correction or a new match)."""

    version: int = VERSION


class ShowPictures(msgspec.Struct, frozen=True, tag="show"):
    """Send pictures, or stop. width: of pictures in pixels at most; None: as the camera takes them."""

    on: bool
    width: int | None = None
    version: int = VERSION


class Quit(msgspec.Struct, frozen=True, tag="quit"):
    version: int = VERSION


FromWorker: TypeAlias = Report | Busy | Picture
ToWorker: TypeAlias = VisionSetup | Rebase | ShowPictures | Quit
