"""Random phrases, legal and illegal steps mixed: the engine and the oracle must say the same at every step."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from engine.errors import Refusal
from engine.fence.bout import Over, Stage, State, Turn
from engine.fence.cards import Weapon
from engine.fence.phrase import Clearing, Phrase
from tests.engine.fence.bouts import fresh, having, legal, rules, timer
from tests.engine.fence.oracle import judge
from tests.engine.fence.oracle_deck import DECK, MARK
from tests.engine.fence.oracle_strip import (
    SEATS,
    Accept,
    Distance,
    Parry,
    Play,
    Report,
    Seat,
    Situation,
    Step,
    other,
)

WEAPONS = {"PIL": Weapon.LINE, "INV": Weapon.INVITATION, "ENG": Weapon.ENGAGEMENT}
ENDS = ("score green", "score red", "score green red", "no score", "won")
TARGETS = {"tutorial": 15, "basic": 10, "advanced": 15}
MODES = ("tutorial", "basic", "advanced", "advanced")
GLIDES = tuple(key for key, card in DECK.items() if card.kind == "Glide Attack")
BOOSTS = tuple(key for key, card in DECK.items() if card.kind == "Angulations/Oppositions")


def situation(dice: random.Random) -> Situation:
    """A bout in which somebody may attack: mostly at the lunge, often level at 4, 9 or 14, sometimes at its end."""
    mode = dice.choice(MODES)
    gap = 1 if mode == "tutorial" else dice.choice((0, 1, 1, 1, 1, 2, 2, 3))
    green = dice.randint(1, 9 - gap)
    target = TARGETS[mode]
    top = target - 1 if dice.random() < 0.1 else target - 3
    level = dice.choice((4, top, dice.randint(0, top)))
    sudden = dice.random() < 0.05
    score = {"green": level, "red": level if sudden else dice.choice((level, dice.randint(0, top)))}
    return Situation(
        mode=mode,
        opener=dice.choice(SEATS),
        squares={"green": green, "red": green + gap + 1},
        weapons={seat: dice.choice(tuple(WEAPONS)) for seat in SEATS},
        stamina={seat: dice.choice((0, 1, 2, 3, 4, 5, 6, 6, 6)) for seat in SEATS},
        score={seat: score[seat] for seat in SEATS},
        hands=dict.fromkeys(SEATS, 6),
        timer=(0 if mode == "tutorial" else 4) if sudden else dice.randint(3, 11),
        target=target,
        sudden=sudden,
        yellow=frozenset(seat for seat in SEATS if dice.random() < 0.6),
    )


def table(at: Situation) -> State:
    """The same for the engine."""
    seats = dict(zip(SEATS, ("a", "b"), strict=True))
    state = timer(fresh(mode=at.mode, bout="elimination", tutorial_points=15, starter=seats[at.opener]), at.timer)
    state = replace(state, phase=Turn(), period=state.rules.periods if at.sudden else 1)
    if at.sudden:
        state = replace(state, stage=Stage.LAST_HANDS if at.mode == "tutorial" else Stage.OVERTIME, priority=0)
    for side, seat in enumerate(SEATS):
        weapon = WEAPONS[at.weapons[seat]]
        fields = {"square": at.squares[seat], "stamina": at.stamina[seat], "score": at.score[seat], "weapon": weapon}
        known = ("straight-thrust-3",) if at.mode == "basic" and seat in at.yellow else ()
        state = having(state, side, known=known, **fields)
    return state


def line(step: Step) -> str:
    """The step in the notation, copies by their ids."""
    words: tuple[str, ...]
    match step:
        case Play(card=card, bonus=bonus, attack=attack):
            feint = DECK[card].kind == "Feint"
            words = ("play", card, *bonus, attack or "end") if feint else ("play", *bonus, card)
        case Parry(bonus=bonus):
            words = ("play", *bonus, "parry") if bonus else ("parry",)
        case Distance(card=card):
            words = ("distance", card or "?")
        case Accept():
            words = ("accept",)
    return f"{'ab'[SEATS.index(step.seat)]}: {' '.join(words)}"


def kinds(dice: random.Random, mode: str) -> list[str]:
    """The kinds of a mode, one of which this phrase leans to."""
    found = sorted({card.kind for card in DECK.values() if MARK[mode] in card.marks})
    return found + 6 * [dice.choice(found)]


def any_step(dice: random.Random, at: Situation, leaning: list[str], seat: Seat) -> Step:
    """Something that could be done, legal or not."""
    seat = other(seat) if dice.random() < 0.03 else seat
    what = dice.random()
    in_mode = [key for key, card in DECK.items() if MARK[at.mode] in card.marks]
    kind = dice.choice(leaning)
    card = dice.choice(tuple(DECK) if what < 0.03 else [key for key in in_mode if DECK[key].kind == kind])
    if what > 0.99:
        return Accept(seat)
    if what > 0.95:
        return Distance(seat, dice.choice((None, card, "RF01")))
    if what > 0.88:
        return Parry(seat, dice.choice(((), (), GLIDES[:1], BOOSTS[:1], GLIDES)))
    return with_bonus(dice, in_mode, seat, card)


def with_bonus(dice: random.Random, in_mode: list[str], seat: Seat, card: str) -> Play:
    """A card with what might go with it."""
    kind, luck = DECK[card].kind, dice.random()
    boost = (dice.choice(BOOSTS),) if luck < 0.3 else ()
    if kind == "Angulations/Oppositions":
        return Play(seat, card)
    if kind == "Feint":
        attack = dice.choice((None, *in_mode, *in_mode))
        return Play(seat, card, () if attack in BOOSTS else boost, attack)
    if luck > 0.9 or (luck > 0.6 and "Parry" in kind):
        return Play(seat, card, (dice.choice(GLIDES),) if luck < 0.97 else (GLIDES[0], BOOSTS[0]))
    return Play(seat, card, BOOSTS if luck < 0.02 else boost)


def every_step(seat: Seat) -> Iterator[Step]:
    """Whatever a player could do but accept, bonus cards left out: they only add cost."""
    yield Parry(seat)
    yield Distance(seat)
    for key, card in DECK.items():
        yield Play(seat, key)
        if card.kind == "Feint":
            yield from (Play(seat, key, (), attack) for attack in DECK)


def permitted(state: State, step: Step) -> bool:
    try:
        return legal(state, line(step))
    except Refusal:
        return False


def done(state: State, step: Step) -> State:
    seat, _, words = line(step).partition(": ")
    return rules().apply(state, seat, rules().read(state, seat, tuple(words.split())))[0]


def next_step(
    dice: random.Random, at: Situation, leaning: list[str], state: State, steps: tuple[Step, ...], seat: Seat
) -> Step | None:
    """A step that both find legal; each one tried on the way must be judged alike. None: no attack turned up.

    Half of the time one is looked for after which somebody is still asked, so that phrases grow long.
    """
    found, lasting = None, dice.random() < 0.5
    for _ in range(dice.choice((4, 60)) if steps else 100):
        step = any_step(dice, at, leaning, seat)
        report = judge(at, (*steps, step))
        assert report.fault is None or report.fault[0] == len(steps)
        assert permitted(state, step) is (report.fault is None), (at, steps, step, report.fault)
        if report.fault is None:
            found = step
            leant = isinstance(step, Play) and DECK[step.card].kind == leaning[-1]
            if report.asks is not None or leant or not lasting:
                return step
    return found or (Accept(seat) if steps else None)


def fence(dice: random.Random) -> str:
    """One random phrase, compared at every step and after it. Returns how it ended, for the count."""
    at = situation(dice)
    leaning = kinds(dice, at.mode)
    state, steps = table(at), tuple[Step, ...]()
    report = judge(at, steps)
    while report.asks is not None:
        step = next_step(dice, at, leaning, state, steps, report.asks)
        if step is None:
            return "no attack"
        steps, state = (*steps, step), done(state, step)
        report = judge(at, steps)
        steps, report = accepted(at, steps, report, state)
        compare_threat(report, state, (at, steps))
    compare_end(report, state, (at, steps))
    if report.winner is not None:
        return "won"
    return " ".join(("score", *sorted(report.touches))) if report.touches else "no score"


def accepted(at: Situation, steps: tuple[Step, ...], report: Report, state: State) -> tuple[tuple[Step, ...], Report]:
    """Where the engine has accepted by itself, the oracle must find nothing else to do either (section 6)."""
    while report.asks is not None and not isinstance(state.phase, Phrase):
        assert all(judge(at, (*steps, step)).fault for step in every_step(report.asks)), (at, steps)
        steps = (*steps, Accept(report.asks))
        report = judge(at, steps)
    return steps, report


def compare_threat(report: Report, state: State, where: object) -> None:
    """Who is asked, and how fast is what must be answered."""
    phrase = state.phase
    if report.asks is None:
        assert not isinstance(phrase, Phrase), where
        return
    assert isinstance(phrase, Phrase), where
    assert SEATS[phrase.turn] == report.asks, where
    assert (phrase.incoming is None) is (report.threat is None), where
    if phrase.incoming is not None and report.threat is not None:
        assert SEATS[phrase.incoming.side] == report.threat.owner, where
        speed = phrase.incoming.speed
        assert (None if speed is None else speed.total) == report.threat.speed, where


def compare_end(report: Report, state: State, where: object) -> None:
    """Touches, speeds, stamina, squares, cards and the next turn."""
    clearing = state.phase
    if isinstance(clearing, Over) or report.winner is not None:
        compare_winner(report, state, where)
        return
    assert isinstance(clearing, Clearing), where
    assert clearing.phrase is not None
    assert {SEATS[side] for side in (0, 1) if clearing.touches[side]} == report.touches, where
    fast = [(beat.what, beat.speed.total) for beat in clearing.phrase.beats if beat.speed is not None]
    assert fast == [(what, speed) for _, what, speed in report.speeds], where
    after = rules().apply(state, "ab"[state.active], rules().read(state, "ab"[state.active], ("clear",)))[0]
    for side, seat in enumerate(SEATS):
        fencer = after.fencers[side]
        found = (fencer.score, fencer.stamina, fencer.square, fencer.hand)
        said = (report.score[seat], report.stamina[seat], report.squares[seat], report.hands[seat])
        assert found == said, (where, seat)
        assert fencer.lane == (), where
    assert after.piles.timer == report.timer, where
    assert Counter(after.piles.discards) == Counter(face(key) for key in report.discarded), where
    if not isinstance(after.phase, Over):  # time is over with the last timer card (F57)
        assert SEATS[after.active] == report.next_turn, where


def compare_winner(report: Report, state: State, where: object) -> None:
    """The last touch ends the match, and the table stays as it is."""
    assert isinstance(state.phase, Over), where
    assert SEATS[state.phase.winner] == report.winner, where
    assert {seat: state.fencers[side].score for side, seat in enumerate(SEATS)} == report.score, where


def face(key: str) -> str:
    """The engine's name for a card, "?" for one that nobody saw."""
    return rules().copies[key] if key in DECK else "?"


def many(seed: int, count: int) -> Counter[str]:
    """How so many phrases ended; bouts in which no attack was found do not count."""
    ends: Counter[str] = Counter()
    number = 0
    while ends.total() < count:
        end = fence(random.Random(f"{seed}/{number}"))
        ends[end] += end != "no attack"
        number += 1
    return ends


def steps_of(seat: Seat) -> Iterator[Step]:
    """One step of each face that a player could make, with every bonus and every new attack that may go with it."""
    faces = {(card.kind, card.speed): key for key, card in sorted(DECK.items(), reverse=True)}.values()
    yield from (Parry(seat), Parry(seat, GLIDES[:1]), Distance(seat))
    for key in faces:
        yield from (Play(seat, key), Play(seat, key, BOOSTS[:1]) if key not in BOOSTS else Accept(seat))
        if "Parry" in DECK[key].kind:
            yield Play(seat, key, GLIDES[:1])
        if DECK[key].kind == "Feint":
            yield from (Play(seat, key, bonus, attack) for attack in faces for bonus in ((), BOOSTS[:1]))


def follow(at: Situation, state: State, steps: tuple[Step, ...], depth: int) -> int:
    """Every step that could follow, compared; what is legal is followed on. Returns how many were judged."""
    report = judge(at, steps)
    steps, report = accepted(at, steps, report, state) if steps else (steps, report)
    if report.asks is None:
        compare_end(report, state, (at, steps))
        return 0
    if steps:
        compare_threat(report, state, (at, steps))
    judged = 0
    if depth == 0:
        return judged
    for step in steps_of(report.asks):
        fault = judge(at, (*steps, step)).fault
        assert permitted(state, step) is (fault is None), (at, steps, step, fault)
        judged += 1
        if fault is None:
            judged += follow(at, done(state, step), (*steps, step), depth - 1)
    return judged


def test_the_two_agree_on_the_deck() -> None:
    for name, mode in (("tutorial", "T"), ("basic", "B"), ("advanced", "")):
        pool = fresh(mode=name).pool
        cards = Counter((face(key), card.speed, card.sp) for key, card in DECK.items() if mode in card.marks)
        assert cards == {(key, figures.speed, figures.sp): figures.count for key, figures in pool.items()}


@pytest.mark.thorough
def test_random_phrases_end_as_the_oracle_says() -> None:
    ends = many(1, 250)
    assert min(ends[end] for end in ENDS) > 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10, 30))
def test_many_random_phrases_end_as_the_oracle_says(seed: int) -> None:
    ends = many(seed, 1000)
    assert min(ends[end] for end in ENDS) > 0


@pytest.mark.soak
@pytest.mark.parametrize("own", WEAPONS)
@pytest.mark.parametrize("foe", WEAPONS)
@pytest.mark.parametrize("gap", [0, 1, 2])
def test_every_attack_answer_and_follow_up_is_judged_as_the_oracle_says(own: str, foe: str, gap: int) -> None:
    at = Situation(
        mode="advanced",
        opener="green",
        squares={"green": 4, "red": 5 + gap},
        weapons={"green": own, "red": foe},
        stamina={"green": 6, "red": 6},
        score={"green": 1, "red": 2},
        hands=dict.fromkeys(SEATS, 6),
        timer=11,
        target=15,
    )
    assert follow(at, table(at), (), 3) > 300
