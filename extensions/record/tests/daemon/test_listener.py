"""The table commits to a match, tells what to note of it, and what was noted verifies its record."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random

import msgspec
import pytest
from typer.testing import CliRunner

from device.bus.framing import LONGEST_OUT, Unpacker
from device.clock import WallClock
from device.daemon import core
from device.daemon.core import Core, Store
from device.daemon.match_identity import Identity, simulated_chance
from device.journal.match_info import About, Secret
from device.key_gestures import Button, Gesture, Key
from device.session import page_views
from device.session.messages import Append, Effect, Input, Leave
from device.session.state import Session, Setup
from device.session.step import step
from device.session.table import KnownGame, Table
from device.version import version
from engine.entry import Start
from engine.errors import RefereeError
from engine.text import Text
from referee_record import stream
from referee_record import table_key as keys
from referee_record.daemon import listener, public_socket
from referee_record.daemon.glances import summarise
from referee_record.daemon.listener import Signing
from referee_record.listening import Listener
from referee_record.public_entries import FORMAT, Link, Opening, heads
from referee_record.public_frames import Glance
from referee_record.signed_record import read
from referee_record.signing import TableSigning
from referee_record.stream import Speaker
from referee_simulator.harness.plan import panels_of
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.players.pressers import Habits, Pressers, shows
from tests.commands import app
from tests.device.daemon.test_core import Room
from tools import tampering


class Public:
    """said: in public, each frame with the count of screens that were shown by then; later: what they are sent who
    come now; left: how each match looked when the next began, as far as somebody looks."""

    def __init__(self, shown: Callable[[], int] = lambda: 0) -> None:
        self._shown, self._so_far, self.later = shown, list[bytes](), b""
        self.said: list[tuple[int, bytes]] = []
        self.left: list[Glance] = []
        self.look: Callable[[], Glance] | None = None

    def begin(self, said: Sequence[bytes], standing: bytes) -> None:
        self._so_far = []
        self._say(said, standing)

    def put(self, frame: bytes, standing: bytes) -> None:
        self._say((frame,), standing)

    def on_step(self) -> None: ...

    def leave(self) -> None:
        if self.look is not None:
            self.left.append(self.look())

    def _say(self, frames: Sequence[bytes], standing: bytes) -> None:
        self._so_far += frames
        self.said += [(self._shown(), frame) for frame in frames]
        self.later = standing + b"".join(self._so_far)


class SignedRoom(Room):
    """A table that commits and signs, as the service makes it."""

    def start(self) -> None:
        super().start()
        self.public = Public(lambda: len(self.shown))
        secret = Secret("cd" * 32, version(), format=FORMAT)
        identity = Identity(iter(range(7, 99)).__next__, None, "Table", lambda: secret)
        signs = Signing(lambda: keys.make_key(self.path.parent), self.public)
        chance = simulated_chance(6, identity)
        self.core = Core(self.table, Store(self.journal), chance, self, now=lambda: self.now, listener=signs)

    def press(self, seat: str, *buttons: str) -> None:
        """As the daemon does it: signed once all is shown."""
        for button in buttons:
            super().press(seat, button)
            self.core.publish()

    @property
    def said(self) -> list[tuple[int, bytes]]:
        return self.public.said

    @property
    def later(self) -> bytes:
        return self.public.later

    def resign(self, seat: str) -> None:
        self.core.take(Key(seat, Button.CHOOSE, Gesture.LONG, self.now))
        while "Resign" not in str(self.screen(seat).menu.items[self.screen(seat).menu.cursor]):
            self.press(seat, "next")
        self.press(seat, "choose", "next", "choose")

    @property
    def noted(self) -> list[str]:
        """What everybody reads to note, as a line of a file of heads."""
        pattern = re.compile(r"To be able to verify this match later, write down head (\d+): ([0-9a-f ]+)")
        found = (pattern.fullmatch(str(told.text)) for told in self.play.told if told.audience is None)
        return [f"{each[1]} {each[2]}" for each in found if each]


def place_crown(made: Room) -> None:
    made.press("a", "choose", "choose", "choose", "choose")


def test_what_players_noted_at_the_table_verifies_the_match(tmp_path: Path) -> None:
    made = SignedRoom(tmp_path)
    made.begin()
    assert [each.split()[0] for each in made.noted] == ["0"]
    place_crown(made)
    made.resign("b")
    assert len(made.noted) == 2
    (tmp_path / "heads").write_text("\n".join(made.noted))
    made.journal.close()
    out = tmp_path / "match.signed"
    words = ["journal", "export", "--signed", "--reveal", "-j", str(made.path), "-o", str(out)]
    assert CliRunner().invoke(app, words).exit_code == 0
    done = CliRunner().invoke(app, ["verify", str(out), "--heads", str(tmp_path / "heads"), "--json"])
    assert (done.exit_code, msgspec.json.decode(done.stdout)["result"]) == (0, "verified")
    (tmp_path / "heads").write_text("\n".join(["0 " + "ab" * 12, *made.noted[1:]]))
    assert CliRunner().invoke(app, ["verify", str(out), "--heads", str(tmp_path / "heads")]).exit_code == 1


def test_every_page_and_display_has_the_head_before_the_first_move(tmp_path: Path) -> None:
    made = SignedRoom(tmp_path)
    made.begin()
    for audience in (None, "a", "b"):
        assert "write down head 0" in " ".join(map(str, page_views.sheet(made.table, made.core.session, audience).told))
    for display in ("a", "b", "table"):
        assert "write down head 0" in " ".join(map(str, made.screen(display).hints))


def test_after_a_restart_the_stream_goes_on_where_it_was(tmp_path: Path) -> None:
    made = SignedRoom(tmp_path)
    made.begin()
    place_crown(made)
    before = made.noted
    made.journal.close()
    made.start()
    assert made.noted == before
    made.resign("a")
    last = made.noted[-1]
    made.journal.close()
    made.start()
    assert made.noted[-1] == last
    done = CliRunner().invoke(app, ["journal", "export", "--signed", "-j", str(made.path)])
    own = list(heads(read(done.stdout.encode()).links))
    assert f"{own[-1].n} {own[-1].short}" == last


def test_what_can_be_taken_back_stays_where_it_was_told(tmp_path: Path) -> None:
    made, plain = SignedRoom(tmp_path), Room(tmp_path / "plain")
    for each in (made, plain):
        each.begin()
        place_crown(each)
    assert [made.play.told[n] for n in made.play.points] == [plain.play.told[n] for n in plain.play.points]


def frames(*sent: bytes) -> list[bytes]:
    return [frame for frame in Unpacker(LONGEST_OUT).feed(b"".join(sent)) if frame is not None]


def test_each_entry_is_said_in_public_signed_and_after_it_was_shown(tmp_path: Path) -> None:
    made = SignedRoom(tmp_path)
    made.begin()
    shown = len(made.shown)
    place_crown(made)
    listener = Listener(keys.read(tmp_path).public)
    links = [listener.take(frame) for frame in frames(*(frame for _, frame in made.said))]
    assert [type(link.body).__name__ for link in links if link] == ["Opening", "Link", "Link"]
    assert links[1] is not None
    assert isinstance(links[1].body, Link)
    assert links[1].body.clauses == ("T14", "T15", "T16", "T17", "T18")
    at = made.said[-1][0]
    assert at > shown
    assert at == len(made.shown), "nothing is shown later than it is said"
    late = Listener(keys.read(tmp_path).public)
    assert [late.take(frame) for frame in frames(made.later)] == [None, *links]
    assert late.head == listener.head


def test_nothing_is_signed_while_a_step_is_taken_but_what_is_to_be_noted(tmp_path: Path) -> None:
    made = SignedRoom(tmp_path)
    made.begin()
    Room.press(made, "a", "choose", "choose", "choose", "choose")
    assert len(made.journal.entries(1)) == 3
    assert len(made.said) == 1
    made.core.publish()
    assert len(made.said) == 3
    made.core.publish()
    assert len(made.said) == 3


def test_who_listens_on_after_a_restart_missed_nothing(tmp_path: Path) -> None:
    made = SignedRoom(tmp_path)
    made.begin()
    place_crown(made)
    listener = Listener(keys.read(tmp_path).public)
    for frame in frames(*(frame for _, frame in made.said)):
        listener.take(frame)
    told = made.later
    made.journal.close()
    made.start()
    assert made.later == told, "the same links are made again from the journal"
    assert [listener.take(frame) for frame in frames(made.later)] == [None] * 4
    before = len(made.said)
    made.resign("b")
    for frame in frames(*(frame for _, frame in made.said[before:])):
        assert listener.take(frame) is not None
    assert listener.head is not None
    assert made.noted[-1] == f"{listener.head.n} {listener.head.short}"


def test_what_was_said_in_public_is_what_is_exported(tmp_path: Path) -> None:
    made = SignedRoom(tmp_path)
    made.begin()
    place_crown(made)
    made.resign("b")
    listener = Listener()
    said = [listener.take(frame) for frame in frames(*(frame for _, frame in made.said))]
    made.journal.close()
    done = CliRunner().invoke(app, ["journal", "export", "--signed", "-j", str(made.path)])
    assert [link.body for link in read(done.stdout.encode()).links] == [link.body for link in said if link]
    assert listener.head == tuple(heads(read(done.stdout.encode()).links))[-1]


def test_a_match_that_is_not_signed_is_silent(tmp_path: Path) -> None:
    (tmp_path / keys.FILE).write_text("spoiled")
    made = SignedRoom(tmp_path)
    made.begin()
    place_crown(made)
    listener = Listener()
    assert [listener.take(frame) for _, sent in made.said for frame in frames(sent)] == [None]
    assert listener.opening is None
    assert frames(made.later) == [b'{"is":"silent"}']


def test_without_a_key_the_match_is_played_unsigned(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / keys.FILE).write_text("spoiled")
    made = SignedRoom(tmp_path)
    made.begin()
    place_crown(made)
    assert made.noted == []
    assert "not signed" in caplog.text
    assert made.journal.about(1).secret is not None


def kept_otherwise(made: SignedRoom, **changed: object) -> None:
    """The journal of a match that is under way, as another version would have begun it."""
    about = made.journal.about(1)
    assert about.secret is not None
    secret = msgspec.structs.replace(about.secret, **changed)
    made.journal.write((), about=msgspec.structs.replace(about, secret=secret))
    made.journal.close()


@pytest.mark.parametrize(
    ("changed", "told", "why"),
    [
        ({"format": 99}, listener.NEWER, "update table-referee"),
        ({"salt": "odd"}, listener.UNSIGNED, "has not 32 bytes"),
        ({"salt": "ab"}, listener.UNSIGNED, "has not 32 bytes"),
    ],
)
def test_a_match_that_another_version_began_is_gone_on_with_unsigned(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, changed: dict[str, object], told: Text, why: str
) -> None:
    """A table always starts, and never keeps to itself that it signs nothing."""
    made = SignedRoom(tmp_path)
    made.begin()
    place_crown(made)
    kept_otherwise(made, **changed)
    made.start()
    assert made.play.told[0].text == told
    assert why in caplog.text
    assert frames(made.later) == [b'{"is":"silent"}']
    made.resign("b")
    assert len(made.journal.entries(1)) == 4
    made.journal.close()
    done = CliRunner().invoke(app, ["journal", "export", "--signed", "-j", str(made.path)])
    assert isinstance(done.exception, RefereeError)
    assert why in str(done.exception)


def test_what_nobody_expected_of_an_entry_ends_the_signing_not_the_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = SignedRoom(tmp_path)
    made.begin()

    def fault(*_: object) -> None:
        raise KeyError("a secret")

    monkeypatch.setattr(Speaker, "say", fault)
    place_crown(made)
    assert frames(made.later) == [b'{"is":"silent"}']
    made.resign("b")
    assert [each.split()[0] for each in made.noted] == ["0"]
    assert made.play.told[-1].text == listener.BROKEN
    assert "KeyError at test_listener.py" in caplog.text
    assert "a secret" not in caplog.text


@pytest.mark.parametrize("on", ["Rematch", "New match"])
def test_a_match_is_told_to_be_over_though_it_is_left_at_once(tmp_path: Path, on: str) -> None:
    made = SignedRoom(tmp_path)
    made.begin()
    first, room = made.core.match, made.core
    made.public.look = lambda: summarise(room.table, room.session, room.match, 0.0)
    made.resign("b")
    assert made.public.left == []
    while str(made.screen("a").menu.items[made.screen("a").menu.cursor]) != on:
        made.press("a", "next")
    made.press("a", "choose")
    assert made.core.match != first
    assert [(each.match, each.winners, bool(each.result)) for each in made.public.left] == [(first, ("a",), True)]


def test_the_last_links_of_a_match_are_said_though_the_next_begins_in_the_same_input(tmp_path: Path) -> None:
    honest = tampering.make_honest(tampering.load_game("tellstones"), Random("the next one"))
    public = Public()
    signed = Signing(lambda: honest.key, public)
    for match in ("7" * 32, "8" * 32):
        signed.begin(honest.known, honest.entries[:1], About(match, table="Table", secret=honest.about))
        signed.add(honest.entries[1:])
    listener, each = Listener(honest.key.public), len(honest.bodies)
    heard = [listener.take(frame) for _, sent in public.said for frame in frames(sent)]
    assert [type(link.body).__name__ for link in heard if link] == ["Opening", *["Link"] * (each - 1), "Opening"]


def test_an_entry_is_signed_though_its_match_is_left_in_the_same_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leaving(table: Table, session: Session, given: Input) -> tuple[Session, tuple[Effect, ...]]:
        following, effects = step(table, session, given)
        if not any(isinstance(effect, Append) for effect in effects):
            return following, effects
        return msgspec.structs.replace(following, stage=Setup()), (*effects, Leave())

    made = SignedRoom(tmp_path)
    made.begin()
    monkeypatch.setattr(core, "step", leaving)
    while not isinstance(made.core.session.stage, Setup):
        made.press("a", "choose")
    assert len(made.said) == len(made.journal.entries(1)) == 3


class Witness(Signing):
    """Signs, and notes at each entry which displays showed what they were told to by then."""

    def __init__(self, folder: Path, shown: Callable[[], dict[str, bool]]) -> None:
        super().__init__(partial(keys.make_key, folder))
        self._shown = shown
        self.seen = list[dict[str, bool]]()

    def sign(self) -> None:
        if self._waiting:
            self.seen.append(self._shown())
        super().sign()


class Watched(Timed):
    """A table whose displays are looked at whenever something is signed."""

    def _listener(self) -> Witness:
        self.witness = Witness(self._settings.state_dir, lambda: {name: shows(self, name) for name in self.oleds})
        return self.witness


def test_nobody_waits_for_the_signature_of_what_they_did(tmp_path: Path) -> None:
    secret = Secret("cd" * 32, version(), format=FORMAT)
    identity = Identity(iter(range(7, 99)).__next__, None, "Table", lambda: secret)
    world = Watched(panels_of(2, "own", tmp_path), seed=4, identity=identity)
    players = Pressers(world, world.referee.core.table.games["tellstones"], 2, 4, Habits(longest=3))
    asyncio.run(world.run(players.whole_match({})))
    assert len(world.witness.seen) >= 3
    assert [each for each in world.witness.seen if not all(each.values())] == []


def test_what_signing_needs_is_read_in_before_a_match_and_the_key_made(tmp_path: Path) -> None:
    """In a process of its own: this one has it all by now."""
    code = (
        "import sys; from pathlib import Path; from device.daemon import service; from referee_record import signing\n"
        "assert not {'cryptography', 'numpy', 'cv2'} & set(sys.modules), 'the service itself begins without them'\n"
        "made = signing.TableSigning(Path(sys.argv[1]), signing.Public(Path('.'), None))\n"
        "made.prepare(()); before = set(sys.modules)\n"
        "from referee_record.stream import Signer, Speaker, opening; made.key().sign(b'')\n"
        "print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
    assert (tmp_path / keys.FILE).exists()


def test_a_beginning_is_rehearsed_for_each_game_and_one_with_a_fault_keeps_no_other_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begun = list[str]()

    def speaker(known: KnownGame, start: Start, first: Opening, salt: bytes) -> Speaker:
        begun.append(start.game)
        if start.game == "fence":
            raise ZeroDivisionError("a secret")
        return Speaker(known, start, first, salt)

    games = [tampering.load_game(name) for name in ("tellstones", "fence", "planetx", "runes")]
    listener.prepare(partial(keys.make_key, tmp_path), games)
    assert caplog.text == ""
    monkeypatch.setattr(stream, "Speaker", speaker)
    listener.prepare(partial(keys.make_key, tmp_path), games)
    assert begun == ["tellstones", "fence", "planetx", "runes"]
    assert "a match of fence could not be rehearsed: ZeroDivisionError at test_listener.py" in caplog.text
    assert "a secret" not in caplog.text


def test_the_service_reads_its_key_once(tmp_path: Path) -> None:
    made = TableSigning(tmp_path, public_socket.Public(tmp_path, WallClock()))
    mine = made.key()
    (tmp_path / keys.FILE).unlink()
    assert made.key() is mine


def test_a_spoiled_key_is_told_of_at_the_start_and_ends_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / keys.FILE).write_text("spoiled")
    listener.prepare(partial(keys.make_key, tmp_path))
    assert "no match can be signed" in caplog.text
    assert "put a copy of it back" in caplog.text
