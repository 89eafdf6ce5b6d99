"""Views, without secrets because the referee sees no hands. Card counts are always shown."""

from __future__ import annotations

from functools import reduce

from msgspec.structs import replace

from engine.fence.bout import WARNINGS, Finish, GameMode, Over, Stage, State, Turn, gap, off, rulings_of, time_text
from engine.fence.cards import UNKNOWN, WEAPONS, card_text, side_name
from engine.fence.clearing import to_do
from engine.fence.hands import Dealing
from engine.fence.phrase import ANGULATIONS, ENGAGEMENT, INVITATION, POSITION, RENEWED, Beat, Clearing, Phrase, Speed
from engine.fence.play import legal_kinds
from engine.fence.table import BESIDE, LAST, STRIP
from engine.fence.timer_deck import full_timer
from engine.game import Options
from engine.table import Seat, Spot
from engine.text import Text, in_context, say, seat_of, side_of
from engine.view import Cells, Gauge, Json, Line, NamedCard, Outcome, Panel, Score, View

_PARTS: dict[str, Text] = {
    POSITION: say("position"),
    INVITATION: say("Invitation"),
    ENGAGEMENT: say("Engagement"),
    ANGULATIONS: say("Angulations"),
    RENEWED: say("Renewed Attack"),
}

_LETTERS = (in_context("a letter for Green", "G"), in_context("a letter for Red", "R"))


def view(state: State, seat: Seat | None) -> View:
    panels = _table(state) if seat is None else _own(state, state.seats.index(seat))
    return View(facts=_facts(state), panels=panels, prompt=prompt(state, seat))


def prompt(state: State, seat: Seat | None) -> Text:
    """Return the question for a seat that may act; for others, whom they wait for."""
    asked = state.phase.sides(state)
    if seat is not None and state.seats.index(seat) in asked:
        return state.phase.question(state)
    return state.phase.waiting(state, side_name(asked[0] if asked else 0))


def _table(state: State) -> tuple[Panel, ...]:
    weapons = say(
        "Weapons: Green {green}, Red {red}",
        green=WEAPONS[state.fencers[0].weapon],
        red=WEAPONS[state.fencers[1].weapon],
    )
    if told := _phrase(state):
        return (*_order(state), *told, _score(state), _strip(state), _time(state))
    rest = (_time(state), *_warning_panels(state), *_period(state), Line(weapons))
    return (*_sides(state), _strip(state), _score(state), *_order(state), *rest)


def _own(state: State, side: int) -> tuple[Panel, ...]:
    phase = state.phase
    if isinstance(phase, Clearing):
        return (*_order(state), Line(_touch(state), strong=True), _score(state), _stamina(state))
    if isinstance(phase, Phrase):
        return (*_order(state), *_phrase(state), _strip(state), _stamina(state))
    times = (_time(state), *_warning_panels(state))
    if isinstance(phase, Dealing):
        return (*_sides(state), *_order(state), _score(state), *times)
    fencer, other = state.fencers[side], state.fencers[1 - side]
    weapons = say(
        "Weapon: {own}. Rival: {other}.",
        own=WEAPONS[fencer.weapon],
        other=WEAPONS[other.weapon],
    )
    return (*_order(state), _stamina(state), *times, _strip(state), Line(weapons), _score(state))


def _stamina(state: State) -> Score:
    left = (fencer.stamina for fencer in state.fencers)
    return Score(say("Stamina"), tuple(zip(_LETTERS, left, strict=True)))


def _sides(state: State) -> tuple[Panel, ...]:
    if not isinstance(state.phase, Dealing):
        return ()
    green, red = map(seat_of, state.seats)
    return (Line(say("{green} is Green, {red} is Red.", green=green, red=red)),)


def _order(state: State) -> tuple[Panel, ...]:
    return tuple(Line(text) for text in to_do(state))


def _strip(state: State) -> Cells:
    cells: list[str | Text] = [""] * (LAST + 2)
    for fencer, letter in zip(state.fencers, _LETTERS, strict=True):
        if not fencer.beside:
            cells[fencer.square] = letter
    return Cells(say("Strip"), tuple(cells), ("", *(str(square) for square in range(1, LAST + 1)), ""))


def _score(state: State) -> Score:
    sides = (side_of(seat, side_name(side)) for side, seat in enumerate(state.seats))
    points = (fencer.score for fencer in state.fencers)
    return Score(say("Touches"), tuple(zip(sides, points, strict=True)), state.rules.goal)


def _time(state: State) -> Gauge:
    return Gauge(say("Timer cards"), state.piles.timer, max(state.piles.timer, full_timer(state)))


def _period(state: State) -> tuple[Panel, ...]:
    if state.stage is Stage.OVERTIME and state.priority is not None:
        return (Line(say("Overtime, priority {side}", side=side_name(state.priority))),)
    if state.stage is Stage.LAST_HANDS:
        return (Line(say("Last hands")),)
    if state.stage is Stage.SUDDEN_DEATH:
        return (Line(say("Sudden death")),)
    if state.rules.periods == 1:
        return ()
    return (Line(say("Period {period} of {periods}", period=state.period, periods=state.rules.periods)),)


def _warning_panels(state: State) -> tuple[Panel, ...]:
    timer = state.piles.timer
    return (Line(time_text(timer), strong=True),) if timer in WARNINGS else ()


def _phrase(state: State) -> tuple[Panel, ...]:
    phase = state.phase
    phrase = phase if isinstance(phase, Phrase) else phase.phrase if isinstance(phase, Clearing) else None
    if phrase is None:
        return ()
    return (Line(_touch(state), strong=True), *(Line(_beat(state, beat)) for beat in phrase.beats[-1:]))


def _touch(state: State) -> Text:
    phase = state.phase
    if isinstance(phase, Phrase):
        if phase.incoming is None:
            return say("No touch unless followed up")
        return say("Unanswered: touch for {side}", side=side_name(phase.incoming.side))
    touches = phase.touches if isinstance(phase, Clearing) else (0, 0)
    if isinstance(phase, Clearing) and phase.void:
        return say("Double touch, not counted")
    if touches == (1, 1):
        return say("Double touch")
    return say("Touch for {side}", side=side_name(touches.index(1))) if any(touches) else say("No touch")


_BEATS: dict[str, Text] = {
    "parry": say("Parry without a card"),
    "distance": say("Distance"),
    "riposte": say("Riposte"),
}


def _beat(state: State, beat: Beat) -> Text:
    declared = (_BEATS[beat.what],) if beat.what in _BEATS else ()
    what = reduce(_join_texts, (*declared, *(card_text(state.pool, card) for card in beat.cards)))
    if beat.speed is None:
        return say("{side}: {what}", side=side_name(beat.side), what=what)
    return say("{side}: {what}, {speed}", side=side_name(beat.side), what=what, speed=_why(beat.speed))


# --- the end


def outcome(state: State) -> Outcome | None:
    """Return the winner, with the touch that won or, on time, put the winner ahead for good."""
    phase = state.phase
    if not isinstance(phase, Over):
        return None
    points = tuple(fencer.score for fencer in state.fencers)
    ended = Outcome(frozenset({state.seats[phase.winner]}), phase.winner_text(state), points, decided_by=())
    touch = state.lead if phase.finish is Finish.TIME else phase.otherwise
    if not isinstance(touch, Clearing) or not touch.touches[phase.winner]:
        return ended
    beats = [beat for beat in touch.phrase.beats if beat.side == phase.winner] if touch.phrase else []
    cards = next((beat.cards for beat in reversed(beats) if beat.cards), ())
    drawn = tuple(NamedCard(card) for card in cards if card != UNKNOWN)
    if phase.finish is Finish.TIME:
        return replace(ended, decided_by=drawn, how=(_lead(state, phase.winner, cards),))
    places = [Spot(BESIDE, each.beside) if each.beside else Spot(STRIP, each.square) for each in state.fencers]
    how = tuple(_beat(state, beat) for beat in beats[-1:])
    if not any(off(place.index) for place in places):
        green, red = (place.index for place in places)
        how = (*how, say("Green on square {green}, Red on square {red}.", green=green, red=red))
    return replace(ended, decided_by=(*drawn, *places), how=how)


def _lead(state: State, side: int, cards: tuple[str, ...]) -> Text:
    """Return how a side came to be ahead. cards: of its touch; () if the other left the strip."""
    if not cards:
        return say("{side} has led since {other} left the strip.", side=side_name(side), other=side_name(1 - side))
    what = reduce(_join_texts, (card_text(state.pool, card) for card in cards))
    return say("{side} has led since {what}.", side=side_name(side), what=what)


def _join_texts(card: Text, more: Text) -> Text:
    return say("{card} + {more}", card=card, more=more)


def _why(speed: Speed) -> Text:
    if not speed.parts:
        return say("speed {total}", total=speed.total)
    sum_of: Text = say("{base}", base=speed.base)
    for name, value in speed.parts:
        sum_of = say("{sum} {value} {part}", sum=sum_of, value=f"{value:+}", part=_PARTS[name])
    return say("speed {total} ({sum})", total=speed.total, sum=sum_of)


def _facts(state: State) -> dict[str, Json]:
    phase = state.phase
    fencers: dict[str, Json] = {
        state.seats[side]: {
            "square": fencer.square,
            "beside": fencer.beside,
            "weapon": fencer.weapon.value,
            "stamina": fencer.stamina,
            "score": fencer.score,
            "hand": fencer.hand,
            "lane": fencer.lane,
        }
        for side, fencer in enumerate(state.fencers)
    }
    asked_now = state.phase.sides(state)
    return {
        "mode": state.rules.mode,
        "fencers": fencers,
        "gap": gap(state),
        "goal": state.rules.goal,
        "period": state.period,
        "periods": state.rules.periods,
        "stage": state.stage.value,
        "priority": None if state.priority is None else state.seats[state.priority],
        "timer": state.piles.timer,
        "aside": state.piles.aside,
        "discards": state.piles.discards,
        "turn": state.turn,
        "active": state.seats[state.active],
        "phase": str(phase.__struct_config__.tag),
        "done": phase.done if isinstance(phase, Turn) else (),
        "still": max(0, state.still),
        "asked": tuple(state.seats[side] for side in asked_now),
        "answers": legal_kinds(state, asked_now[0]) if asked_now else (),
        "phrase": _phrase_facts(state),
        "to_do": tuple(str(text) for text in to_do(state)),
    }


def _phrase_facts(state: State) -> Json:
    """Return the phrase as data. unanswered: seat that scores without an answer. void: uncounted double touch."""
    phase = state.phase
    phrase = phase if isinstance(phase, Phrase) else phase.phrase if isinstance(phase, Clearing) else None
    if phrase is None:
        return None
    beats: list[Json] = [
        {
            "side": beat.side,
            "by": state.seats[beat.side],
            "what": beat.what,
            "cards": beat.cards,
            "speed": None if beat.speed is None else beat.speed.total,
            "why": () if beat.speed is None else (("base", beat.speed.base), *beat.speed.parts),
        }
        for beat in phrase.beats
    ]
    incoming = phrase.incoming
    return {
        "beats": tuple(beats),
        "incoming": None if incoming is None else incoming.role.value,
        "unanswered": None if incoming is None or isinstance(phase, Clearing) else state.seats[incoming.side],
        "touches": phase.touches if isinstance(phase, Clearing) else None,
        "void": isinstance(phase, Clearing) and phase.void,
    }


# --- the reference card: pages of short lines


def reference(options: Options) -> tuple[tuple[Text, ...], ...]:
    rules = rulings_of(options)
    mode = rules.variant
    return (
        (
            say("Goal: {points} points.", points=rules.goal),
            say("A turn: two actions,"),
            say("or one and a card."),
            say("Move, weapon, exchange.") if mode.exchange else say("Move, weapon, card."),
        ),
        *((_pauses(mode),) if mode.stamina else ()),
        _distances(mode),
        (
            say("Line beats Invitation,"),
            say("Invitation Engagement,"),
            say("Engagement Line."),
            say("Invitation: defence +1."),
            say("Engagement: rival's attack -1."),
        ),
        (
            say("Cyan must be faster;"),
            say("equal: double touch."),
            say("Blue parries if not slower."),
            say("Two cards each a phrase."),
        ),
        *((_bonuses(),) if mode.angulations else ()),
        _card_less(mode),
    )


def _pauses(mode: GameMode) -> tuple[Text, ...]:
    stall = (say("Stall: all turn, +2 SP."), say("It costs a timer card."))
    return (*stall, say("Retreat: 2 back, 1 action.")) if mode.retreat else stall


def _bonuses() -> tuple[Text, ...]:
    return (
        say("Angulations: speed +2."),
        say("Glide on a parry: riposte 4."),
        say("Both may join one card."),
    )


def _distances(mode: GameMode) -> tuple[Text, ...]:
    if mode.one_distance:
        return (say("Attack with one square"), say("between the fencers."))
    return (say("Gap 0: Infighting."), say("Gap 1: all other attacks."), say("Gap 2: Fleche."))


def _card_less(mode: GameMode) -> tuple[Text, ...]:
    distance = say("Distance: 1 SP, 2 back, lose a card and draw.")
    if not mode.parry:
        return (distance,)
    return (say("Parry without a card: 1 SP for 2 speed."), distance, say("Not above speed 5."))
