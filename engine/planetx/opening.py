"""The opening: set-up, the typed code, and levels of starting facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from msgspec.structs import replace

from engine.draws import Stream
from engine.errors import Ambiguous
from engine.game import Choice, Options, Words
from engine.grammar import reading
from engine.planetx.draw import LENGTH, LETTERS, SEASONS, VERSION, check_code, code_from_seed, code_of, draw_game
from engine.planetx.facts import Fact
from engine.planetx.match import (
    BoardSetting,
    Order,
    Phase,
    PlayerState,
    Rulings,
    State,
    Step,
    excess,
    missing,
    one_of,
    player_of,
    with_player,
)
from engine.planetx.questions import TARGETS, FreeQuestioning
from engine.planetx.sky import MODES
from engine.planetx.track import Acting, in_order
from engine.rules import Values, Word
from engine.table import Seat
from engine.text import Text, say
from engine.view import Event

FACTS_AT = {"youth": 12, "beginner": 8, "experienced": 4, "genius": 0}
LEVELS = tuple(FACTS_AT)
LEVEL_NAMES = {
    "youth": say("Youth (12 facts)"),
    "beginner": say("Beginner (8 facts)"),
    "experienced": say("Experienced (4 facts)"),
    "genius": say("Genius (no facts)"),
}

# --- set-up


def setup(
    settings: Mapping[str, BoardSetting], options: Options, seats: tuple[Seat, ...], opponent: Seat | None, seed: int
) -> State:
    """Set up a match, with pawns in drawn order (X11). opponent: the automatic one's seat."""
    rules = _rulings(options, opponent)
    setting = settings[rules.mode]
    taking_part = seats if opponent is None else (*seats, opponent)
    order = Stream(f"planetx/pawns/{seed}").shuffle(range(len(taking_part)))
    level = None if rules.level == "each" else rules.level
    players = tuple(
        PlayerState(
            seat=seat,
            season=SEASONS[number],
            arrival=order[number],
            tokens=dict(setting.tokens),
            level=_OPPONENT_LEVEL if seat == opponent else level,
            targets=TARGETS,
        )
        for number, seat in enumerate(taking_part)
    )
    game = draw_game(MODES[rules.mode], code_from_seed(seed))
    state = State(rules, setting, game, players, Typing(), arrivals=len(players))
    return state if rules.typed else replace(state, phase=_after_code(state))


_OPPONENT_LEVEL = "experienced"
"""The same at every strength, which differs in reasoning only."""


def _rulings(options: Options, opponent: Seat | None) -> Rulings:
    play = FreeQuestioning() if options["app_only"] is True else Acting()
    return Rulings(
        mode=str(options["mode"]),
        level=str(options["level"]),
        strength=str(options["opponent"]),
        opponent=opponent,
        typed=options["code"] == "typed",
        play=play,
        marks=options["marks"] is True,
        consistency=options["consistency"] is True,
        possible=options["possible"] is True,
        years=int(options["years"]),
        camera=options["camera"] is True and play.scored,
    )


def _after_code(state: State) -> Phase:
    return Choosing() if any(player.level is None for player in state.players) else state.rules.play


# --- the code


class Typing(Phase, frozen=True, tag="typing"):
    """The code must be typed (X12)."""

    clause = "X12"

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset({next(player.seat for player in state.players if not player.gone)})

    def wanted_text(self, state: State) -> Text:
        return say("First the game's code is typed.")

    def question(self, state: State) -> Text:
        return say("The code begins with {letter}. Type the other letters.", letter=VERSION)

    def waiting(self, state: State, who: Text) -> Text:
        return say("{seat} types the game's code.", seat=who)


class Letters(Word[State, str]):
    """A code by letters (X12), so that menus need not list all codes."""

    several = True

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return (code_of(0),)

    def write(self, state: State, value: str, before: Values) -> Words:
        return tuple(value)


TYPED = Letters()


class Code(Order, frozen=True, tag="code"):
    """Type the game's code (X12), by letters or as one word."""

    code: Annotated[str, TYPED]

    name = say("Type the code")
    clauses = ("X12",)
    when = (Typing,)

    @classmethod
    def menu(cls, state: State, seat: Seat, rest: Words) -> Iterator[Choice]:
        if len(rest) > LENGTH or any(word not in _letters(place) for place, word in enumerate(rest)):
            return
        for letter in _letters(len(rest)):
            yield Choice(letter, say("letter {letter}", letter=letter), len(rest) == LENGTH)

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Code:
        if len(rest) > LENGTH + 1:
            raise excess(cls, LENGTH + 1)
        if not rest:
            raise missing(cls, 1)
        letters = "".join(rest)
        if len(letters) <= LENGTH:
            raise Ambiguous(say("A game code has {count} letters.", count=LENGTH + 1), ("X12",))
        return cls(check_code(letters))

    def after(self, state: State, seat: Seat) -> State:
        state = replace(state, game=draw_game(state.mode, self.code))
        return replace(state, phase=_after_code(state))

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        yield Event(say("The game's code is {code}.", code=self.code), None)


def _letters(place: int) -> tuple[str, ...]:
    return tuple(LETTERS if place else VERSION)


# --- starting facts


class Choosing(Phase, frozen=True, tag="choosing"):
    """Players choose levels of starting facts (X13)."""

    clause = "X13"

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset(player.seat for player in in_order(state) if player.level is None)

    def wanted_text(self, state: State) -> Text:
        return say("Everybody chooses starting facts first.")

    def question(self, state: State) -> Text:
        return say("How many starting facts do you want?")

    def waiting(self, state: State, who: Text) -> Text:
        return say("{seats}: choosing starting facts", seats=who)

    def follows(self, state: State) -> Step | None:
        return None if self.actors(state) else (replace(state, phase=state.rules.play), ())


class LevelName(Word[State, str]):
    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        return LEVELS

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        return LEVEL_NAMES[value]

    def read(self, state: State, word: str, before: Values) -> str:
        return one_of(word.lower(), LEVELS)


LEVEL = LevelName()


class Level(Order, frozen=True, tag="level"):
    """Choose a level; its facts are private (X13)."""

    level: Annotated[str, LEVEL]

    name = reading(say("Starting facts"), say("{a}"))
    clauses = ("X13",)
    when = (Choosing,)

    def after(self, state: State, seat: Seat) -> State:
        return with_player(state, replace(player_of(state, seat), level=self.level))

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        yield Event(say("Your starting facts are ready to read."), frozenset({seat}), reveals=True)


def starting_facts(state: State, player: PlayerState) -> tuple[Fact, ...]:
    """Return a player's starting facts (X13)."""
    listed = next(season.facts for season in state.game.starting if season.season == player.season)
    return listed[: FACTS_AT.get(player.level or "genius", 0)]
