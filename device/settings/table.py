"""The contents of a table file: seats, displays, camera, language. Plain data; `device.settings.load` decodes it.

Pins are BCM numbers (GPIO 17, not header pin 11). Every struct refuses keys that it does not know.
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
    """Stands at what its owner may change without a terminal (`device.settings.owner_settings`). title: what it is, in
    words. values: what may be chosen, in words; without any it is a text. needs: what a table has to have for it, by
    the method of TableSettings that tells it."""

    title: Text
    values: tuple[tuple[Value, Text], ...] = ()
    needs: Literal["", "panels", "displays", "has_pages"] = ""


Pin: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=27)]
if TYPE_CHECKING:
    Language: TypeAlias = str
    Controller: TypeAlias = str
else:  # what a table file may name is known when it is read
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
Mains: TypeAlias = Annotated[
    Literal[50, 60], Owned(say("The lamp's mains"), ((50, Text("50 Hz")), (60, Text("60 Hz"))))
]
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
"""A name or an address, no longer than fits the code that a small display can show."""

SIZES = {name: controller.sizes for name, controller in CONTROLLERS.items()}
"""Sizes in pixels that the screens are laid out for, the usual one first."""


class Buttons(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="buttons", tag_field="kind"):
    """Three push buttons, each between its pin and ground."""

    back: Pin
    next: Pin
    choose: Pin

    def pins(self) -> tuple[tuple[str, int], ...]:
        return (("back", self.back), ("next", self.next), ("choose", self.choose))


class Encoder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="encoder", tag_field="kind"):
    """A rotary encoder: `a` leads when it is turned clockwise, `push` is its own button, `back` one beside it."""

    a: Pin
    b: Pin
    push: Pin
    back: Pin

    def pins(self) -> tuple[tuple[str, int], ...]:
        return (("a", self.a), ("b", self.b), ("push", self.push), ("back", self.back))


Input: TypeAlias = Buttons | Encoder


class I2c(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="i2c", tag_field="kind"):
    """A display on /dev/i2c-`port`, or on a channel of a multiplexer, whose number is the kernel's choice.

    port: for a channel its name, as the kernel has it: "1-0070/channel-0" is the first of the one at 0x70 on i2c-1.
    sda, scl: the pins of a bus that the overlay i2c-gpio makes; others have theirs.
    """

    port: Annotated[int, msgspec.Meta(ge=0, le=63)] | str = 1
    address: Annotated[int, msgspec.Meta(ge=0x08, le=0x77)] = 0x3C
    sda: Pin | None = None
    scl: Pin | None = None


class Spi(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="spi", tag_field="kind"):
    """A display on /dev/spidev`port`.`device`, with its data/command and reset pins."""

    port: Annotated[int, msgspec.Meta(ge=0, le=6)] = 0
    device: Annotated[int, msgspec.Meta(ge=0, le=2)] = 0
    dc: Pin = 24
    reset: Pin = 25
    speed_hz: Annotated[int, msgspec.Meta(ge=500_000, le=32_000_000)] = 8_000_000


Bus: TypeAlias = I2c | Spi


class Display(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One OLED. `rotation` in degrees: a display fixed upside down has 180. `contrast` is the controller's 0..255.
    `column_offset`: the first column of the controller's memory that the panel shows, if it is not the usual one."""

    bus: Bus
    controller: Controller = "ssd1306"
    size: tuple[int, int] | None = None
    rotation: Rotation = 0
    contrast: Contrast = 127
    column_offset: Annotated[int, msgspec.Meta(ge=0)] | None = None

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.size or SIZES[self.controller][0]


class PanelSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one seat has before it: an input and a display. phone: whether a phone may take the seat, too, where there
    are pages; of a panel for all, any seat."""

    input: Input
    display: Display
    phone: Annotated[Switch, Owned(say("By phone, too"), ON_OFF, "has_pages")] = "on"


WIDTH = 1280
"""Of pictures in pixels, if the table file does not say."""

Point: TypeAlias = tuple[float, float]
Wide: TypeAlias = Annotated[int, msgspec.Meta(ge=320, le=4608)]
High: TypeAlias = Annotated[int, msgspec.Meta(ge=240, le=3040)]


class _Optics(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="source", kw_only=True):
    """What every camera has.

    size: width and height in pixels; without it pictures are WIDTH wide, and a Pi camera's have the shape of its whole
    field, others 16:9. lens: calibration made by `referee calibrate`. points: where the mat's corners
    are in the picture (pixels; top left, top right, bottom right, bottom left as seat a sees the mat), for a mat
    without markers; the camera must then not move.
    """

    size: tuple[Wide, High] | None = None
    lens: Path | None = None
    points: tuple[Point, Point, Point, Point] | None = None


class Picamera(_Optics, frozen=True, forbid_unknown_fields=True, tag="picamera2", kw_only=True):
    """A Raspberry Pi camera by its number, as `rpicam-hello --list-cameras` counts.

    focus: where a lens that can focus stays, in dioptres: one by the metres to the mat. Without it the camera focuses
    once, when it starts. mains_hz: of the mains that the lamp hangs on.
    """

    number: Annotated[int, msgspec.Meta(ge=0, le=3), Owned(say("Which camera"), NUMBERED)] = 0
    focus: Annotated[float, msgspec.Meta(ge=0, le=32)] | None = None
    mains_hz: Mains = 50


class V4l2(_Optics, frozen=True, forbid_unknown_fields=True, tag="v4l2", kw_only=True):
    """A USB camera, /dev/video`index`. mains_hz: of the mains that the lamp hangs on."""

    index: Annotated[int, msgspec.Meta(ge=0, le=63), Owned(say("Which camera"), NUMBERED)] = 0
    mains_hz: Mains = 50


class Recording(_Optics, frozen=True, forbid_unknown_fields=True, tag="file", kw_only=True):
    """A video file, or a folder of images in order of their names."""

    path: Path


class Shared(_Optics, frozen=True, forbid_unknown_fields=True, tag="shared", kw_only=True):
    """Frames that another process of this machine puts into shared memory: the simulator's camera."""

    name: str = "referee-camera"


class NoCamera(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="none", tag_field="source"):
    """No camera: the buttons alone."""


Camera: TypeAlias = Picamera | V4l2 | Recording | Shared | NoCamera


class TurnClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The clock that a new match is offered first: none, seconds a move, or seconds a match with an increment.

    fall: what the fall of a flag means, the loss of the match or a note.
    """

    kind: Literal["none", "move", "chess"] = "none"
    seconds: Annotated[int, msgspec.Meta(ge=1, le=36_000)] = 60
    increment: Annotated[int, msgspec.Meta(ge=0, le=600)] = 0
    fall: Literal["loses", "note"] = "loses"


class TimingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How buttons are read, when a table counts as settled, and when displays that nobody uses are dimmed and dark, in
    seconds."""

    bounce_s: Seconds = debounce.DebounceTiming().settle_s
    long_s: Annotated[Seconds, Owned(say("A button is held after"), HELD, "panels")] = Pace().long_s
    repeat_s: Seconds = Pace().repeat_s
    settle_s: Seconds = 4.0
    dim_s: Annotated[Idle, Owned(say("Idle displays dim after"), MINUTES, "displays")] = 120.0
    dark_s: Annotated[Idle, Owned(say("Idle displays dark after"), MINUTES, "displays")] = 600.0


class PagesSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Pages for phones, a tablet and a television, which `referee pages` serves. Off unless the file says otherwise.

    hosts: names and addresses by which browsers reach this machine, besides its own; the first stands in the codes that
    phones scan, without one its name in the local network. port: of the table's page; seats a to d and
    the owner have the next five.
    group: of the gateway's user, which alone may ask the daemon for what pages show. tls: pages are encrypted, with a
    certificate that the table makes for itself and of which browsers warn. aloud, sounds: whether pages read aloud what
    changes, and sound, until somebody chooses otherwise on one.
    """

    on: bool = False
    hosts: tuple[Host, ...] = ()
    port: Annotated[int, msgspec.Meta(ge=1024, le=65_000)] = 8139
    group: str = "referee-pages"
    tls: bool = False
    aloud: Annotated[Switch, Owned(say("Pages read aloud"), ON_OFF, "has_pages")] = "off"
    sounds: Annotated[Switch, Owned(say("Pages make sounds"), ON_OFF, "has_pages")] = "off"


class Herald(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whom `referee herald` tells what the table says in public: nobody, unless the file says otherwise.

    broker: the address of an MQTT broker, HOST or HOST:PORT. certificate, key: PEM files by which the table proves its
    name there, which is the certificate's common name; authority: PEM file of who vouches for the broker. delay_s:
    seconds that everything of a match waits before it leaves the table, against cheating by what spectators see. group:
    of the herald's user, which alone may read what the table says in public.
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
    """An active buzzer between its pin and ground: a short tone at each turn, a longer one when time is short, a long
    one when a flag falls."""

    pin: Pin
    sounds: Annotated[Switch, Owned(say("Buzzer"), ON_OFF)] = "on"


class TableSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole table.

    name: what its owner calls it; records of matches bear it. seats: a panel for each seat. shared: one panel for all
    instead, which goes from hand to hand.
    table_display: a display that everybody sees, if there is one. buzzer: for all, if there is one. keep_days: days
    that a match is kept after it was played; 0: for ever.
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
        """Every panel by its seat; the shared one under None."""
        shared: dict[Seat | None, PanelSettings] = {} if self.shared is None else {None: self.shared}
        return shared | dict(self.seats)

    def has_pages(self) -> bool:
        """Return True if there are pages."""
        return self.pages.on

    def displays(self) -> dict[str, Display]:
        """Every display by the key that names it in the table file."""
        named = {f"seats.{seat}.display": panel.display for seat, panel in self.seats.items()}
        if self.shared is not None:
            named["shared.display"] = self.shared.display
        if self.table_display is not None:
            named["table_display"] = self.table_display
        return named
