"""A newcomer who follows a lesson's data alone ends a legal match; every clause that a lesson names exists."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from device import games
from device.lessons import Lesson, card_of, fitting, lessons, refusals, reply, texts
from device.locale import LANGUAGES, translate
from device.resources import clauses_of
from device.session.match_start import fitting as fitting_options
from device.session.state import Play, SetupPage
from device.session.table import KnownGame
from engine.catalogue import AnyGame, complete
from engine.entry import Act, Source
from engine.errors import Invalid
from engine.game import OptionValue, Words
from engine.grammar import phrase_words
from engine.table import SEATS, Seat
from engine.text import Text
from referee_phones.rulebook import read
from referee_simulator.live.teaching import Teaching
from referee_simulator.players.random_play import sentence
from tests.device.session.stages import entries, session, set_up

ALL = lessons()
LESSONS = [pytest.param(name, lesson, id=f"{name}-{number}") for name in ALL for number, lesson in enumerate(ALL[name])]
MOST = 300
"""Actions after which a newcomer who has learnt everything resigns, and the others but one."""

BASIC = {
    "tellstones": ("T3", "T14", "T20", "T24", "T29", "T37", "T41"),
    "planetx": ("X66", "X13", "X31", "X40", "X33", "X35"),
    "fence": ("F9", "F14", "F19", "F21", "F25"),
    "runes": ("R59", "R21", "R24", "R11"),
}
"""The aim of each game, and what a turn of its usual mode is made of."""


def played(name: str, lesson: Lesson) -> tuple[KnownGame, dict[str, OptionValue], int]:
    """Return the game, options and number of seats of a match that the lesson is for."""
    spec = games.spec(name)
    known, seats = KnownGame(spec, *games.build(spec)), lesson.seats[0] if lesson.seats else 2
    if "opponent" in lesson.when and "none" not in lesson.when["opponent"]:
        seats = 1
    options = fitting_options(known, {option: values[0] for option, values in lesson.when.items()}, seats)
    return known, dict(complete(spec.options, options)), seats


def chosen(game: AnyGame, state: Any, seat: Seat, shown: Sequence[str], language: str) -> Words:
    """Return the words of the lines that read as shown, from menu to menu."""
    words: Words = ()
    for place, line in enumerate(shown):
        offered = game.choices(state, seat, words)
        lines = [translate(each.text if place else phrase_words((each.text,)), language) for each in offered]
        assert lines.count(line) == 1
        words = (*words, offered[lines.index(line)].word)
    return words


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "lesson"), LESSONS)
def test_a_newcomer_who_follows_a_lesson_ends_a_legal_match(name: str, lesson: Lesson, language: str) -> None:
    """Every action of the lesson is possible when its turn comes, and the referee refuses what it calls illegal."""
    for seed in range(3):
        follow(name, lesson, language, seed)


def follow(name: str, lesson: Lesson, language: str, seed: int) -> None:
    known, options, seats = played(name, lesson)
    game, rng, at, refused = known.game, random.Random(seed), 0, 0
    state = game.setup(options, SEATS[:seats], seed)
    for _ in range(MOST):
        step, seat = lesson.steps[at], min(game.actors(state), default="")
        if game.outcome(state) is not None:
            break
        if lesson.waits(at):
            at += 1
            continue
        if lesson.is_read(at) and seat == "a":
            assert step.clause in {each.clause for each in refusals(game, state, seat, step)}
            at, refused = at + 1, refused + 1
            continue
        if seat == "a":
            found = fitting(game, state, seat, step)
            words = rng.choice(found) if found else sentence(game, state, seat, rng.randrange)
            if found:
                shown = [translate(text, language) for text in texts(game, state, seat, words)]
                assert chosen(game, state, seat, shown, language) == words
        else:
            words = reply(game, state, seat, step, rng, lambda _: True)
        action = game.read(state, seat, words)
        assert game.judge(state, seat, action) == ()
        state, _ = game.apply(state, seat, action)
        at = lesson.follow(at, "a", [Act(0.0, seat, words, Source.BUTTONS)])
    else:
        for seat in SEATS[: max(1, seats - 1)]:
            state = state if game.outcome(state) is not None else game.resign(state, seat)[0]
    assert game.outcome(state) is not None
    assert (at, refused) == (len(lesson.steps) - 1, 1)


@pytest.mark.parametrize("name", ALL)
def test_the_first_lesson_teaches_each_basic_clause_once(name: str) -> None:
    taught = [step.clause for step in ALL[name][0].steps if not step.illegal]
    assert taught == list(BASIC[name])


@pytest.mark.parametrize(("name", "lesson"), LESSONS)
def test_a_lesson_names_clauses_that_exist_each_once(name: str, lesson: Lesson) -> None:
    path = clauses_of(name)
    assert path is not None
    taught = [step.clause for step in lesson.steps if not step.illegal]
    assert {step.clause for step in lesson.steps} <= set(read(path).clauses())
    assert len(taught) == len(set(taught))


@pytest.mark.parametrize(("name", "lesson"), LESSONS)
def test_a_lesson_is_the_first_that_fits_its_own_match(name: str, lesson: Lesson) -> None:
    _, options, seats = played(name, lesson)
    assert next(each for each in ALL[name] if each.fits(options, seats)) is lesson


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_every_mode_and_number_of_players_has_a_lesson(name: str, seats: int) -> None:
    spec = games.spec(name)
    known = KnownGame(spec, *games.build(spec))
    modes = next((option.values for option in spec.options if option.name == "mode"), ())
    for mode in modes:
        try:
            options = fitting_options(known, {"mode": mode}, seats)
        except Invalid:
            continue  # so many players cannot play it
        assert any(each.fits(complete(spec.options, options), seats) for each in ALL[name]), mode


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_every_step_is_said_in_every_language(language: str) -> None:
    said = [step.text for name in ALL for lesson in ALL[name] for step in lesson.steps]
    assert [text for text in said if translate(Text(text), language) == text] == []


@pytest.mark.parametrize(("name", "lesson"), LESSONS)
def test_every_lesson_shows_an_action_and_a_refusal(name: str, lesson: Lesson) -> None:
    assert any(step.action for step in lesson.steps), name
    assert any(step.illegal for step in lesson.steps), name


def test_an_action_of_another_seat_ends_no_step() -> None:
    lesson = ALL["tellstones"][0]
    at = next(number for number, step in enumerate(lesson.steps) if step.action)
    words = (*lesson.steps[at].words, "crown", "left")
    assert lesson.follow(at, "a", [Act(0.0, "b", words, Source.BUTTONS)]) == at
    assert lesson.follow(at, "a", [Act(0.0, "a", words, Source.BUTTONS)]) == at + 1


@pytest.mark.parametrize(("auto", "makes_room", "begun"), [("on", False, 1), ("off", True, 1), ("off", False, 0)])
def test_a_lesson_begins_also_while_the_players_leave_and_never_while_people_play(
    auto: str, makes_room: bool, begun: int
) -> None:
    asked = list[bool]()
    world: Any = SimpleNamespace(
        makes_room=makes_room,
        asked_for_room=False,
        coming=lambda: ("tellstones", complete(games.spec("tellstones").options, {}), 2),
        ask_for_room=lambda: asked.append(True),
    )
    stage: Any = SimpleNamespace(auto=lambda: auto)
    given: Any = SimpleNamespace(stage=None)
    unused: Any = None
    Teaching(world, stage, unused, unused, lambda: given, 1).learn("a", "begin")
    assert len(asked) == begun


class _TimeUp(Exception):
    pass


def looked(teaching: Teaching, world: Any) -> None:
    """Let the teaching look at the table once."""
    turns = iter((True,))

    async def rest(_seconds: float) -> None:
        if not next(turns, False):
            raise _TimeUp

    world.rest = rest
    with pytest.raises(_TimeUp):
        asyncio.run(teaching.run())


@pytest.mark.parametrize("looks", [False, True])
@pytest.mark.parametrize("then", ["set-up", "over", "another match"])
def test_the_card_of_a_lesson_is_put_away_with_its_match(then: str, looks: bool) -> None:
    first, second = session(entries("tellstones", 1, 0)), session(entries("tellstones", 2, 0))
    assert isinstance(first.stage, Play)
    world: Any = SimpleNamespace(
        makes_room=False,
        asked_for_room=False,
        now=0.0,
        coming=lambda: ("tellstones", complete(games.spec("tellstones").options, {}), 2),
        ask_for_room=lambda: None,
    )
    journal: Any = SimpleNamespace(current=7, current_entries=lambda: entries("tellstones", 1, 0))
    stage: Any = SimpleNamespace(auto=lambda: "on", table=SimpleNamespace(resting=lambda _: False))
    dealing: Any = SimpleNamespace(pending=None)
    now = [first]
    teaching = Teaching(world, stage, dealing, journal, lambda: now[0], 1)
    world.asked_for_room = True
    teaching.learn("a", "begin")
    card = teaching.card("a")
    assert card is not None
    assert (card.waits, card.reads) == (True, False)
    world.asked_for_room = False
    looked(teaching, world)
    card = teaching.card("a")
    assert card is not None
    assert (card.waits, card.reads) == (False, True)
    match then:
        case "set-up":
            now[0] = set_up(SetupPage.CHECK, "tellstones")
        case "over":
            now[0] = session(entries("tellstones", 1, 3000))
        case _:
            journal.current, now[0] = 8, second
    if looks:
        looked(teaching, world)
    assert teaching.card("a") is None


def test_new_cards_end_the_step_that_asks_to_keep_the_hand() -> None:
    for lesson in ALL["fence"]:
        at = next(number for number, step in enumerate(lesson.steps) if step.action == "keep")
        assert lesson.follow(at, "a", [Act(0.0, "a", ("mulligan",), Source.BUTTONS)]) == at + 1


def test_a_step_that_tries_what_is_legal_by_now_leads_on_without_a_refusal() -> None:
    lesson = ALL["fence"][0]
    known, options, seats = played("fence", lesson)
    game = known.game
    state = game.setup(options | {"starter": "a", "stamina": "off"}, SEATS[:seats], 0)
    for seat, words in (("a", "keep"), ("b", "keep"), ("a", "move forward")):
        state, _ = game.apply(state, seat, game.read(state, seat, tuple(words.split())))
    at = next(number for number, step in enumerate(lesson.steps) if step.illegal)
    assert refusals(game, state, "a", lesson.steps[at]) == ()
    card = card_of(lesson, at, "a", game, state)
    assert card.reads
    assert card.refusal is None


@pytest.mark.parametrize(
    ("name", "seats", "other"),
    [
        ("runes", 1, {"opponent": "automatic", "solo_commit": "pile-first"}),
        ("planetx", 2, {"level": "genius"}),
        ("planetx", 2, {"mode": "expert", "level": "genius"}),
        ("planetx", 1, {"opponent": "novice", "level": "genius"}),
        ("planetx", 2, {"app_only": True}),
        ("tellstones", 2, {"mode": "two-line", "lines": "own"}),
    ],
)
def test_no_lesson_is_offered_for_options_that_contradict_it(
    name: str, seats: int, other: dict[str, OptionValue]
) -> None:
    spec = games.spec(name)
    known = KnownGame(spec, *games.build(spec))
    for options, offered in ((dict(list(other.items())[:-1]), True), (other, False)):
        whole = complete(spec.options, fitting_options(known, options, seats))
        assert any(each.fits(whole, seats) for each in ALL[name]) == offered
