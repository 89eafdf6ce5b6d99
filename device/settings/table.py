"""Defines a table file's contents; `device.settings.load` decodes it.

Pins are BCM numbers. Unknown keys are refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import msgspec

from device.bus.broker_address import BROKER, LONGEST_BROKER
from device.buttons import debounce
from device.buttons.gestures import Pace
from device.displays.controllers import CONTROLLERS
from device.locale import LANGUAGES
from engine.table import Seat
from engine.text import Text, many, say

Value: TypeAlias = str | int | float


class Owned(msgspec.Struct, frozen=True):
    """Marks a field as editable (`device.settings.owner_settings`).

    values: choices; () for free text.
    needs: a TableSettings method that must be true.
    """

    title: Text
    values: tuple[tuple[Value, Text], ...] = ()
    needs: Literal["", "panels", "displays", "has_pages", "has_pictures"] = ""


Pin: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=27)]
if TYPE_CHECKING:
    Language: TypeAlias = str
    Controller: TypeAlias = str
else:  # known when a table file is read
    Language = Literal[LANGUAGES]
    Controller = Literal[tuple(CONTROLLERS)]
Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=60)]
Idle: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=86_400)]

Contrast: TypeAlias = Annotated[
    int,
    msgspec.Meta(ge=0, le=255),
    Owned(say("Brightness"), ((31, say("Low")), (127, say("Medium")), (255, say("High")))),
]
Rotation: TypeAlias = Annotated[
    Literal[0, 180], Owned(say("Which way up"), ((0, say("Upright")), (180, say("Upside down"))))
]
Mains: TypeAlias = Annotated[Literal[50, 60], Owned(say("Mains frequency"), ((50, Text("50 Hz")), (60, Text("60 Hz"))))]
NUMBERED = tuple((n, say("Camera {n}", n=n + 1)) for n in range(4))
HELD = tuple((s, say("{seconds} s", seconds=str(s))) for s in (0.4, 0.6, 1.0, 1.5))
Switch: TypeAlias = Literal["on", "off"]
ON_OFF: tuple[tuple[Value, Text], ...] = (("on", say("On")), ("off", say("Off")))
MINUTES = tuple((60.0 * n, say("{n} min", n=n)) for n in (1, 2, 5, 10, 30, 60))
KEPT: tuple[tuple[Value, Text], ...] = (
    (0, say("for ever")),
    *((days, many("{count} day", "{count} days", days)) for days in (7, 30, 90, 365)),
)

Host: TypeAlias = Annotated[
    str,
    msgspec.Meta(
        max_length=42,
        pattern=r"^([0-9A-Za-z._-]+|[0-9A-Fa-f:.]+)$",
        description="write names of letters, digits, hyphens, underscores and dots, or addresses such as 10.0.0.5 or "
        "fd00::5, without a port and without brackets",
    ),
]
"""A name or address short enough for a small display's code."""

SIZES = {name: controller.sizes for name, controller in CONTROLLERS.items()}
"""Supported sizes in pixels, default first."""


class Buttons(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="buttons", tag_field="kind"):
    """Three push buttons to ground."""

    back: Pin
    next: Pin
    choose: Pin

    def pins(self) -> tuple[tuple[str, int], ...]:
        return (("back", self.back), ("next", self.next), ("choose", self.choose))


class Encoder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="encoder", tag_field="kind"):
    """A rotary encoder. a: leads clockwise. push: its button. back: a separate button."""

    a: Pin
    b: Pin
    push: Pin
    back: Pin

    def pins(self) -> tuple[tuple[str, int], ...]:
        return (("a", self.a), ("b", self.b), ("push", self.push), ("back", self.back))


Input: TypeAlias = Buttons | Encoder


class I2c(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="i2c", tag_field="kind"):
    """A display on an I2C bus or a multiplexer's channel.

    port: bus number, or the kernel's channel name such as "1-0070/channel-0".
    sda, scl: pins of an i2c-gpio bus.
    """

    port: Annotated[int, msgspec.Meta(ge=0, le=63)] | str = 1
    address: Annotated[int, msgspec.Meta(ge=0x08, le=0x77)] = 0x3C
    sda: Pin | None = None
    scl: Pin | None = None


class Spi(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="spi", tag_field="kind"):
    """A display on /dev/spidev`port`.`device`, with data/command and reset pins."""

    port: Annotated[int, msgspec.Meta(ge=0, le=6)] = 0
    device: Annotated[int, msgspec.Meta(ge=0, le=2)] = 0
    dc: Pin = 24
    reset: Pin = 25
    speed_hz: Annotated[int, msgspec.Meta(ge=500_000, le=32_000_000)] = 8_000_000


Bus: TypeAlias = I2c | Spi


class Display(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An OLED. rotation: degrees. contrast: 0..255. column_offset: first visible memory column, if unusual."""

    bus: Bus
    controller: Controller = "ssd1306"
    size: tuple[int, int] | None = None
    rotation: Rotation = 0
    contrast: Contrast = 127
    column_offset: Annotated[int, msgspec.Meta(ge=0)] | None = None

    @property
    def pixels(self) -> tuple[int, int]:
        return self.size or SIZES[self.controller][0]


class PanelSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat's input and display. phone: phones may take the seat; for a shared panel any seat."""

    input: Input
    display: Display
    phone: Annotated[Switch, Owned(say("By phone, too"), ON_OFF, "has_pages")] = "on"


WIDTH = 1280
"""Default picture width in pixels."""

Address: TypeAlias = Annotated[
    str,
    msgspec.Meta(
        max_length=1000,
        pattern=r"^(rtsps?|https?)://([^\s/]*@)?[^\s/@?]+([/?]\S*)?$",
        description="write one such as rtsp://192.168.1.20/stream or http://192.168.1.20:8080/video",
    ),
]

Point: TypeAlias = tuple[float, float]
Wide: TypeAlias = Annotated[int, msgspec.Meta(ge=320, le=4608)]
High: TypeAlias = Annotated[int, msgspec.Meta(ge=240, le=3040)]


class _Optics(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="source", kw_only=True):
    """Common camera settings.

    size: in pixels; by default WIDTH wide, 16:9 or a Pi camera's full field.
    lens: from `referee calibrate`.
    points: the mat's corners in pixels, clockwise from seat a's top left, for a mat without markers and a fixed camera.
    keep: keep pictures of the mat at rest (`device.daemon.kept_pictures`).
    """

    size: tuple[Wide, High] | None = None
    lens: Path | None = None
    points: tuple[Point, Point, Point, Point] | None = None
    keep: Annotated[Switch, Owned(say("Pictures of the mat are kept"), ON_OFF)] = "off"


class Picamera(_Optics, frozen=True, forbid_unknown_fields=True, tag="picamera2", kw_only=True):
    """A Raspberry Pi camera by `rpicam-hello --list-cameras` number.

    focus: fixed lens position in dioptres; by default focused once at the start.
    mains_hz: of the lamp.
    """

    number: Annotated[int, msgspec.Meta(ge=0, le=3), Owned(say("Which camera"), NUMBERED)] = 0
    focus: Annotated[float, msgspec.Meta(ge=0, le=32)] | None = None
    mains_hz: Mains = 50


class V4l2(_Optics, frozen=True, forbid_unknown_fields=True, tag="v4l2", kw_only=True):
    """A USB camera, /dev/video`index`. mains_hz: of the lamp."""

    index: Annotated[int, msgspec.Meta(ge=0, le=63), Owned(say("Which camera"), NUMBERED)] = 0
    mains_hz: Mains = 50


class Recording(_Optics, frozen=True, forbid_unknown_fields=True, tag="file", kw_only=True):
    """A video file, or a folder of images by name."""

    path: Path


class Phone(_Optics, frozen=True, forbid_unknown_fields=True, tag="phone", kw_only=True):
    """A phone, whose page sends its camera's pictures. Needs `PagesSettings.on`."""


class NetworkCamera(_Optics, frozen=True, forbid_unknown_fields=True, tag="stream", kw_only=True):
    """A network camera. address: RTSP or HTTP, perhaps with user name and password."""

    address: Address


class Shared(_Optics, frozen=True, forbid_unknown_fields=True, tag="shared", kw_only=True):
    """Frames in shared memory of another process, such as the simulator."""

    name: str = "referee-camera"


class NoCamera(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="none", tag_field="source"):
    """No camera: buttons only."""


Camera: TypeAlias = Picamera | V4l2 | Recording | Phone | NetworkCamera | Shared | NoCamera


class TurnClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first clock offered: none, seconds a move, or seconds a match with increment. fall: a fallen flag loses or is
    noted."""

    kind: Literal["none", "move", "chess"] = "none"
    seconds: Annotated[int, msgspec.Meta(ge=1, le=36_000)] = 60
    increment: Annotated[int, msgspec.Meta(ge=0, le=600)] = 0
    fall: Literal["loses", "note"] = "loses"


class TimingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Times in seconds: buttons, table settling, idle displays."""

    bounce_s: Seconds = debounce.DebounceTiming().settle_s
    long_s: Annotated[Seconds, Owned(say("Long press after"), HELD, "panels")] = Pace().long_s
    repeat_s: Seconds = Pace().repeat_s
    settle_s: Seconds = 4.0
    dim_s: Annotated[Idle, Owned(say("Displays dim after"), MINUTES, "displays")] = 120.0
    dark_s: Annotated[Idle, Owned(say("Displays go dark after"), MINUTES, "displays")] = 600.0


class PagesSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Pages for phones, served by `referee pages`.

    hosts: further names of this machine, the first for codes.
    port: of the table's page; seats and owner follow.
    group: of the gateway's user.
    tls: encrypt with a self-made certificate, of which browsers warn.
    aloud, sounds: pages' defaults.
    picture: show pictures of the mat at rest on the table's page.
    """

    on: bool = False
    hosts: tuple[Host, ...] = ()
    port: Annotated[int, msgspec.Meta(ge=1024, le=65_000)] = 8139
    group: str = "referee-pages"
    tls: bool = False
    aloud: Annotated[Switch, Owned(say("Pages read moves aloud"), ON_OFF, "has_pages")] = "off"
    sounds: Annotated[Switch, Owned(say("Pages make sounds"), ON_OFF, "has_pages")] = "on"
    picture: Annotated[Switch, Owned(say("Camera's picture on the table's page"), ON_OFF, "has_pictures")] = "off"


class Herald(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of `referee herald`.

    broker: MQTT HOST or HOST:PORT.
    certificate, key: PEM files with the table's name as common name.
    authority: PEM file for checking the broker.
    delay_s: in seconds, against cheating through spectators.
    group: of the herald's user.
    """

    broker: Annotated[
        str,
        msgspec.Meta(
            max_length=LONGEST_BROKER,
            pattern=BROKER,
            description="write a name of letters, digits, hyphens and dots or an IPv4 address, and a port if it is "
            "not 8883, such as club.local:8884",
        ),
    ]
    certificate: Path
    key: Path
    authority: Path
    delay_s: Annotated[float, msgspec.Meta(ge=0, le=86_400)] = 0.0
    group: str = "referee-herald"


class BuzzerSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An active buzzer to ground, for turns, short time and fallen flags."""

    pin: Pin
    sounds: Annotated[Switch, Owned(say("Buzzer"), ON_OFF)] = "on"


class TableSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole table.

    name: for records.
    seats, shared: a panel per seat, or one for all.
    table_display: public.
    keep_days: days to keep matches; 0 for ever.
    """

    camera: Camera
    name: Annotated[str, msgspec.Meta(max_length=60), Owned(say("The table's name"))] = ""
    seats: dict[Seat, PanelSettings] = {}
    shared: PanelSettings | None = None
    table_display: Display | None = None
    buzzer: BuzzerSettings | None = None
    language: Language = "en"
    keep_days: Annotated[int, msgspec.Meta(ge=0, le=36_500), Owned(say("Matches are kept"), KEPT)] = 0
    clock: TurnClock = TurnClock()
    timing: TimingSettings = TimingSettings()
    pages: PagesSettings = PagesSettings()
    herald: Herald | None = None
    runtime_dir: Path = Path("/run/referee")
    state_dir: Path = Path("/var/lib/referee")

    def panels(self) -> dict[Seat | None, PanelSettings]:
        """Return panels by seat, the shared one under None."""
        shared: dict[Seat | None, PanelSettings] = {} if self.shared is None else {None: self.shared}
        return shared | dict(self.seats)

    def has_pages(self) -> bool:
        return self.pages.on

    def has_pictures(self) -> bool:
        return self.pages.on and not isinstance(self.camera, NoCamera)

    def displays(self) -> dict[str, Display]:
        """Return displays by table-file key."""
        named = {f"seats.{seat}.display": panel.display for seat, panel in self.seats.items()}
        if self.shared is not None:
            named["shared.display"] = self.shared.display
        if self.table_display is not None:
            named["table_display"] = self.table_display
        return named
