"""Law 1 with corrected cards: a match is the same on every machine, whatever lies on its own disk."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from device import games
from device.journal import Journal
from device.key_gestures import Button, Gesture, Key
from device.resources import resource
from device.session.table import KnownGame
from engine import notation
from engine.deck import Deck, correct, corrections
from engine.entry import Act, Entry, Start
from engine.errors import Invalid
from engine.match import encode, replay
from tests.commands import app
from tests.device.session.test_card_corrections import SPEC, Evening

SHIPPED = KnownGame(SPEC, *games.build(SPEC))


def cards(known: KnownGame = SHIPPED) -> Deck:
    assert known.deck is not None
    return known.deck


def act(evening: Evening, times: int) -> None:
    """Both seats choose what comes first."""
    for _ in range(times):
        for seat in "ab":
            evening.now += 1.0
            evening.core.take(Key(seat, Button.CHOOSE, Gesture.PRESS, evening.now))


def played(folder: Path) -> tuple[bytes, tuple[Entry, ...]]:
    """A match at a table whose owner corrected two numbers: what it came to, and its entries."""
    evening = Evening(folder, camera=False)
    evening.to_cards()
    evening.pick("RF03 Straight Thrust 4", "Stamina points: 0", "Stamina points: 2")
    evening.press("back")
    evening.pick("RF04 Straight Thrust 4", "Speed: 4", "Speed: 5")
    evening.press("back", "back", "back")
    evening.pick("Continue", "No clock", "Continue")
    evening.press("choose")
    act(evening, 12)
    return encode(evening.play.match), evening.entries()


def test_the_first_entry_says_what_was_corrected(tmp_path: Path) -> None:
    _, (start, *rest) = played(tmp_path)
    assert isinstance(start, Start)
    assert start.deck == {"RF03.sp": "2", "RF04.speed": "5"}
    assert start.data == SHIPPED.data
    assert sum(isinstance(entry, Act) for entry in rest) >= 3


def test_a_match_out_of_a_record_is_the_one_that_was_played(tmp_path: Path) -> None:
    state, entries = played(tmp_path)
    assert encode(replay(SHIPPED.game, entries)) != state
    text = notation.write(entries)
    record = notation.parse(text, games.specs())
    assert record.start == entries[0]
    assert encode(replay(games.of_match(SPEC, record.start), entries)) == state
    (tmp_path / "match.txt").write_text(text, encoding="utf-8")
    other = tmp_path / "other.db"
    result = CliRunner().invoke(app, ["journal", "import", str(tmp_path / "match.txt"), "--journal", str(other)])
    assert result.exit_code == 0, result.output
    with Journal(other) as journal:
        assert journal.entries(1) == entries
    result = CliRunner().invoke(app, ["replay", str(tmp_path / "match.txt"), "--json"])
    assert '"ok":false' not in result.output


def test_a_match_goes_on_with_its_own_cards_whatever_was_corrected_since(tmp_path: Path) -> None:
    state, entries = played(tmp_path)
    (tmp_path / "decks" / "fence.toml").unlink()
    again = Evening(tmp_path, camera=False)
    assert encode(again.play.match) == state
    act(again, 8)
    assert len(again.entries()) > len(entries)
    assert again.core.table.games["fence"].corrections == {}


def test_what_was_corrected_can_be_written_down_and_read() -> None:
    deck = cards().correct("RF03", "sp", "2").correct("RF04", "mark_T", "no")
    words = corrections(deck, cards())
    assert words == {"RF03.sp": "2", "RF04.mark_T": "no"}
    assert corrections(correct(cards(), words), cards()) == words
    assert corrections(cards(), cards()) == {}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"RF99.sp": "2"}, "There is no card RF99."),
        ({"RF01.luck": "2"}, "luck of card RF01 cannot be 2."),
        ({"RF01.sp": "99"}, "sp of card RF01 cannot be 99."),
        ({"RF01": "2"}, " of card RF01 cannot be 2."),
    ],
)
def test_corrections_of_what_there_is_not_are_refused(words: dict[str, str], said: str) -> None:
    start = Start(0.0, "fence", {}, ("a", "b"), 1, deck=words)
    with pytest.raises(Invalid) as refused:
        games.of_match(SPEC, start)
    assert str(refused.value) == said


def test_a_match_of_other_data_is_refused_not_replayed_as_another() -> None:
    start = Start(0.0, "fence", {}, ("a", "b"), 1, data=SHIPPED.data)
    assert games.of_match(SPEC, start).name == "fence"
    with pytest.raises(Invalid, match="played with other data"):
        games.of_match(SPEC, msgspec.structs.replace(start, data="0" * 16))


def test_data_that_an_owner_changed_by_hand_are_in_the_digest(tmp_path: Path) -> None:
    spec = games.spec("planetx")
    (tmp_path / "decks").mkdir()
    text = resource("decks/planetx.toml").read_text(encoding="utf-8")
    (tmp_path / "decks" / "planetx.toml").write_text(text + "\n# theirs\n", encoding="utf-8")
    assert games.build(spec, tmp_path)[3] == games.build(spec)[3]
    changed = text.replace("review_phase = 3", "review_phase = 2", 1)
    (tmp_path / "decks" / "planetx.toml").write_text(changed, encoding="utf-8")
    assert games.build(spec, tmp_path)[3] != games.build(spec)[3]
