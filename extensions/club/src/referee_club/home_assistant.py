"""What a house's automation is told of the tables: Home Assistant's MQTT discovery, one device a table.

Only the club's host says it, from what it has checked (`referee_club.ingest`): no table writes where Home Assistant
reads, and nothing is read back from there. All of it is retained at the broker, and is taken back there when it is to
be said no more, also what an earlier life of the host has left.

    homeassistant/device/ID/config   one device with its entities (Home Assistant, MQTT integration, device discovery)
    referee-club/v1/ID               the state of all its entities, as JSON: `State`
    referee-club/v1/host             "online" while the host hears the broker, "offline" as its last will

ID stands for the table's name, which may be anything, where topics and identities take few letters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hashlib import blake2b

import msgspec

from device.evidence.public_frames import Glance, Scores
from device.version import version
from engine.text import Text, clean, say
from referee_club.archive import Archive, Table
from referee_club.cards import WELL, called, face, wants
from referee_club.markup import Visit
from referee_club.pages import CAMERA

DISCOVERY, STATES = "homeassistant/device", "referee-club/v1"
HOST = f"{STATES}/host"
HERE, AWAY = b"online", b"offline"
"""What Home Assistant takes for there and not there if it is told nothing else."""

READ = (f"{DISCOVERY}/+/config", f"{STATES}/#")
"""Where all of it is found that was said."""

LONGEST = 255
"""Characters of a state (Home Assistant, MAX_LENGTH_STATE_STATE): of a longer one it takes nothing."""

FURTHEST_S = 2 * 86_400.0
"""No clock of a game runs longer."""


class State(msgspec.Struct, frozen=True):
    """Of a table's entities. heard, needs, blind: "ON" or "OFF", whether its herald hears it, it needs a person, and
    its camera does not see it as it should. runs_out: when the clock that runs comes to its end (ISO 8601, UTC). None:
    there is nothing to say, which Home Assistant shows as unknown."""

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
    "heard": (_SWITCHED, say("Heard"), "connectivity", True),
    "camera": (_SAID, say("Camera"), "", True),
    "blind": (_SWITCHED, say("Camera at fault"), "problem", True),
}
"""By the field of `State` that each shows: platform, name, device class ("": none), and whether it tells of the table's
health rather than of its play."""


class Home:
    """What is to be retained at the broker, and what is. language: in which it is told; "": nothing is, and what was
    is taken back. page: the address of a table's page."""

    def __init__(self, archive: Archive, language: str, page: Callable[[str], str]) -> None:
        self._archive, self._page = archive, page
        self.language = language
        self._said: dict[str, bytes] = {}
        self._version = -1

    def begin(self) -> None:
        """Nothing is known of what the broker has."""
        self._said.clear()
        self._version = -1

    def found(self, topic: str, payload: bytes) -> None:
        """The broker has it from before."""
        if topic not in self._said:
            self._said[topic] = payload
            self._version = -1

    def news(self) -> list[tuple[str, bytes]]:
        """Topics and what is to be retained there from now on, b"" for nothing any more."""
        if self._version == self._archive.version:
            return []
        self._version = self._archive.version
        wanted = self._wanted() if self.language else {}
        gone = {topic: b"" for topic in self._said if topic not in wanted}
        news = [(topic, told) for topic, told in {**wanted, **gone}.items() if self._said.get(topic) != told]
        self._said = wanted
        return news

    def _wanted(self) -> dict[str, bytes]:
        """States come before the devices that show them."""
        tables = self._archive.tables()
        states = {f"{STATES}/{identity(each.name)}": state(each, self.language) for each in tables}
        devices = {
            f"{DISCOVERY}/{identity(each.name)}/config": device(each.name, self.language, self._page(each.name))
            for each in tables
        }
        return {HOST: HERE, **states, **devices}


def identity(table: str) -> str:
    """Return a table's name in letters, digits, _ and - alone."""
    return f"table-{blake2b(table.encode(), digest_size=8).hexdigest()}"


def device(table: str, language: str, page: str) -> bytes:
    """The discovery message of a table. page: its address."""
    id, visit = identity(table), Visit(language)
    said = {
        "device": {
            "identifiers": [id],
            "name": _shown(table),
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
    """Return the state of a table as it was checked; nothing of its match while it is not heard."""
    reasons, visit = wants(table), Visit(language)
    why = " ".join(visit.speaks(each) if isinstance(each, str) else visit.says(each) for each in reasons)
    found = State("ON" if table.alive else "OFF", "ON" if reasons else "OFF", _shown(why) or None)
    if table.alive and table.glance is not None:
        found = msgspec.structs.replace(found, **_looks(table.glance, visit))
    return msgspec.json.encode(found)


def _looks(glance: Glance, visit: Visit) -> dict[str, str | None]:
    told = {
        "game": visit.speaks(glance.game),
        "turn": ", ".join(called(each, visit) for each in glance.seats if each.turn and not glance.result),
        "status": visit.speaks(glance.status),
        "score": "; ".join(_counted(each, visit) for each in glance.scores),
        "clocks": ", ".join(f"{_seat(glance, each.seat, visit)} {face(each)}" for each in glance.clocks),
        "runs_out": _runs_out(glance),
        "result": visit.speaks(glance.result),
        "camera": visit.says(CAMERA[glance.camera]) if glance.camera in CAMERA else visit.speaks(glance.camera),
        "blind": "OFF" if glance.camera in WELL else "ON",
    }
    return {field: _shown(text) or None for field, text in told.items()}


def _counted(scores: Scores, visit: Visit) -> str:
    """Return the scores with their players."""
    counts = ", ".join(f"{of} {count}".strip() for of, count in scores.entries)
    return f"{visit.speaks(scores.of)}: {counts}" if scores.of else counts


def _runs_out(glance: Glance) -> str:
    """Return when the running clock ends, by the table's own clock; "" if none runs, or that clock was never set."""
    left = next((each.left_s for each in glance.clocks if each.runs), None)
    if glance.at is None or glance.paused or left is None or not 0 <= left <= FURTHEST_S:
        return ""
    return datetime.fromtimestamp(round(glance.at + left), UTC).isoformat()


def _seat(glance: Glance, seat: str, visit: Visit) -> str:
    found = next((each for each in glance.seats if each.seat == seat), None)
    return seat.upper() if found is None else called(found, visit)


def _shown(text: str) -> str:
    """Return one line of printable characters, no longer than a state may be."""
    line = clean(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
