"""Defines the JSON messages between vision worker and daemon.

Each frame is answered by one `Report`; slow work between frames sends `Busy`. Frames show peeks (law 5), so they leave
the worker only as it was started: as `Picture` with `pictures`; before the report on a rest without a hand, as
straightened `Picture` with `rests`, as `RestPicture` with `keep`.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.table import Health, Observation, Seat
from engine.text import Text

VERSION = 1


class Report(msgspec.Struct, frozen=True, tag="report"):
    """The answer to a frame.

    observation: after coming to rest, and at the first frames; may take several, with the first one's timestamp.
    moving: something moves, or the rest after it is not yet reported.
    looking: an observation takes further frames.
    frame: 0 for none.
    instead: name of another mat found.
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
    """A sign of life after each step of slow work. doing: for the log."""

    doing: str
    done: int
    of: int
    version: int = VERSION


class Picture(msgspec.Struct, frozen=True, tag="picture"):
    """A frame as JPEG, with an overlay or straightened.

    at: of its observation, if of a rest.
    places: by track, where a straightened picture shows it, in mm of the mat.
    """

    frame: int
    jpeg: bytes
    hints: tuple[Text, ...] = ()
    at: float = 0.0
    places: dict[int, tuple[float, float]] = {}
    version: int = VERSION


class RestPicture(msgspec.Struct, frozen=True, tag="rest"):
    """A rest without hand or unknown object, to be kept. jpeg: the frame, gray beyond the mat's rim."""

    jpeg: bytes
    seen: Observation
    version: int = VERSION


class VisionSetup(msgspec.Struct, frozen=True, tag="setup"):
    """Selects mat, zones, each zone's enrolled set and each seat's mat side."""

    mat: str
    zones: tuple[str, ...]
    sets: dict[str, str]
    sides: dict[Seat, str]
    version: int = VERSION


class Rebase(msgspec.Struct, frozen=True, tag="rebase"):
    """An order to forget touches and report the next rest."""

    version: int = VERSION


class ShowPictures(msgspec.Struct, frozen=True, tag="show"):
    """Starts or stops pictures. longest: most pixels of a side; None for the camera's."""

    on: bool
    longest: int | None = None
    version: int = VERSION


class Quit(msgspec.Struct, frozen=True, tag="quit"):
    version: int = VERSION


FromWorker: TypeAlias = Report | Busy | Picture | RestPicture
ToWorker: TypeAlias = VisionSetup | Rebase | ShowPictures | Quit
