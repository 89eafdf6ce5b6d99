"""Defines the JSON messages between vision worker and daemon.

The worker answers each frame with exactly one `Report`, which serves as heartbeat, motion signal and result, and lets
simulated time wait for it. Work of more than a second between frames sends `Busy`. Frames leave the worker only as
`Picture`, and only if started with `pictures` (calibration, simulation), because they show peeks (law 5)."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.table import Health, Observation, Seat
from engine.text import Text

VERSION = 1


class Report(msgspec.Struct, frozen=True, tag="report"):
    """The answer to a frame.

    observation: set when the table came to rest, and at the first frames. Observing may take several frames; the last
    reports the result with the first one's timestamp, so a hand may have come since. moving: something moves, or the
    rest after it is not reported yet. looking: observing continues with the next frame. frame: 0 for no frame. instead:
    name of another mat found while the expected one is missing."""

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
    """A sign of life from slow work between frames, sent after each step; repeating the same one does not count.

    doing: description for the log ("reads set stones")."""

    doing: str
    done: int
    of: int
    version: int = VERSION


class Picture(msgspec.Struct, frozen=True, tag="picture"):
    """A frame as JPEG with an overlay; sent only if allowed and requested."""

    frame: int
    jpeg: bytes
    hints: tuple[Text, ...] = ()
    version: int = VERSION


class VisionSetup(msgspec.Struct, frozen=True, tag="setup"):
    """Selects the mat (name in config/mats), zones, each zone's enrolled set, and each seat's mat side."""

    mat: str
    zones: tuple[str, ...]
    sets: dict[str, str]
    sides: dict[Seat, str]
    version: int = VERSION


class Rebase(msgspec.Struct, frozen=True, tag="rebase"):
    """Forgets touches and reports the table at the next rest, after a correction or a new match."""

    version: int = VERSION


class ShowPictures(msgspec.Struct, frozen=True, tag="show"):
    """Starts or stops pictures. width: at most, in pixels; None for the camera's."""

    on: bool
    width: int | None = None
    version: int = VERSION


class Quit(msgspec.Struct, frozen=True, tag="quit"):
    version: int = VERSION


FromWorker: TypeAlias = Report | Busy | Picture
ToWorker: TypeAlias = VisionSetup | Rebase | ShowPictures | Quit
