"""Publishes tables to Home Assistant by MQTT discovery, one device each.

Only the host publishes, from checked data, and takes no commands. Messages are retained; outdated ones, also of earlier
runs, are removed.

  homeassistant/device/ID/config   device and entities (MQTT device discovery)
  referee-club/v1/ID               entities' state as JSON: `State`
  referee-club/v1/host             "online" or, as last will, "offline"

ID is a hash of the table's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hashlib import blake2b

import msgspec

from device.version import version
from engine.text import Text, clean, say
from referee_club.archive import Archive, Table
from referee_club.cards import WELL, display_name, face, wants
from referee_club.markup import Visit
from referee_club.pages import CAMERA
from referee_record.public_frames import Glance, Scores

DISCOVERY, STATES = "homeassistant/device", "referee-club/v1"
HOST = f"{STATES}/host"
HERE, AWAY = b"online", b"offline"
"""Home Assistant's default availability payloads."""

READ = (f"{DISCOVERY}/+/config", f"{STATES}/#")
"""Topics of everything published."""

LONGEST = 255
"""Longest state in characters (Home Assistant, MAX_LENGTH_STATE_STATE)."""

FURTHEST_S = 2 * 86_400.0
"""Longest clock of a game."""


class State(msgspec.Struct, frozen=True):
    """A table's entities; None is unknown. heard, needs, blind: "ON" or "OFF". runs_out: end of the running clock (ISO
    8601, UTC)."""

    heard: str
    needs: str
    why: str | None = None
    game: str | None = None
    turn: str | None = None
    status: str | None = None
    score: str | None = None
    clocks: str | None = None
    runs_out: str | None = None
    result: str | None = None
    camera: str | None = None
    blind: str | None = None


_SWITCHED, _SAID = "binary_sensor", "sensor"
ENTITIES: Mapping[str, tuple[str, Text, str, bool]] = {
    "needs": (_SWITCHED, say("Needs help"), "problem", False),
    "why": (_SAID, say("Why it needs help"), "", False),
    "turn": (_SAID, say("Whose turn it is"), "", False),
    "score": (_SAID, say("Score"), "", False),
    "clocks": (_SAID, say("Clocks"), "", False),
    "runs_out": (_SAID, say("The clock runs out"), "timestamp", False),
    "game": (_SAID, say("Game"), "", False),
    "status": (_SAID, say("Waiting for"), "", False),
    "result": (_SAID, say("Result"), "", False),
    "heard": (_SWITCHED, say("Last contact"), "connectivity", True),
    "camera": (_SAID, say("Camera"), "", True),
    "blind": (_SWITCHED, say("Camera problem"), "problem", True),
}
"""By field of `State`: platform, name, device class, and True for health."""


class Home:
    """Tracks retained messages. language: "" removes them all. page: returns a table's address."""

    def __init__(self, archive: Archive, language: str, page: Callable[[str], str]) -> None:
        self._archive, self._page = archive, page
        self.language = language
        self._said: dict[str, bytes] = {}
        self._version = -1

    def begin(self) -> None:
        """Forget the broker's contents."""
        self._said.clear()
        self._version = -1

    def note_retained(self, topic: str, payload: bytes) -> None:
        """Note a message that the broker has, unless its topic is known."""
        if topic not in self._said:
            self._said[topic] = payload
            self._version = -1

    def news(self) -> list[tuple[str, bytes]]:
        """Return topics and contents to retain (b"": remove), then taken as published."""
        if self._version == self._archive.version:
            return []
        self._version = self._archive.version
        wanted = self._wanted_messages() if self.language else {}
        gone = {topic: b"" for topic in self._said if topic not in wanted}
        news = [(topic, told) for topic, told in {**wanted, **gone}.items() if self._said.get(topic) != told]
        self._said = wanted
        return news

    def _wanted_messages(self) -> dict[str, bytes]:
        tables = self._archive.tables()
        states = {f"{STATES}/{identity(each.name)}": state(each, self.language) for each in tables}
        devices = {
            f"{DISCOVERY}/{identity(each.name)}/config": device(each.name, self.language, self._page(each.name))
            for each in tables
        }
        return {HOST: HERE, **states, **devices}


def identity(table: str) -> str:
    """Return a table's id of letters, digits, _ and -."""
    return f"table-{blake2b(table.encode(), digest_size=8).hexdigest()}"


def device(table: str, language: str, page: str) -> bytes:
    """Return a table's discovery message."""
    id, visit = identity(table), Visit(language)
    said = {
        "device": {
            "identifiers": [id],
            "name": _clean_text(table),
            "manufacturer": "Table referee",
            "model": visit.says(say("Table")),
            "configuration_url": page,
        },
        "origin": {"name": "Table referee", "sw_version": version()},
        "availability_topic": HOST,
        "state_topic": f"{STATES}/{id}",
        "components": {field: _entity(id, field, visit) for field in ENTITIES},
    }
    return msgspec.json.encode(said)


def _entity(id: str, field: str, visit: Visit) -> dict[str, str]:
    platform, name, kind, of_health = ENTITIES[field]
    return {
        "platform": platform,
        "unique_id": f"{id}-{field}",
        "name": visit.says(name),
        "value_template": f"{{{{ value_json.{field} }}}}",
        **({"device_class": kind} if kind else {}),
        **({"entity_category": "diagnostic"} if of_health else {}),
    }


def state(table: Table, language: str) -> bytes:
    """Return a table's state, without its match while offline."""
    reasons, visit = wants(table), Visit(language)
    why = " ".join(visit.speaks(each) if isinstance(each, str) else visit.says(each) for each in reasons)
    found = State("ON" if table.alive else "OFF", "ON" if reasons else "OFF", _clean_text(why) or None)
    if table.alive and table.glance is not None:
        found = msgspec.structs.replace(found, **_looks(table.glance, visit))
    return msgspec.json.encode(found)


def _looks(glance: Glance, visit: Visit) -> dict[str, str | None]:
    told = {
        "game": visit.speaks(glance.game),
        "turn": ", ".join(display_name(each, visit) for each in glance.seats if each.turn and not glance.result),
        "status": visit.speaks(glance.status),
        "score": "; ".join(_score_text(each, visit) for each in glance.scores),
        "clocks": ", ".join(f"{_seat(glance, each.seat, visit)} {face(each)}" for each in glance.clocks),
        "runs_out": _runs_out(glance),
        "result": visit.speaks(glance.result),
        "camera": visit.says(CAMERA[glance.camera]) if glance.camera in CAMERA else visit.speaks(glance.camera),
        "blind": "OFF" if glance.camera in WELL else "ON",
    }
    return {field: _clean_text(text) or None for field, text in told.items()}


def _score_text(scores: Scores, visit: Visit) -> str:
    counts = ", ".join(f"{of} {count}".strip() for of, count in scores.entries)
    return f"{visit.speaks(scores.of)}: {counts}" if scores.of else counts


def _runs_out(glance: Glance) -> str:
    left = next((each.left_s for each in glance.clocks if each.runs), None)
    if glance.at is None or glance.paused or left is None or not 0 <= left <= FURTHEST_S:
        return ""
    return datetime.fromtimestamp(round(glance.at + left), UTC).isoformat()


def _seat(glance: Glance, seat: str, visit: Visit) -> str:
    found = next((each for each in glance.seats if each.seat == seat), None)
    return seat.upper() if found is None else display_name(found, visit)


def _clean_text(text: str) -> str:
    line = clean(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
