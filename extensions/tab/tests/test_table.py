"""A table in a tab: set up by itself, pages that follow it, and a match that goes on after the tab was closed."""

from __future__ import annotations

import base64
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from device.games import build, specs
from device.lessons import lessons
from device.session import tapping
from device.session.aim import READING_S
from device.session.state import Play
from engine.entry import Act, decode
from engine.match import encode, replay
from engine.notation import parse_all
from extensions.tab.tests.playing import record
from referee_tab.table import Tab, Way, begin, seat_counts

GAMES = specs(lambda _path, _error: None)
WAYS = [(name, count) for name, spec in GAMES.items() for count in seat_counts(spec)]


class Browser:
    """Pages of a tab, by link. time: of the tab's clock."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.time = folder, 100.0
        self.sheets: dict[int, dict[str, Any]] = {}
        self.others: list[dict[str, Any]] = []
        self.cards: dict[int, dict[str, Any] | None] = {}

    def table(self, seats: int = 2, *, leave: bool = False) -> Tab:
        draw = Random(7).getrandbits
        tab = Tab(self.hear, self.folder, language="en", seats=seats, leave=leave, now=lambda: self.time, draw=draw)
        for link, audience in enumerate(("table", *"abcd"[:seats])):
            tab.open(link, audience, "en")
        return tab

    def tellstones(self) -> tuple[Tab, int]:
        """Return a table with a match that has just begun, and the link of the seat whose turn it is."""
        tab = self.table()
        tab.set_up("tellstones", 2)
        tab.tick()
        return tab, next(link for link in (1, 2) if self.sheets[link]["answers"]["lines"])

    def hear(self, link: int, text: str) -> None:
        message = msgspec.json.decode(text)
        self.sheets.setdefault(link, {}).update(message.get("sheet", {}))
        if "lesson" in message:
            self.cards[link] = message["lesson"]
        elif "sheet" not in message:
            self.others.append(message)

    def tap(self, tab: Tab, link: int, line: int, serial: int | None = None) -> None:
        self.time += READING_S
        shown = self.sheets[link]["answers"]["serial"] if serial is None else serial
        tab.hear(link, msgspec.json.encode({"tap": {"serial": shown, "line": line, "menu": False}}).decode())


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    return Browser(tmp_path)


@pytest.mark.parametrize(("game", "players"), WAYS)
def test_a_match_of_each_game_and_number_of_players_begins_at_once(browser: Browser, game: str, players: int) -> None:
    tab = browser.table(players)
    tab.set_up(game, players)
    tab.tick()
    shown = browser.sheets[0]
    assert shown["game"] == game
    assert [player["seat"] for player in shown["players"]] == list("abcd"[:players])
    assert shown["status"] is not None
    assert any(browser.sheets[link]["answers"]["lines"] for link in range(1, players + 1))


@pytest.mark.parametrize("game", GAMES)
def test_the_journal_of_a_random_match_gives_the_same_match_in_the_engine(game: str) -> None:
    *lines, last = record(game, 2, seed=1).encode().splitlines()
    entries = [decode(line) for line in lines]
    assert sum(isinstance(entry, Act) for entry in entries) > 5
    assert encode(replay(build(GAMES[game])[0], entries)) == last


def test_a_tap_changes_every_page_that_may_know(browser: Browser) -> None:
    tab, turn = browser.tellstones()
    browser.tap(tab, turn, 0)
    for link in (0, 1, 2):
        assert len([piece for piece in browser.sheets[link]["board"]["pieces"] if piece["zone"] == "line"]) == 2


def test_a_tap_on_a_list_that_has_changed_is_refused(browser: Browser) -> None:
    tab, turn = browser.tellstones()
    before = browser.sheets[turn]["board"]["pieces"]
    browser.tap(tab, turn, 0, serial=1)
    assert browser.others[-1]["why"] == "stale"
    assert browser.sheets[turn]["board"]["pieces"] == before


def test_a_match_goes_on_when_the_tab_is_opened_again(browser: Browser) -> None:
    tab, turn = browser.tellstones()
    browser.tap(tab, turn, 0)
    pieces = browser.sheets[0]["board"]["pieces"]
    browser.sheets.clear()
    again = browser.table()
    again.set_up("tellstones", 2)
    assert [piece["kind"] for piece in browser.sheets[0]["board"]["pieces"]] == [piece["kind"] for piece in pieces]


def test_nothing_is_said_of_phones_where_none_can_join(browser: Browser) -> None:
    browser.tellstones()
    for link in (1, 2):
        assert [line for line in browser.sheets[link]["menu"]["lines"] if "phone" in line] == []


def test_a_new_match_leaves_the_old_one(browser: Browser) -> None:
    browser.table().set_up("tellstones", 2)
    browser.sheets.clear()
    tab = browser.table(2, leave=True)
    tab.set_up("fence", 2)
    assert browser.sheets[0]["game"] == "fence"


@pytest.mark.parametrize("language", ["ru", "zh_Hant", "zh-Hans"])
def test_a_page_speaks_its_own_language(browser: Browser, language: str) -> None:
    tab = browser.table()
    tab.set_up("tellstones", 2)
    english = browser.sheets[1]["heading"], browser.sheets[1]["status"]
    tab.hear(1, msgspec.json.encode({"speak": language}).decode())
    assert (browser.sheets[1]["heading"], browser.sheets[1]["status"]) != english
    assert browser.sheets[2]["heading"] == english[0]


def test_a_name_stands_for_its_seat_on_every_page(browser: Browser) -> None:
    tab = browser.table()
    tab.set_up("tellstones", 2)
    tab.hear(1, msgspec.json.encode({"name": "Анна"}).decode())
    assert [player["name"] for player in browser.sheets[2]["players"]] == ["Анна", "B"]
    tab.hear(2, msgspec.json.encode({"name": "Анна"}).decode())
    assert browser.others[-1]["why"] == "name"


def test_a_match_is_saved_once_it_is_over(browser: Browser) -> None:
    tab = browser.table()
    tab.set_up("tellstones", 2)
    tab.hear(1, msgspec.json.encode({"name": "Анна", "colour": "green"}).decode())
    assert [player["colour"] for player in browser.sheets[0]["players"]] == ["green", "red"]
    tab.hear(1, msgspec.json.encode({"save": True}).decode())
    assert not any("part" in each for each in browser.others), "it still goes on"
    browser.time += READING_S
    menu = browser.sheets[1]["menu"]
    resigns = {"serial": menu["serial"], "line": menu["lines"].index("Resign"), "menu": True}
    tab.hear(1, msgspec.json.encode({"tap": resigns}).decode())
    browser.tap(tab, 1, 1)
    assert browser.sheets[1]["ending"]
    tab.hear(1, msgspec.json.encode({"save": True}).decode())
    saved = base64.b64decode(browser.others[-1]["part"]).decode()
    assert parse_all(saved, GAMES)[0].start.game == "tellstones"
    assert "Анна" not in saved, "nobody asked whether the name may leave the table"


def rests(browser: Browser, tab: Tab) -> None:
    """Let time pass until only a page can change something."""
    while (wait := tab.tick()) is not None:
        browser.time += max(wait, 0.01)


def lies(browser: Browser) -> list[tuple[str, str]]:
    """Return what lies where, as the first seat's page draws it."""
    return [(piece["zone"], piece["kind"]) for piece in browser.sheets[1]["board"]["pieces"]]


@pytest.mark.parametrize("game", ["tellstones", "planetx"])
def test_the_table_plays_its_seat_until_a_match_ends(browser: Browser, game: str) -> None:
    tab, rng = browser.table(), Random(3)
    tab.set_up(game, 2, Way.TABLE)
    mine = 0
    for _ in range(400):
        rests(browser, tab)
        if browser.sheets[1]["ending"]:
            break
        assert browser.sheets[1]["answers"]["lines"], "the table waits for the only player"
        browser.tap(tab, 1, rng.randrange(len(browser.sheets[1]["answers"]["lines"])))
        mine += 1
    assert mine > 3
    by = {entry.seat for entry in tab._core.journal.current_entries() if isinstance(entry, Act)}
    assert by == {"a", "b"}


def test_a_new_match_against_the_table_is_of_a_game_whose_cards_it_can_hold(browser: Browser) -> None:
    for way, offered in ((Way.TABLE, {"tellstones", "planetx"}), (Way.TOGETHER, set(GAMES))):
        tab = browser.table(leave=True)
        tab.set_up("tellstones", 2, way)
        browser.time += READING_S
        menu = browser.sheets[1]["menu"]
        resigns = {"serial": menu["serial"], "line": menu["lines"].index("Resign"), "menu": True}
        tab.hear(1, msgspec.json.encode({"tap": resigns}).decode())
        browser.tap(tab, 1, 1)
        browser.tap(tab, 1, browser.sheets[1]["answers"]["lines"].index("New match"))
        assert {*browser.sheets[1]["answers"]["lines"]} == {GAMES[name].title for name in offered}


def test_the_table_agrees_when_the_player_wants_a_move_undone(browser: Browser) -> None:
    tab = browser.table()
    tab.set_up("tellstones", 2, Way.TABLE)
    rests(browser, tab)
    browser.tap(tab, 1, 0)
    before = lies(browser)
    rests(browser, tab)
    menu = browser.sheets[1]["menu"]
    browser.time += READING_S
    tap = {"serial": menu["serial"], "line": menu["lines"].index("Undo"), "menu": True}
    tab.hear(1, msgspec.json.encode({"tap": tap}).decode())
    play = tab._core.session.stage
    assert isinstance(play, Play)
    assert play.proposal is not None
    while isinstance(play := tab._core.session.stage, Play) and play.proposal is not None:
        browser.time += tab.tick() or 0.0
    assert lies(browser) == before


def test_a_lesson_leads_a_newcomer_to_its_last_step(browser: Browser) -> None:
    tab = browser.table()
    tab.set_up("tellstones", 2, Way.LESSON)
    steps = lessons()["tellstones"][0].steps
    seen: list[int] = []
    while (card := browser.cards[1]) is not None:
        if not seen or seen[-1] != card["at"]:
            seen.append(card["at"])
        if card["at"] == card["of"] - 1:
            tab.hear(1, '{"learn": "leave"}')
        elif card["reads"]:
            tab.hear(1, '{"learn": "next"}')
        else:
            rests(browser, tab)
            listing = tapping.answers(tab._core.table, tab._core.session, "a")
            words = steps[card["at"]].words
            fits = [place for place, move in enumerate(listing.moves.found) if move.words[: len(words)] == words]
            line = len(listing.lines) + next(iter(fits), 0) if listing.moves.found else 0  # it is carried out
            browser.tap(tab, 1, line)
    assert seen == list(range(len(seen)))
    assert len(seen) == len(steps)
    assert 2 not in browser.cards, "the other seat learns nothing"


def choose(browser: Browser, tab: Tab, line: str, *, menu: bool) -> None:
    """Tap a line of seat A, and let the table agree to it."""
    shown = browser.sheets[1]["menu" if menu else "answers"]
    browser.time += READING_S
    tap = {"serial": shown["serial"], "line": shown["lines"].index(line), "menu": menu}
    tab.hear(1, msgspec.json.encode({"tap": tap}).decode())
    while isinstance(play := tab._core.session.stage, Play) and play.proposal is not None:
        browser.time += tab.tick() or 0.0


def test_a_lesson_ends_with_its_match(browser: Browser) -> None:
    tab = browser.table()
    tab.set_up("tellstones", 2, Way.LESSON)
    assert browser.cards[1] is not None
    choose(browser, tab, "Resign", menu=True)
    choose(browser, tab, "A resigns", menu=False)
    choose(browser, tab, "Rematch", menu=False)
    assert browser.cards[1] is None
    choose(browser, tab, "Start", menu=False)
    assert isinstance(tab._core.session.stage, Play)
    assert browser.cards[1] is None


def test_a_lesson_ends_where_its_match_is_left(browser: Browser) -> None:
    tab = browser.table()
    tab.set_up("tellstones", 2, Way.LESSON)
    choose(browser, tab, "End without a result", menu=True)
    assert not isinstance(tab._core.session.stage, Play)
    assert browser.cards[1] is None


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"tap": 3}', '{"name": 4}'])
def test_what_is_no_message_is_refused_with_an_error(browser: Browser, text: str) -> None:
    tab = browser.table()
    with pytest.raises((msgspec.DecodeError, msgspec.ValidationError)):
        tab.hear(1, text)


def test_the_table_of_the_worker_begins_a_match(tmp_path: Path) -> None:
    texts: list[str] = []
    tab = begin(lambda _link, text: texts.append(text), str(tmp_path), "tellstones", 2, "en", True)
    tab.open(1, "a", "en")
    assert any("tellstones" in text for text in texts)
