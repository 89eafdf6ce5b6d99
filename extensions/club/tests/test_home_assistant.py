"""Home Assistant's discovery of tables, as it takes it: at a real broker, and of tables that say what they like."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from extensions.club.tests.test_ingest import Host
from extensions.record.tests.herald.mosquitto import BROKER, READER, Club, Process, Reader, until
from extensions.record.tests.herald.table import Table as PublicTable
from extensions.record.tests.herald.test_mosquitto import plan
from referee_club import home_assistant
from referee_club.archive import Archive, Table
from referee_club.home_assistant import DISCOVERY, HOST, LONGEST, READ, STATES, Home, State, device, identity, state
from referee_record.herald import topics
from referee_record.public_frames import Glance, Running, Scores, Seated

ROOT_KEYS = {"device", "origin", "components", "availability_topic", "state_topic"}
"""Of DEVICE_DISCOVERY_SCHEMA, which takes no others (homeassistant/components/mqtt/schemas.py)."""
DEVICE_KEYS = {"identifiers", "name", "manufacturer", "model", "configuration_url"}
CLASSES: dict[str, set[str | None]] = {"sensor": {None, "timestamp"}, "binary_sensor": {"problem", "connectivity"}}
NAMES = ("Table 1", "Tisch ß", "\N{CJK UNIFIED IDEOGRAPH-684C}", "{{ states }}", '"; drop', "../x", "a" * 64, "$SYS")
TWO = (Seated("a", "Ann", "White", True), Seated("b", "Seat B", "Black", False))


def glance(**said: Any) -> Glance:
    return Glance(
        "Fence",
        "7" * 32,
        TWO,
        "A's turn",
        (Scores("Points", (("Ann", 3), ("Seat B", 1))),),
        (Running("a", 90.4, True), Running("b", 60.0, False)),
        False,
        "",
        "ok",
        "",
        at=1_800_000_000.0,
        **said,
    )


def entities(payload: bytes) -> dict[str, dict[str, Any]]:
    """Of a discovery message, as Home Assistant takes it; each has all that it needs of the device."""
    said = json.loads(payload)
    assert said.keys() == ROOT_KEYS
    assert said["device"].keys() == DEVICE_KEYS
    assert said["device"]["identifiers"]
    assert said["device"]["configuration_url"].startswith("http://")
    assert said["origin"]["name"]
    components: dict[str, dict[str, Any]] = said["components"]
    for entity in components.values():
        assert {"platform", "unique_id", "name", "value_template"} <= entity.keys()
        assert entity["name"]
        assert entity.get("device_class") in CLASSES[entity["platform"]]
        assert entity.get("entity_category") in (None, "diagnostic")
    return {field: {**said, **entity} for field, entity in components.items()}


def rendered(entity: dict[str, Any], payload: bytes) -> str:
    """What its template makes of a state, as Home Assistant renders it, where "None" is unknown."""
    sandbox = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
    return str(sandbox.from_string(entity["value_template"]).render(value_json=json.loads(payload)))


def test_every_table_is_a_device_whose_templates_find_their_values() -> None:
    known = set[str]()
    for name in NAMES:
        id = identity(name)
        assert re.fullmatch("[a-zA-Z0-9_-]+", id), "Home Assistant's TOPIC_MATCHER"
        found = entities(device(name, "en", "http://club.local:8141/table"))
        assert found.keys() == set(State.__struct_fields__)
        for field, entity in found.items():
            assert entity["state_topic"] == f"{STATES}/{id}"
            assert rendered(entity, state(Table(name), "en")) in ("None", "OFF"), field
        uniques = {entity["unique_id"] for entity in found.values()}
        assert len(uniques) == len(found)
        assert not uniques & known
        known |= uniques


def test_it_says_whose_turn_it_is_the_score_the_clocks_and_how_the_camera_is() -> None:
    said = msgspec.json.decode(state(Table("t", alive=True, glance=glance()), "en"), type=State)
    assert said == State(
        heard="ON",
        needs="OFF",
        why=None,
        game="Fence",
        turn="Ann",
        status="A's turn",
        score="Points: Ann 3, Seat B 1",
        clocks="Ann 1:30, Seat B 1:00",
        runs_out="2027-01-15T08:01:30+00:00",
        result=None,
        camera="sees the table",
        blind="OFF",
    )


def test_home_assistant_shows_of_each_entity_what_the_table_said() -> None:
    hostile = '{{ states }}{% for x in range(9) %}"'
    looks = msgspec.structs.replace(glance(), needs="The camera is covered.", camera=hostile)
    payload = state(Table("t", alive=True, glance=looks), "en")
    shown = {name: rendered(each, payload) for name, each in entities(device("t", "en", "http://club/t")).items()}
    assert shown == {
        "needs": "ON",
        "why": "The camera is covered.",
        "turn": "Ann",
        "score": "Points: Ann 3, Seat B 1",
        "clocks": "Ann 1:30, Seat B 1:00",
        "runs_out": "2027-01-15T08:01:30+00:00",
        "game": "Fence",
        "status": "A's turn",
        "result": "None",
        "heard": "ON",
        "camera": hostile,
        "blind": "ON",
    }


def test_a_table_that_is_gone_in_a_match_needs_a_person_and_says_nothing_else() -> None:
    said = msgspec.json.decode(state(Table("t", glance=glance()), "en"), type=State)
    assert (said.heard, said.needs) == ("OFF", "ON")
    assert said.why is not None
    assert "No contact with the table" in said.why
    assert said.turn is said.score is said.game is None


@pytest.mark.parametrize("left", [-1.0, 1e18, 3 * 86_400.0])
def test_a_clock_that_no_game_has_runs_out_at_no_time(left: float) -> None:
    said = replaced(clocks=(Running("a", left, True),))
    assert said.runs_out is None


def replaced(**said: Any) -> State:
    looks = msgspec.structs.replace(glance(), **said)
    return msgspec.json.decode(state(Table("t", alive=True, glance=looks), "en"), type=State)


def test_what_a_table_says_is_one_line_that_can_be_seen_and_not_too_long() -> None:
    hostile = "\N{RIGHT-TO-LEFT OVERRIDE}{{ now() }}\x1b[2J\n" + "x" * 60_000
    said = replaced(status=hostile, needs=hostile, game=hostile, camera=hostile, result=hostile)
    for text in (said.status, said.why, said.game, said.camera, said.result):
        assert text is not None
        assert len(text) == LONGEST
        assert text.isprintable()
        assert text.startswith("{{ now() }}[2J x"), "it is a value, and no template"
    assert (said.needs, said.blind) == ("ON", "ON")


def test_only_what_changed_is_said_and_what_is_left_of_earlier_is_taken_back(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "club.db")
    told = Home(archive, "en", "http://club.local/{}".format)
    archive.take_glance("table-1", glance())
    first = dict(told.news())
    assert set(first) == {HOST, f"{STATES}/{identity('table-1')}", f"{DISCOVERY}/{identity('table-1')}/config"}
    assert told.news() == []
    archive.say_alive("table-1", True)
    assert [topic for topic, _ in told.news()] == [f"{STATES}/{identity('table-1')}"]
    told.note_retained(f"{DISCOVERY}/{identity('gone')}/config", b"{}")
    assert told.news() == [(f"{DISCOVERY}/{identity('gone')}/config", b"")]
    silent = Home(archive, "", str)
    for topic, payload in first.items():
        silent.note_retained(topic, payload)
    assert dict(silent.news()) == dict.fromkeys(first, b"")
    archive.close()


@pytest.mark.thorough
@pytest.mark.skipif(BROKER is None or READER is None, reason="mosquitto and mosquitto-clients are not installed")
def test_at_a_real_broker_home_assistant_alone_reads_it_the_host_alone_writes_it_and_it_goes_when_it_is_off(
    tmp_path: Path, table: PublicTable
) -> None:
    club = Club(tmp_path / "club")
    club.start()
    host = Host(club, tmp_path / "club.db")
    table.look("A's turn")
    herald = Process(plan(club, table), tmp_path / "log")
    id = identity("table-1")
    try:
        _forged(club, "table-1", id)
        _forged(club, home_user := "home-assistant", id)
        _forged(club, home_user, id, topic=f"{topics.ROOT}/{home_user}/glance")
        host.start("ru")
        with (
            club.reading(home_user, *READ, "homeassistant/status", f"{topics.ROOT}/#") as reads,
            club.reading("table-2", *READ) as stranger,
        ):
            until(lambda: reads.last(HOST) == home_assistant.HERE, lambda: (club.log(), reads.messages))
            table.look("B's turn")  # of what is left at the broker nobody knows how old it is
            until(lambda: _turn(reads, id) == "B's turn", lambda: (club.log(), reads.messages))
            until(lambda: bool(reads.last(f"{DISCOVERY}/{id}/config")))  # the device comes after what it shows
            found = entities(reads.last(f"{DISCOVERY}/{id}/config") or b"")
            assert found["needs"]["name"] == "Нужна помощь"
            assert rendered(found["heard"], reads.last(f"{STATES}/{id}") or b"") == "ON"
            host.kill()
            until(lambda: reads.last(HOST) == home_assistant.AWAY)
            host.start("en")
            until(lambda: b'"Needs help"' in (reads.last(f"{DISCOVERY}/{id}/config") or b""))
            host.kill()
            host.start()
            until(lambda: reads.last(f"{DISCOVERY}/{id}/config") == b"")
            until(lambda: reads.last(HOST) == reads.last(f"{STATES}/{id}") == b"")
            assert {topic.partition("/")[0] for topic, _ in reads.messages} == {"homeassistant", "referee-club"}
            assert stranger.messages == []
            assert all(b"forged" not in payload for _, payload in reads.messages)
        host.kill()
        archive = Archive(tmp_path / "club.db")
        assert [each.name for each in archive.tables()] == ["table-1"]
        archive.close()
        with club.reading(home_user, *READ) as late:
            _forged(club, "club", id, topic="homeassistant/device/last/config")
            until(lambda: late.messages != [])
            assert [topic for topic, _ in late.messages] == ["homeassistant/device/last/config"], "nothing is left"
    finally:
        host.kill()
        herald.kill()
        club.end()


def _turn(reads: Reader, id: str) -> str | None:
    return msgspec.json.decode(reads.last(f"{STATES}/{id}") or b'{"heard":"","needs":""}', type=State).status


def _forged(club: Club, name: str, id: str, topic: str = "") -> None:
    """Somebody with a certificate of that name says a device."""
    certificate, key = club.authority.certify(name)
    words = ["mosquitto_pub", "-h", "localhost", "-p", club.port, "-V", "mqttv5", "-i", name, "-q", "1", "-r"]
    words += ["--cafile", club.authority.certificate, "--cert", certificate, "--key", key, "-m", '{"forged":1}']
    words += ["-t", topic or f"{DISCOVERY}/{id}/config"]
    subprocess.run([*map(str, words)], check=False, capture_output=True, timeout=60)
