"""Table files: the shipped ones load; what cannot be is refused with key and remedy, all of it at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.screens.layout import modules
from device.settings import DEFAULT_TABLE, load, owner_command, parse, template
from device.settings.table import (
    Encoder,
    I2c,
    NetworkCamera,
    NoCamera,
    Picamera,
    Recording,
    Shared,
    Spi,
    TimingSettings,
)
from device.web.host_names import in_address
from vision.files import BadFile

TEMPLATES = ("one-oled", "two-seats", "four-seats", "simulated")
TWO_SEATS = template("two-seats").read_text(encoding="utf-8")


def refused(text: str) -> dict[str, str]:
    """The faults of a file by key, each with what is wrong and its remedy."""
    with pytest.raises(BadFile) as error:
        parse(text, "table.toml")
    assert str(error.value).startswith(("table.toml, line ", "table.toml: "))
    return {fault.key: f"{fault.wrong}; {fault.remedy}" for fault in error.value.faults}


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_is_a_table(name: str) -> None:
    table = load(template(name))
    assert table.displays()
    assert set(table.panels()) in ({None}, {"a", "b"}, {"a", "b", "c", "d"})


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_says_when_displays_rest(name: str) -> None:
    """The lines are there to be used; as they stand they say what holds without them."""
    text = template(name).read_text(encoding="utf-8")
    lines = {line.removeprefix("# ").split(" ")[0]: line for line in text.splitlines() if line.startswith("# ")}
    for key in ("[timing]", "dim_s", "dark_s"):
        text = text.replace(lines[key], lines[key].removeprefix("# "))
    assert "\n[timing]\ndim_s = " in text
    assert parse(text).timing == TimingSettings()
    assert parse(text.replace("dim_s = 120 ", "dim_s = 60 ")).timing.dim_s == 60.0


def test_two_seats_says_what_is_wired_where() -> None:
    table = parse(TWO_SEATS)
    assert table.camera == Picamera()
    assert dict(table.panels()["b"].input.pins()) == {"back": 5, "next": 6, "choose": 13}
    assert [display.bus for display in table.displays().values()] == [I2c(1, 0x3C), I2c(1, 0x3D)]
    assert [display.rotation for display in table.displays().values()] == [0, 180]


def test_four_seats_has_an_encoder_and_a_display_for_all() -> None:
    table = load(template("four-seats"))
    assert table.panels()["d"].input == Encoder(a=19, b=20, push=21, back=26)
    assert table.table_display is not None
    assert table.table_display.bus == Spi()
    assert table.table_display.pixels == (256, 64)


def test_cameras() -> None:
    def camera(lines: str) -> object:
        head, tail = TWO_SEATS.split("[camera]")
        return parse(f"{head}[camera]\n{lines}\n[clock]{tail.split('[clock]')[1]}").camera

    assert camera('source = "none"') == NoCamera()
    assert camera('source = "file"\npath = "match.mp4"') == Recording(path=Path("match.mp4"))
    assert camera('source = "shared"') == Shared()
    for address in (
        "rtsp://anna:a@b@192.168.1.20/live?channel=1",
        "http://[fd00::5]:8080/video",
        "https://camera.local",
    ):
        assert camera(f'source = "stream"\naddress = "{address}"') == NetworkCamera(address=address)
    points = ((10.0, 10.0), (1200.0, 12.0), (1190.0, 700.0), (5.0, 690.0))
    given = camera(f'source = "v4l2"\nindex = 2\npoints = {[list(point) for point in points]}')
    assert getattr(given, "points", None) == points


@pytest.mark.parametrize(
    ("old", "new", "key", "told"),
    [
        ("next = 27", "nxt = 27", "seats.a.input.nxt", "did you mean next?"),
        ("next = 27", "", "seats.a.input.next", "is missing"),
        ('language = "en"', 'language = "de"', "language", "'de' cannot stand here"),
        ('language = "en"', "colour = 3", "colour", "unknown key; remove it"),
        (
            'state_dir = "/var/lib/referee"',
            'state_dir = "~nobody-here/x"',
            "state_dir",
            "'~nobody-here/x' begins with nobody's home",
        ),
        ("next = 27", "next = 40", "seats.a.input.next", "<= 27"),
        ("next = 27", 'next = "27"', "seats.a.input.next", "expected `int`"),
        ("back = 17", "back = 6", "seats.b.input.next", "GPIO 6 is already seats.a.input.back; move the wire"),
        ("back = 17", "back = 3", "seats.a.input.back", "GPIO 3 is already the bus i2c-1"),
        ("back = 17", "back = 0", "seats.a.input.back", "EEPROM"),
        ("[camera]", "[buzzer]\npin = 27\n[camera]", "buzzer.pin", "GPIO 27 is already seats.a.input.next"),
        ("[camera]", '[buzzer]\npin = 18\nsounds = "loud"\n[camera]', "buzzer.sounds", "cannot stand here"),
        ("address = 0x3D", "address = 0x3C", "seats.b.display.bus", "i2c-1 at 0x3C is already seats.a.display"),
        ("address = 0x3D", "address = 0x42", "seats.b.display.bus.address", "0x3C or 0x3D"),
        ("port = 1, address = 0x3D", "port = 99", "seats.b.display.bus.port", "<= 63"),
        (
            "port = 1, address = 0x3D",
            'port = "channel-0"',
            "seats.b.display.bus.port",
            "write one such as 1-0070/channel-0",
        ),
        ("port = 1, address = 0x3D", "port = 9, sda = 23", "seats.b.display.bus", "name both"),
        ("port = 1, address = 0x3D", "port = 9, sda = 23, scl = 17", "seats.a.input.back", "already the bus i2c-9"),
        ("port = 1, address = 0x3D", 'port = "1-0070/channel-0", sda = 23, scl = 24', "seats.b.display.bus", "neither"),
        ('"i2c", port = 1, address = 0x3D', '"can"', "seats.b.display.bus.kind", 'write one of "i2c", "spi"'),
        ('"i2c", port = 1, address = 0x3D', '"spi", port = 2', "seats.b.display.bus", "there is no spi2.0"),
        ("rotation = 180", "rotation = 90", "seats.b.display.rotation", "90 cannot stand here; write one of 0, 180"),
        ("rotation = 180", "size = [64, 48]", "seats.b.display.size", "write [128, 64] or leave it out"),
        ('"ssd1306"\nrotation', '"ssd1322"\nrotation', "seats.b.display.bus.kind", "an ssd1322 has no i2c"),
        ("[seats.b", "[seats.x", "seats.x", "seats are a, b, c and d"),
        ("[seats.b", "[seats.c", "seats.c", "there is no seat b"),
        ("[seats.b", "[shared", "shared", "stands beside [seats]"),
        ('source = "picamera2"', 'source = "webcam"', "camera.source", '"picamera2", "v4l2"'),
        ('source = "picamera2"', 'source = "file"', "camera.path", "is missing"),
        (
            'source = "picamera2"',
            'source = "stream"\naddress = "192.168.1.20"',
            "camera.address",
            "rtsp://192.168.1.20/",
        ),
        ("[camera]\n", "[camera]\nsize = [4, 720]\n", "camera.size", ">= 320"),
        ('kind = "none"', 'kind = "move"\nseconds = 0', "clock.seconds", ">= 1"),
        ('kind = "none"', 'kind = "move"\nseconds = 60\nincrement = 5', "clock.increment", "only a chess clock"),
    ],
)
def test_what_cannot_be_is_refused_with_key_and_remedy(old: str, new: str, key: str, told: str) -> None:
    assert old in TWO_SEATS
    faults = refused(TWO_SEATS.replace(old, new))
    assert told in faults[key]


@pytest.mark.parametrize(
    "address",
    ["rstp://anna:se/cr@et@camera/video", "htp://camera/video?user=anna&pwd=secret", f"anna:{'s' * 90}@camera"],
)
def test_a_wrong_address_is_refused_without_its_password(address: str) -> None:
    text = TWO_SEATS.replace('source = "picamera2"', f'source = "stream"\naddress = "{address}"')
    said = refused(text)["camera.address"]
    assert "camera" in said
    assert not any(secret in said for secret in ("anna", "cr", "sss"))


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ("[[10, 10], [5, 690], [1190, 700], [1200, 12]]", "clockwise"),
        ("[[10, 10], [9000, 12], [1190, 700], [5, 690]]", "outside the picture"),
        ("[[10, 10], [1200, 12], [1190, 700]]", "length"),
    ],
)
@pytest.mark.parametrize("size", ["", "size = [1280, 720]\n"])
def test_points_go_round_inside_the_picture(points: str, told: str, size: str) -> None:
    faults = refused(TWO_SEATS.replace("[camera]\n", f"[camera]\n{size}points = {points}\n"))
    assert told in faults["camera.points"]


def test_all_faults_are_told_at_once() -> None:
    text = TWO_SEATS.replace("back = 17", "back = 6").replace('language = "en"', 'langage = "en"')
    text = text.replace("address = 0x3D", "address = 0x3C").replace("[clock]", "[klock]")
    assert set(refused(text)) == {"langage", "klock", "seats.b.input.next", "seats.b.display.bus"}


def test_a_slip_elsewhere_hides_no_missing_seat() -> None:
    text = TWO_SEATS.replace("[seats.b", "[seats.c")
    assert set(refused(text.replace('language = "en"', 'langage = "en"'))) == {"langage", "seats.c"}
    assert set(refused(text.replace("[seats.a", "[seat.a"))) == {"seat"}, "what may be meant otherwise"
    assert set(refused("seats.b = 3\n" + text.split("[seats", 1)[0])) == {"seats.b"}


def test_free_pins_are_told_only_if_those_of_every_display_are_known() -> None:
    text = TWO_SEATS.replace("back = 17", "back = 6")
    assert "free are" in refused(text)["seats.b.input.next"]
    assert refused(text.replace("rotation = 180", "rotation = 90"))["seats.b.input.next"].endswith("move the wire")


def test_pins_that_a_bus_holds_are_not_offered() -> None:
    text = TWO_SEATS.replace("back = 17", "back = 6")

    def free(bus: str) -> list[str]:
        told = refused(text.replace('"i2c", port = 1, address = 0x3D', bus))["seats.b.input.next"]
        return told.split("free are ")[1].split(", ")

    assert {"4", "7", "8", "9", "23"} <= set(free('"i2c", port = 1, address = 0x3D'))
    table_display = free('"spi", port = 0, device = 0')
    assert {"7", "8", "9", "10", "11", "24", "25"}.isdisjoint(table_display), "SPI holds both its select lines"
    assert {"23", "24"}.isdisjoint(free('"i2c", port = 9, sda = 23, scl = 24'))
    assert {"2", "3"}.isdisjoint(free('"i2c", port = "1-0070/channel-0"'))
    assert {"2", "3"}.isdisjoint(free('"i2c", port = 22'))


def test_a_channel_of_a_multiplexer_is_named_as_the_kernel_names_it() -> None:
    seats = load(template("four-seats")).seats
    ports = [panel.display.bus.port for panel in seats.values() if isinstance(panel.display.bus, I2c)]
    assert ports == ["1-0070/channel-0"] * 2 + ["1-0070/channel-1"] * 2


@pytest.mark.parametrize(
    ("old", "new", "key", "line"),
    [
        ("address = 0x3D", 'address = "0x3D"', "seats.b.display.bus.address", "address"),
        ("address = 0x3D", "adress = 0x3D", "seats.b.display.bus.adress", "adress"),
        ('"ssd1306"\nrotation', '"ssd1309"\nsize = [256, 64]\nrotation', "seats.b.display.controller", '"ssd1309"'),
        ("next = 27", "nxt = 27", "seats.a.input.nxt", "nxt"),
        ("next = 27", "", "seats.a.input.next", "[seats.a.input]"),
        ("[seats", "[seat", "seat", "[seat.a"),
        (
            "[camera]\n",
            "[camera]\nsize = [\n  # wide\n  9000, 720]\npoints = [[0,0], [9,0], [9,9], [0,9]]\n",
            "camera.size",
            "size",
        ),
        ('kind = "none"', 'kind = "ches"\nseconds = 60\nincrement = 5', "clock.kind", '"ches"'),
        ("[camera]", "[kamera]", "kamera", "[kamera]"),
    ],
)
def test_one_slip_is_one_fault_with_its_line(old: str, new: str, key: str, line: str) -> None:
    """What is assumed in the place of a key that cannot be is not complained about, too."""
    text = TWO_SEATS.replace(old, new)
    with pytest.raises(BadFile) as error:
        parse(text, "table.toml")
    (fault,) = error.value.faults
    assert fault.key == key
    assert fault.line is not None
    assert line in text.splitlines()[fault.line - 1]
    assert str(error.value).startswith(f"table.toml, line {fault.line}: {key}: ")


def test_a_line_that_is_no_toml_is_named() -> None:
    faults = refused(TWO_SEATS.replace("back = 17", "back = = 17"))
    line = next(n for n, text in enumerate(TWO_SEATS.splitlines(), 1) if text == "back = 17")
    assert any(f"line {line}" in key for key in faults)


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="referee setup"):
        load(tmp_path / "none.toml")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadFile, match="UTF-8"):
        load(binary)


def test_sections_and_values_are_not_mixed_up() -> None:
    assert "is not a section" in refused("camera = 3\n")["camera"]
    assert "is missing" in refused("")["camera"]
    shared = template("one-oled").read_text(encoding="utf-8").split("[shared.input]")[0]
    assert "nobody has a panel" in refused(shared)["seats"]


SPI = TWO_SEATS.replace('{ kind = "i2c", port = 1, address = 0x3D }', '{ kind = "spi" }')


@pytest.mark.parametrize(
    ("controller", "offset", "said"),
    [
        ("sh1106", 0, ""),
        ("sh1106", 4, ""),
        ("sh1106", 5, "write one from 0 to 4"),
        ("sh1106", -1, ">= 0"),
        ("ssd1306", 0, ""),
        ("ssd1306", 2, 'leave it out, or write controller = "sh1106"'),
        ("ssd1322", 224, ""),
        ("ssd1322", 2, "write a multiple of 4"),
        ("ssd1322", 228, "write one from 0 to 224"),
    ],
)
def test_a_display_begins_at_a_column_that_its_memory_has(controller: str, offset: int, said: str) -> None:
    text = SPI.replace(
        'controller = "ssd1306"\nrotation', f'controller = "{controller}"\ncolumn_offset = {offset}\nrotation'
    )
    if said:
        assert said in refused(text)["seats.b.display.column_offset"]
    else:
        found = parse(text).seats["b"].display
        assert found.column_offset == offset


def test_pages_are_off_unless_the_file_says_so() -> None:
    assert not parse(TWO_SEATS).pages.on
    pages = parse(TWO_SEATS + '\n[pages]\non = true\nhosts = ["referee.local", "10.0.0.5"]\n').pages
    assert (pages.on, pages.hosts, pages.port) == (True, ("referee.local", "10.0.0.5"), 8139)


def test_with_pages_nobody_needs_a_panel() -> None:
    head = TWO_SEATS.split("[seats.a.input]")[0]
    assert "play by phone" in refused(head)["seats"]
    assert parse(head + "\n[pages]\non = true\n").panels() == {}


def test_pages_refuse_what_no_browser_can_open() -> None:
    assert set(refused(TWO_SEATS + '\n[pages]\nhosts = ["a b"]\nport = 80\n')) == {"pages.hosts", "pages.port"}


@pytest.mark.parametrize("host", ["fd00::5", "2001:DB8::1", "my_table", "my_table.lan", "10.0.0.5", "a" * 42])
def test_pages_are_found_by_names_and_addresses_of_every_kind(host: str) -> None:
    assert parse(TWO_SEATS + f'\n[pages]\nhosts = ["{host}"]\n').pages.hosts == (host,)


@pytest.mark.parametrize("host", ["a b", "[fd00::5]", "fe80::1%eth0", "table.local:8139", "fd00:::5", "t\u00e4ble", ""])
def test_a_host_that_cannot_be_one_is_refused_in_words(host: str) -> None:
    told = refused(TWO_SEATS + f'\n[pages]\nhosts = ["{host}"]\n')["pages.hosts"]
    assert "fd00::5, without a port" in told
    assert "regex" not in told


def test_no_pattern_of_the_program_is_shown() -> None:
    told = refused(TWO_SEATS + HERALD.format(broker="[fd00::5]:8883"))["herald.broker"]
    assert "write a name of letters, digits, hyphens and dots or an IPv4 address" in told
    assert "regex" not in told


@pytest.mark.parametrize("host", ["my_" + "a" * 18, "fd00::1111:2222:3:444"])
def test_the_longest_host_with_letters_that_codes_have_no_short_form_of(host: str) -> None:
    assert len(host) == 21
    pages = f'\n[pages]\nhosts = ["table.local", "{host}4"]\n'
    assert parse(TWO_SEATS + pages).pages.hosts[1] == f"{host}4", "the first alone stands in codes"
    parse(TWO_SEATS + f'\n[pages]\nhosts = ["{host}"]\n')
    assert "too long for the codes" in refused(TWO_SEATS + f'\n[pages]\nhosts = ["{host}4"]\n')["pages.hosts"]
    assert len(modules(f"HTTPS://{in_address(host).upper()}:65005/#{'A' * 16}")) == 29


HERALD = """
[herald]
broker = "{broker}"
certificate = "/c.pem"
key = "/k.pem"
authority = "/a.pem"
"""


@pytest.mark.parametrize("broker", ["club.local", "10.0.0.2", "club", "a-b.example:1", "club.local:65535"])
def test_a_broker_that_may_be_there(broker: str) -> None:
    table = parse(TWO_SEATS + HERALD.format(broker=broker))
    assert table.herald is not None
    assert table.herald.broker == broker


@pytest.mark.parametrize(
    "broker", ["club..local", "..", "-a.b", "a-.b", "club.local.", "a" * 64 + ".local", ".".join(["a" * 63] * 4)]
)
def test_a_broker_with_a_name_that_no_host_has_is_refused(broker: str) -> None:
    assert "is no name of a host" in refused(TWO_SEATS + HERALD.format(broker=broker))["herald.broker"]


@pytest.mark.parametrize("port", [0, 65_536, 99_999])
def test_a_broker_at_a_port_that_there_is_not_is_refused(port: int) -> None:
    found = refused(TWO_SEATS + HERALD.format(broker=f"club.local:{port}"))
    assert found == {"herald.broker": f"there is no port {port}; write one from 1 to 65535, or none for 8883"}


def test_an_owners_command_names_the_table_file_unless_it_is_the_services() -> None:
    assert owner_command(DEFAULT_TABLE, "restore FILE") == "sudo referee owner restore FILE"
    assert owner_command(Path("/my tables/1.toml"), "forget") == "referee owner --table '/my tables/1.toml' forget"
