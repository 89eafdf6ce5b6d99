"""The suite that every game passes: derive a class from `Conformance` for each way of playing it.

class TestDuel(Conformance):
    game = "tellstones"
    options = {"first_stone": "scales"}
    seats = ("a", "b")

    def twin(self, rng, state, seat): ...   # another state that differs only in what `seat` must not know
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import msgspec
import pytest
from babel.messages.pofile import read_po
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import entry as entries
from engine import match as matches
from engine.arbiter.expectation import carry, plain
from engine.catalogue import AnyGame
from engine.entry import Act, Entry, Start
from engine.errors import Ambiguous, Breach, Illegal, Invalid, Refusal
from engine.game import Choice, Options, OptionValue, Words
from engine.grammar import sentences
from engine.table import Seat, Spot, Trace
from engine.text import CONTEXT, Text
from engine.view import Event, Line
from tests.engine.physics import faults
from tests.engine.playouts import Playout, Step, load, packed, playout, sentences_of, visible

RULES = Path(__file__).resolve().parents[2] / "docs" / "rules"


class Play:
    """A game with its options, and some random matches of it."""

    def __init__(self, suite: type[Conformance]) -> None:
        self.rules: AnyGame
        self.options: Options
        self.rules, self.options = load(suite.game, suite.options)
        self.seats = suite.seats
        self.playouts = tuple(
            playout(self.rules, self.options, suite.seats, seed, suite.cap, suite.seldom)
            for seed in range(suite.matches)
        )
        self.steps = tuple(step for each in self.playouts for step in each.steps)
        self.corpus = tuple(sorted({step.words for step in self.steps}))

    def sample(self, count: int, seed: int = 0) -> tuple[Step, ...]:
        """Some steps of all matches, the same at every run."""
        return tuple(Random(seed).sample(self.steps, min(count, len(self.steps))))

    def legal(self, state: Any, seat: Seat) -> dict[Words, Any]:
        return {words: self.rules.read(state, seat, words) for words in sentences(self.rules, state, seat)}

    def traces(self, state: Any) -> Iterator[tuple[Seat, Words, Trace]]:
        """What a camera sees of every legal action."""
        for seat in sorted(self.rules.actors(state)):
            for words, action in self.legal(state, seat).items():
                yield seat, words, self.rules.trace(state, seat, action)


class Conformance:
    """What the core relies on. Class attributes say how the game is played."""

    game: ClassVar[str]
    options: ClassVar[Mapping[str, OptionValue]] = {}
    seats: ClassVar[tuple[Seat, ...]] = ("a", "b")
    matches: ClassVar[int] = 20
    cap: ClassVar[int] = 400
    ends: ClassVar[bool] = True
    """False if random play may go on for ever: then the cap ends it."""
    seldom: ClassVar[frozenset[str]] = frozenset()
    """Words that end a match early: random play chooses them one time in ten."""
    pairs: ClassVar[int] = 1000
    """Twin states looked at, if the game has hidden information."""
    sampled: ClassVar[int] = 60
    """States in which the dearer checks are made."""
    lookalikes: ClassVar[frozenset[frozenset[str]]] = frozenset()
    """Sets of verbs whose actions may leave the same trace without being declared: the arbiter has to ask."""

    def twin(self, rng: Random, state: Any, seat: Seat | None) -> Any:
        """Another state that differs only in what `seat` must not know; the same one if there is no secret."""
        return state

    @pytest.fixture
    def play(self) -> Play:
        suite: Any = type(self)  # mypy takes a class for unhashable
        return _play(suite)

    # --- what is said

    def test_every_sentence_is_in_the_catalogue(self, play: Play) -> None:
        """A sentence that no translator ever saw would stand on a display in English."""
        known = catalogue()
        said = {text.message for text in texts(play.rules.reference(play.options))}
        for step in play.sample(self.sampled):
            every = _all_said(play, step)
            assert_whole(every)
            said |= {text.message for text in texts(every)}
        assert sorted(message for message in said - known if re.sub(r"\{\w+\}|\W", "", message)) == []

    # --- the course of a match

    def test_random_playouts_end(self, play: Play) -> None:
        ended = [play.rules.outcome(each.last) is not None for each in play.playouts]
        assert all(ended) if self.ends else len(ended) == self.matches

    def test_an_outcome_ends_everything(self, play: Play) -> None:
        for each in play.playouts:
            outcome = play.rules.outcome(each.last)
            if outcome is None:
                continue
            assert outcome.winners <= frozenset(play.seats)
            assert str(outcome.text)
            assert play.rules.actors(each.last) == frozenset()
            assert not any(play.rules.choices(each.last, seat) for seat in play.seats)
            assert not list(play.rules.attempts(each.last))

    def test_what_comes_after_the_end_is_refused_by_the_clause_that_ended_it(self, play: Play) -> None:
        clauses = _clauses(self.game)
        for each in play.playouts[:5]:
            outcome = play.rules.outcome(each.last)
            if outcome is None:
                continue
            match = replace(_match_at(self, play, each.steps[-1]), state=each.last, result=outcome)
            for seat in play.seats:
                for words in play.corpus[::5]:
                    if _understood(play, each.last, seat, words) is None:
                        continue
                    with pytest.raises(Illegal, match=r"The match is over\.") as refusal:
                        matches.advance(play.rules, match, Act(match.at, seat, words))
                    assert refusal.value.clauses
                    assert set(refusal.value.clauses) <= clauses

    def test_actors_are_seats_that_can_act(self, play: Play) -> None:
        for step in play.steps:
            actors = play.rules.actors(step.state)
            assert actors
            assert actors <= frozenset(play.seats)
            for seat in play.seats:
                assert bool(play.rules.choices(step.state, seat)) == (seat in actors)

    def test_who_gives_up_acts_no_more(self, play: Play) -> None:
        for step in play.sample(self.sampled):
            for seat in play.seats:
                state, events = play.rules.resign(step.state, seat)
                assert seat not in play.rules.actors(state)
                assert events
                assert play.rules.actors(state) or play.rules.outcome(state) is not None

    def test_replay_equals_live_to_the_byte(self, play: Play) -> None:
        for each in play.playouts[:3]:
            journal = tuple(_journal(self, play, each))
            live, states = matches.begin(play.rules, _start(self, play, each.seed)), []
            for entry in journal[1:]:
                live, _ = matches.advance(play.rules, live, entry)
                states.append(packed(live.state))
            decoded = [entries.decode(entries.encode(entry)) for entry in journal]
            assert matches.encode(matches.replay(play.rules, decoded)) == matches.encode(live)
            assert states == [packed(state) for state in each.states[1:]]

    # --- words and actions

    def test_menus_offer_legal_actions_that_read_back(self, play: Play) -> None:
        for step in play.sample(self.sampled):
            for seat in sorted(play.rules.actors(step.state)):
                for words, action in play.legal(step.state, seat).items():
                    assert play.rules.judge(step.state, seat, action) == (), words
                    assert play.rules.words(step.state, action) == words
                    assert play.rules.read(step.state, seat, words) == action

    def test_menus_have_no_two_equal_items(self, play: Play) -> None:
        for step in play.sample(self.sampled):
            for choices in _menus(play, step.state, step.seat):
                assert len({choice.word for choice in choices}) == len(choices)
                assert len({str(choice.text) for choice in choices}) == len(choices)
                assert all(choice.word and not re.search(r"\s", choice.word) for choice in choices)

    def test_menus_reach_every_legal_action(self, play: Play) -> None:
        """Whatever was said in any match and is legal now, by anybody, stands in the menus."""
        for step in play.sample(self.sampled):
            for seat in play.seats:
                offered = set(play.legal(step.state, seat).values())
                for words in play.corpus:
                    action = _understood(play, step.state, seat, words)
                    if action is not None and not play.rules.judge(step.state, seat, action):
                        assert action in offered, words

    def test_what_is_not_offered_is_refused(self, play: Play) -> None:
        clauses = _clauses(self.game)
        for step in play.sample(self.sampled // 3):
            match = _match_at(self, play, step)
            for seat in play.seats:
                offered = set(play.legal(step.state, seat).values())
                for words in play.corpus:
                    action = _understood(play, step.state, seat, words)
                    if action is None or action in offered:
                        continue
                    with pytest.raises(Illegal) as refusal:
                        matches.advance(play.rules, match, Act(match.at, seat, words))
                    assert set(refusal.value.clauses) <= clauses
                    assert str(refusal.value)

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def test_nonsense_is_invalid_or_ambiguous(self, play: Play, data: st.DataObject) -> None:
        step = data.draw(st.sampled_from(play.steps))
        known = sorted({word for words in play.corpus for word in words})
        word = st.one_of(st.sampled_from(known), st.text(max_size=6), st.integers(-3, 99).map(str))
        words = tuple(data.draw(st.lists(word, max_size=5)))
        seat = data.draw(st.sampled_from(play.seats))
        action = _understood(play, step.state, seat, words)
        if action is not None:
            play.rules.judge(step.state, seat, action)
            again = play.rules.words(step.state, action)
            assert play.rules.read(step.state, seat, again) == action

    def test_menus_after_nonsense_are_empty(self, play: Play) -> None:
        for step in play.sample(self.sampled):
            assert play.rules.choices(step.state, step.seat, ("no such word",)) == ()
            assert play.rules.choices(step.state, step.seat, step.words) == ()

    # --- the table

    def test_a_trace_ends_in_the_layout_after_the_action(self, play: Play) -> None:
        for step in play.steps:
            action = play.rules.read(step.state, step.seat, step.words)
            after, _ = play.rules.apply(step.state, step.seat, action)
            assert play.rules.trace(step.state, step.seat, action).layout == play.rules.layout(after), step.words

    def test_traces_hold_together(self, play: Play) -> None:
        for step in play.sample(self.sampled):
            before = play.rules.layout(step.state)
            for _, words, trace in play.traces(step.state):
                assert faults(before, trace) == (), words

    def test_layouts_hide_what_is_face_down(self, play: Play) -> None:
        for step in play.steps:
            for zone in play.rules.layout(step.state).zones:
                assert all(p is None or p.face == "up" or p.kind is None for p in zone.pieces)

    def test_actions_that_look_alike_are_listed(self, play: Play) -> None:
        for step in play.sample(self.sampled):
            groups = defaultdict(set)
            for seat, words, trace in play.traces(step.state):
                if not trace.declared and not trace.unseen:
                    groups[packed((trace, sorted(trace.hands)))].add((seat, words))
            for group in groups.values():
                verbs = frozenset(words[0] for _, words in group)
                assert len(group) == 1 or verbs in self.lookalikes, group

    def test_attempts_are_illegal_and_possible(self, play: Play) -> None:
        clauses = _clauses(self.game)
        for step in play.sample(self.sampled // 2):
            before = play.rules.layout(step.state)
            legal = [trace for _, _, trace in play.traces(step.state) if not trace.declared]
            for attempt in play.rules.attempts(step.state):
                assert attempt.by in play.seats
                assert attempt.breaches
                assert {breach.clause for breach in attempt.breaches} <= clauses
                assert all(str(breach.text) for breach in attempt.breaches)
                assert faults(before, attempt.trace) == (), attempt.kind
                assert not any(_could_be(attempt.trace, trace) for trace in legal), attempt
                if attempt.words:
                    action = play.rules.read(step.state, attempt.by, attempt.words)
                    broken = {breach.clause for breach in play.rules.judge(step.state, attempt.by, action)}
                    assert broken
                    assert broken <= {breach.clause for breach in attempt.breaches}

    def test_orders_can_be_carried_out_wrongly_in_possible_ways_only(self, play: Play) -> None:
        clauses = _clauses(self.game)
        for step in play.sample(self.sampled):
            before = play.rules.layout(step.state)
            action = play.rules.read(step.state, step.seat, step.words)
            due = play.rules.trace(step.state, step.seat, action)
            for attempt in play.rules.misexecutions(step.state, step.seat, action):
                assert attempt.breaches
                assert {breach.clause for breach in attempt.breaches} <= clauses
                assert faults(before, attempt.trace) == (), attempt.kind
                assert not _could_be(attempt.trace, due), attempt

    def test_the_arbiter_can_carry_every_trace(self, play: Play) -> None:
        for step in play.sample(self.sampled // 3):
            layout = play.rules.layout(step.state)
            spots = [Spot(z.zone, i) for z in layout.zones for i, p in enumerate(z.pieces) if p is not None]
            start = plain(layout, {spot: number for number, spot in enumerate(spots)})
            traces = [trace for _, _, trace in play.traces(step.state)]
            for trace in (*traces, *(attempt.trace for attempt in play.rules.attempts(step.state))):
                after = carry(start, trace)
                assert [len(zone) for _, _, zone in after.zones] == [len(z.pieces) for z in trace.layout.zones]

    # --- what is shown

    def test_views_read_well(self, play: Play) -> None:
        states = [state for each in play.playouts[:3] for state in each.states]
        for state in Random(3).sample(states, min(len(states), 300)):
            for seat in (*play.seats, None):
                view = play.rules.view(state, seat)
                assert packed(view) == packed(play.rules.view(state, seat))
                assert view.prompt is not None
                assert all(text and "{" not in text for text in sentences_of(view))

    def test_the_reference_card_reads_well(self, play: Play) -> None:
        pages = play.rules.reference(play.options)
        assert pages
        assert all(page and all(str(line).strip() for line in page) for page in pages)

    def test_there_are_secrets_to_keep(self, play: Play) -> None:
        """The tests of interference prove something only if the twins differ."""
        if type(self).twin is Conformance.twin:
            return
        pairs = [(step.state, other) for step, _, other, _ in self._pairs(play)]
        assert len(pairs) >= self.pairs
        assert sum(packed(state) != packed(other) for state, other in pairs) > 0.9 * len(pairs)

    def test_views_do_not_interfere(self, play: Play) -> None:
        """Law 5: states that differ only in what a seat must not know give it the same bytes."""
        for step, seat, other, _ in self._pairs(play):
            assert packed(play.rules.view(step.state, seat)) == packed(play.rules.view(other, seat))
            if seat is not None:
                assert packed(tuple(_menus(play, step.state, seat))) == packed(tuple(_menus(play, other, seat)))

    def test_events_and_refusals_do_not_interfere(self, play: Play) -> None:
        """What happens without revealing anything is told in the same words in both states."""
        for step, seat, other, rng in self._pairs(play, share=4):
            words = rng.choice((step.words, rng.choice(play.corpus)))
            here, there = (_told(play, state, step.seat, words, seat) for state in (step.state, other))
            if here is not None and there is not None:
                assert here == there, words

    def test_corrections_do_not_interfere(self, play: Play) -> None:
        for step, seat, other, rng in self._pairs(play, share=4):
            words = _correction(play, rng, step.state)
            results = [play.rules.correct(state, words) for state in (step.state, other)]
            here, there = (packed((play.rules.view(s, seat), visible(e, seat))) for s, e in results)
            assert here == there, words

    def test_corrections_that_make_no_sense_are_refused(self, play: Play) -> None:
        for step in play.sample(10):
            for words in ((), ("no such word",)):
                with pytest.raises(Refusal):
                    play.rules.correct(step.state, words)

    def test_corrected_states_play_on(self, play: Play) -> None:
        for step, _, _, rng in self._pairs(play, share=4):
            state, events = play.rules.correct(step.state, _correction(play, rng, step.state))
            assert events
            play.rules.layout(state)
            for seat in sorted(play.rules.actors(state)):
                assert play.legal(state, seat)
                assert bool(play.rules.actors(state)) == (play.rules.outcome(state) is None)

    def _pairs(self, play: Play, share: int = 1) -> Iterator[tuple[Step, Seat | None, Any, Random]]:
        """Random states with their twins, and for whom: pairs that differ, wherever there is a secret."""
        rng = Random(self.pairs)
        for _ in range(self.pairs // share):
            for _ in range(60):
                step, seat = rng.choice(play.steps), rng.choice((*play.seats, None))
                other = self.twin(rng, step.state, seat)
                if other != step.state:
                    break
            yield step, seat, other, rng


@cache
def _play(suite: type[Conformance]) -> Play:
    """The matches of a class, played once for all its tests."""
    return Play(suite)


def _journal(suite: Conformance, play: Play, each: Playout) -> Iterator[Entry]:
    yield _start(suite, play, each.seed)
    for number, step in enumerate(each.steps, 1):
        yield Act(float(number), step.seat, step.words)


def _start(suite: Conformance, play: Play, seed: int) -> Start:
    return Start(0.0, suite.game, dict(play.options), play.seats, seed)


def _match_at(suite: Conformance, play: Play, step: Step) -> matches.Match:
    return replace(matches.begin(play.rules, _start(suite, play, 0)), state=step.state)


def _understood(play: Play, state: Any, seat: Seat, words: Words) -> Any:
    try:
        return play.rules.read(state, seat, words)
    except (Invalid, Ambiguous):
        return None


def _menus(play: Play, state: Any, seat: Seat, prefix: Words = ()) -> Iterator[tuple[Any, ...]]:
    """Every menu of a seat, each with its items."""
    choices = play.rules.choices(state, seat, prefix)
    yield choices
    for choice in choices:
        if not choice.final:
            yield from _menus(play, state, seat, (*prefix, choice.word))


def _told(play: Play, state: Any, actor: Seat, words: Words, seat: Seat | None) -> bytes | None:
    """What `seat` is told when `actor` says `words`; None if it reveals something."""
    try:
        action = play.rules.read(state, actor, words)
        breaches = play.rules.judge(state, actor, action)
        if breaches:
            return packed(breaches)
        after, events = play.rules.apply(state, actor, action)
    except (Invalid, Ambiguous) as refusal:
        return packed((refusal.text, refusal.clauses))
    if any(event.reveals for event in events):
        return None
    return packed((visible(events, seat), play.rules.view(after, seat)))


def _correction(play: Play, rng: Random, state: Any) -> Words:
    """A random correction, word by word."""
    words: Words = ()
    while True:
        chosen = rng.choice(play.rules.corrections(state, words))
        words = (*words, chosen.word)
        if chosen.final:
            return words


def _could_be(attempt: Trace, legal: Trace) -> bool:
    """True if a camera that knows the hands could take the one for the other."""
    hands = not attempt.hands or not legal.hands or attempt.hands & legal.hands
    same = (attempt.layout, attempt.moves, attempt.turned, attempt.lifted) == (
        legal.layout,
        legal.moves,
        legal.turned,
        legal.lifted,
    )
    return bool(same and hands)


def _clauses(game: str) -> frozenset[str]:
    """The ids of the game's clauses."""
    return frozenset(re.findall(r"^\s*- ([A-Z]\d+[a-z]?)\b", (RULES / f"{game}.md").read_text("utf-8"), re.MULTILINE))


@cache
def catalogue() -> frozenset[str]:
    """Every message that is translated."""
    with (RULES.parents[1] / "config" / "locale" / "ru" / "LC_MESSAGES" / "referee.po").open("rb") as file:
        found = [message for message in read_po(file) if message.string]
    return frozenset(f"{each.context}{CONTEXT}{each.id}" if each.context else str(each.id) for each in found)


def assert_whole(value: object) -> None:
    """Whatever is told has a text, and every text the values of all its fields."""
    if isinstance(value, Breach | Event | Choice | Line):
        assert isinstance(value.text, Text), value
    if isinstance(value, Text):
        assert all(isinstance(arg, Text | str | int) for _, arg in value.args), value
        assert "{" not in str(value), value
    if isinstance(value, msgspec.Struct):
        value = msgspec.structs.astuple(value)
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple | list | frozenset):
        for part in value:
            assert_whole(part)


def texts(value: object) -> Iterator[Text]:
    """Every sentence inside a value, and inside the sentences."""
    if isinstance(value, Text):
        yield value
    if isinstance(value, msgspec.Struct):
        value = msgspec.structs.astuple(value)
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple | list | frozenset):
        for part in value:
            yield from texts(part)


def _all_said(play: Play, step: Step) -> tuple[object, ...]:
    """What the game says in one state: views, events, menus, corrections, breaches, refusals."""
    rules, state = play.rules, step.state
    return (
        [rules.view(state, seat) for seat in (None, *play.seats)],
        [(*attempt.breaches, attempt.what) for attempt in rules.attempts(state)],
        [choice for seat in play.seats for choice in _walk(partial(rules.choices, state, seat))],
        _walk(partial(rules.corrections, state)),
        [_judged(rules, state, seat, words) for seat in play.seats for words in play.corpus[::7]],
    )


def _walk(choices: Callable[[Words], tuple[Choice, ...]], prefix: Words = ()) -> list[Choice]:
    """Every choice of a grammar that is reached by first words."""
    found: list[Choice] = []
    for choice in choices(prefix):
        found.append(choice)
        if not choice.final and len(prefix) < 2:
            found += _walk(choices, (*prefix, choice.word))
    return found


def _judged(rules: AnyGame, state: Any, seat: Seat, words: Words) -> object:
    try:
        action = rules.read(state, seat, words)
        breaches = rules.judge(state, seat, action)
        return breaches or rules.apply(state, seat, action)[1]
    except Refusal as refusal:
        return refusal.text
