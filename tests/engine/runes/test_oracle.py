"""Random turns, legal and illegal choices mixed: the engine and the oracle must say the same of each and of the end."""

from __future__ import annotations

import random
from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations

import pytest

from engine.errors import Refusal
from engine.runes.casting import Casting, Forgetting
from engine.runes.hands import DrawPhase
from engine.runes.laying import Laying, Revealing
from engine.runes.match import Over, State
from engine.runes.specials import LastCounter, Paying, Responding
from tests.engine.runes.oracle import judge
from tests.engine.runes.oracle_deck import DECK, SPELLS, pays
from tests.engine.runes.oracle_script import (
    Cast,
    Counter,
    Event,
    Forget,
    Lay,
    Mirror,
    Report,
    Resolve,
    Skip,
    Wizard,
)
from tests.engine.runes.turns import GAME, Start, turn_from

TURN = 5
EFFECTS = {
    "Cold Ward": "cold-ward",
    "Heat Ward": "heat-ward",
    "Shield": "shield",
    "Haste": "haste",
    "Invisibility": "invisible",
    "Confusion": "confused",
    "Counter": "countered",
}
TIES = (
    ("The Harvest", "The Watchman"),
    ("The Consul", "The Rite"),
    ("The Watchman", "The Borderland"),
    ("The Rite", "The Island"),
    ("The Watchman", "The Light Keeper"),
    ("The Consul", "The Window"),
)  # R27
ASKED = {Laying: "lay", Casting: "cast", Responding: "react", Forgetting: "forget", LastCounter: "end"}


def word(name: str) -> str:
    """The engine's id of a card or spell."""
    return name.lower().removeprefix("the ").replace(" ", "-")


def table(dice: random.Random) -> list[Wizard]:
    """Two to four wizards in the middle of a match, often with cards that tie, or that pay for a Mirror, in hand."""
    cards = [name for name in DECK if name != "The Excuse"]
    dice.shuffle(cards)
    seats = "abcd"[: dice.choice((2, 2, 3, 4))]
    hands: dict[str, list[str]] = {seat: [] for seat in seats}
    luck, frail = dice.random(), dice.random() < 0.25
    if luck < 0.4:
        pair = dice.choice(TIES[2:4] if frail else TIES)  # Wyrms, so that both may die together
        for seat, card in zip(dice.sample(seats, 2), pair, strict=True):
            hands[seat].append(card)
            cards.remove(card)
        cards.sort(key=lambda name: DECK[name].order in (10, 11))
    elif luck < 0.7:
        cards.sort(key=lambda name: DECK[name].order not in (10, 11, 2, 4, 5, 8))
    for number in range(5):
        for seat in seats:
            if len(hands[seat]) <= number and (number < 3 or dice.random() < 0.7):
                hands[seat].append(cards.pop(0))
    if dice.random() < 0.05:
        hands[seats[0]] = hands[seats[0]][: dice.randint(0, 1)]
    dice.shuffle(cards)
    return [
        Wizard(
            seat,
            1 if frail else dice.choice((1, 2, 3, dice.randint(1, 12), 12)),
            tuple(hands[seat]),
            tuple((cards.pop(), dice.random() < 0.1) for _ in range(dice.choice((0, 1, 2, 3, 3, 4, 4)))),
            {} if frail else lasting(dice),
        )
        for seat in seats
    ]


def lasting(dice: random.Random) -> dict[str, frozenset[int]]:
    """Effects that were cast in earlier turns."""
    chances = {"Cold Ward": 0.15, "Heat Ward": 0.15, "Haste": 0.2, "Invisibility": 0.15}
    found = {
        name: frozenset(range(TURN, TURN + dice.randint(1, 3))) for name, p in chances.items() if dice.random() < p
    }
    return found | ({"Confusion": frozenset({TURN})} if dice.random() < 0.1 else {})


def start(wizard: Wizard) -> Start:
    """The same wizard for the engine."""
    return Start(
        life=wizard.life,
        sequence=tuple("-" * down + word(card) for card, down in wizard.row),
        hand=len(wizard.hand),
        effects={EFFECTS[name]: (TURN - 1, max(turns)) for name, turns in wizard.effects.items()},
    )


@dataclass
class Match:
    """A turn played with both: the engine's state, the oracle's script, and who laid what."""

    dice: random.Random
    wizards: list[Wizard]
    state: State
    script: list[Event] = field(default_factory=list)
    laid: dict[str, str] = field(default_factory=dict)
    tally: Tally[str] = field(default_factory=Tally)

    def oracle(self, *more: Event) -> Report:
        return judge(TURN, self.wizards, (*self.script, *more))


def tell(state: State, seat: str, words: str) -> State | None:
    """The engine's state after a line; None if it refuses."""
    try:
        action = GAME.read(state, seat, tuple(words.split()))
    except Refusal:
        return None
    if GAME.judge(state, seat, action):
        return None
    after: State = GAME.apply(state, seat, action)[0]
    return after


def tell_event(state: State, event: Event) -> State | None:
    """The engine's state after an event of the oracle; None if it refuses."""
    match event:
        case Lay(seat=seat):
            return tell(state, seat, "lay")
        case Cast(seat=seat, spell=spell, energy=energy, target=target):
            at = "" if SPELLS[spell][0] == "moons" and target == seat else target
            return tell(state, seat, f"cast {word(spell)} {at} {'+'.join(map(word, energy))}")
        case Skip(seat=seat):
            return tell(state, seat, "pass")
        case Counter(seat=seat, cost=cost, target=target):
            return paid(tell(state, seat, f"counter {target}"), seat, cost)
        case Mirror(seat=seat, cost=cost, caster=caster):
            return paid(tell(state, seat, f"mirror {caster}"), seat, cost)
        case Forget(seat=seat, cards=cards):
            return tell(state, seat, f"forget {'+'.join(map(word, cards)) or 'none'}")
        case Resolve():
            return state


def paid(state: State | None, seat: str, cost: Sequence[str]) -> State | None:
    """The state after these cards paid, in whatever order the engine takes them, for a special spell (R50)."""
    for order in permutations(cost):
        after = state
        for number, card in enumerate(order):
            after = tell(after, seat, f"pay {word(card)}") if after is not None else None
            if after is not None and number < len(order) - 1 and not isinstance(after.phase, Paying):
                after = None
        if after is not None and isinstance(after.phase, Paying):
            after = tell(after, seat, "enough")
        if after is not None and not isinstance(after.phase, Paying):
            return after
    return None


def choices(match: Match, seat: str, report: Report, *, reacting: bool) -> Iterator[Event]:
    """What this seat might do now, legal or not."""
    dice, phase = match.dice, match.state.phase
    hand = next(w.hand for w in report.wizards if w.seat == seat)
    if reacting:
        yield from special(match, seat, hand)
    if isinstance(phase, Laying):
        card = dice.choice(hand) if dice.random() < 0.3 else max(hand, key=lambda name: DECK[name].order)
        yield Lay(seat, card)
    elif isinstance(phase, Casting):
        yield casting(match, seat, report) if dice.random() < 0.95 else Skip(seat)
    elif isinstance(phase, Forgetting):
        spell = phase.of(match.state, seat)
        assert spell is not None
        rows = [card for wizard in report.wizards for card, _ in wizard.row if wizard.seat == spell.target]
        pool = rows if dice.random() < 0.9 else list(DECK)
        yield Forget(seat, spell.by, tuple(dice.sample(pool, min(len(pool), dice.choice((0, 1, 1, 2, 3))))))


def special(match: Match, seat: str, hand: Sequence[str]) -> Iterator[Event]:
    """Counter Spells and Mirrors, mostly of cards that pay for them; now and then of others."""
    dice, seats = match.dice, [wizard.seat for wizard in match.wizards]
    for kind, number in ((Mirror, 3), (Counter, 2))[dice.random() < 0.2 :]:
        costs = [part for size in range(1, number + 1) for part in combinations(hand, size)]
        paying = [cost for cost in costs if pays(cost, number)]
        if costs and dice.random() < 0.1:
            paying = costs
        if paying and (kind is Counter or isinstance(match.state.phase, Responding)):
            yield kind(seat, dice.choice(paying), dice.choice(seats))


def casting(match: Match, seat: str, report: Report) -> Cast:
    """Some spell, mostly of the right rune and with energy that the sequence shows."""
    dice, (what, _) = match.dice, report.asks or ("", frozenset())
    rune, careless = what.split()[-1], dice.random() < 0.1
    own = [card for w in report.wizards if w.seat == seat for card, down in w.row if careless or not down]
    shown = {suit for card in own for suit in DECK[card].suits}
    names = [name for name, (activation, _) in SPELLS.items() if careless or activation == rune]
    spell = dice.choice([name for name in names if careless or SPELLS[name][1] in {None, *shown}])
    energy = SPELLS[spell][1]
    pool = [card for card in own if careless or energy in DECK[card].suits]
    cards = tuple(dice.sample(pool, dice.randint(min(1, len(pool)), len(pool)))) if energy or careless else ()
    targets = [wizard.seat for wizard in match.wizards if careless or rune == "knots" or wizard.seat != seat]
    return Cast(seat, spell, cards, seat if rune == "moons" and not careless else dice.choice(targets))


def act(match: Match) -> None:
    """One event that both find legal; what is tried on the way both must judge alike."""
    report = match.oracle()
    seat = match.dice.choice(sorted(GAME.actors(match.state)))
    reacting = match.dice.random() < (0.3 if isinstance(match.state.phase, Responding) else 0.05)
    for _ in range(6):
        for event in choices(match, seat, report, reacting=reacting):
            fault = match.oracle(event).fault
            after = tell_event(match.state, event)
            match.tally[f"{type(event).__name__} {'legal' if after else 'refused'}"] += 1
            assert (after is None) is (fault is not None), (match.wizards, match.script, event, fault)
            if after is not None:
                step(match, event, after)
                return
    quiet(match, seat, next(w.hand for w in report.wizards if w.seat == seat))


def quiet(match: Match, seat: str, hand: Sequence[str]) -> None:
    """Nothing was found to do: lay, pass, or turn nothing down."""
    phase = match.state.phase
    if isinstance(phase, Laying):
        step(match, Lay(seat, match.dice.choice(hand)), tell(match.state, seat, "lay"))
    elif isinstance(phase, Casting):
        step(match, Skip(seat), tell(match.state, seat, "pass"))
    elif isinstance(phase, Forgetting):
        spell = phase.of(match.state, seat)
        assert spell is not None
        step(match, Forget(seat, spell.by, ()), tell(match.state, seat, "forget none"))
    else:
        step(match, None, tell(match.state, seat, "pass"))


def step(match: Match, event: Event | None, after: State | None) -> None:
    """Both go on; windows that the engine has closed are closed for the oracle, too."""
    assert after is not None, (match.wizards, match.script, event)
    match.state = after
    if event is not None:
        match.script.append(event)
    if isinstance(event, Lay):
        match.laid[event.seat] = event.card
    while isinstance(match.state.phase, Revealing):
        seat = min(GAME.actors(match.state))
        shown = tell(match.state, seat, f"reveal {word(match.laid[seat])}")
        assert shown is not None, (match.wizards, match.script, seat)
        match.state = shown
    while closed(match.oracle().asks, match.state):
        match.script.append(Resolve())


def closed(asks: tuple[str, frozenset[str]] | None, state: State) -> bool:
    """Whether the oracle waits for reactions that the engine no longer asks for."""
    if asks is None:
        return False
    return {"react": Responding, "end": LastCounter}.get(asks[0], type(state.phase)) is not type(state.phase)


def play(dice: random.Random) -> Tally[str]:
    """One random turn with both, compared at every choice and at the end."""
    wizards = table(dice)
    match = Match(dice, wizards, turn_from({wizard.seat: start(wizard) for wizard in wizards}, TURN))
    while not isinstance(match.state.phase, DrawPhase | Over):
        compare_asked(match)
        act(match)
    compare_end(match)
    return match.tally


def compare_asked(match: Match) -> None:
    """Both ask the same of the same players; who is asked to react, the engine says."""
    asks = match.oracle().asks
    assert asks is not None, (match.wizards, match.script, match.state.phase)
    what, seats = asks
    assert what.split()[0] == ASKED[type(match.state.phase)], (match.wizards, match.script, match.state.phase)
    if what not in ("react", "end"):
        assert seats == GAME.actors(match.state), (match.wizards, match.script)


def compare_end(match: Match) -> None:
    """Lives, effects, sequences, hands, deaths, the result, the discards, and who draws in which order."""
    report, state, where = match.oracle(), match.state, (match.wizards, match.script)
    assert report.fault is None, (where, report.fault)
    assert report.asks is None, (where, report.asks)
    assert [w.seat for w in state.wizards if not w.gone] == [w.seat for w in report.wizards], where
    found = {wizard.seat: wizard for wizard in state.wizards}
    for wizard in report.wizards:
        engine = found[wizard.seat]
        assert engine.life == wizard.life, (where, wizard.seat)
        assert engine.held == len(wizard.hand), (where, wizard.seat)
        assert [(q.card, q.down) for q in engine.sequence] == [(word(card), down) for card, down in wizard.row], where
        spans = {name: set(range(max(s.first, TURN), s.last + 1)) for name, s in engine.effects.items()}
        assert spans == {EFFECTS[name]: set(turns) for name, turns in wizard.effects.items()}, (where, wizard.seat)
    over = isinstance(state.phase, Over)
    assert over is (len(report.wizards) < 2), where
    if isinstance(state.phase, Over):
        assert (state.phase.winner, state.phase.winner is None) == (report.winner, report.drawn_match), where
    if isinstance(state.phase, DrawPhase):
        assert state.phase.order == report.draws, where
    dead = {card for wizard in match.wizards for card in wizard.hand if found[wizard.seat].gone}
    assert set(state.discards) - set(map(word, dead)) == set(map(word, report.discards)) - set(map(word, dead)), where
    match.tally["over"] += over
    match.tally["drawn"] += report.drawn_match
    match.tally["deaths"] += len(report.deaths)
    match.tally["together"] += sum(len(seats) > 1 for _, seats in report.order)
    match.tally["spells"] += sum(len(seats) for _, seats in report.order)


def many(seed: int, count: int) -> Tally[str]:
    return sum((play(random.Random(f"{seed}/{number}")) for number in range(count)), Tally[str]())


@pytest.mark.parametrize("matches", [60, pytest.param(250, marks=pytest.mark.thorough)])
def test_random_turns_end_as_the_oracle_says(matches: int) -> None:
    tally = many(1, matches)
    assert min(tally[what] for what in ("over", "deaths", "together", "Mirror legal", "Counter legal")) > 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10, 50))
def test_many_random_turns_end_as_the_oracle_says(seed: int) -> None:
    tally = many(seed, 500)
    assert min(tally[what] for what in ("over", "deaths", "together", "Mirror legal", "Counter legal")) > 0
