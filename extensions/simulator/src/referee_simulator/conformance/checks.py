"""The checks: each takes a game as played, and says in sentences what it lacks; none: it passes."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product
from operator import itemgetter
from random import Random
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace

from engine import entry as entries
from engine import match as matches
from engine.arbiter import Evidence
from engine.arbiter.compare import Sieve
from engine.arbiter.expectation import carry, expectation_of
from engine.entry import Act, Entry, Start
from engine.errors import Ambiguous, Illegal, Invalid, Refusal
from engine.game import ANYTHING, Attempt, Choice, Words, ZonePrefilter
from engine.rules import Rules, in_menus
from engine.table import Layout, Observation, Piece, Seat, Sight, Sighting, Spot, Trace, ZoneSight
from referee_simulator.conformance.physics import faults
from referee_simulator.conformance.playouts import Playout, Step, encode_value, sentences_of, visible
from referee_simulator.conformance.said import all_said, halves, languages_of, menus, texts, translated_nowhere
from referee_simulator.conformance.way import Play

Check: TypeAlias = "Callable[[Play], Iterator[str]]"


def every_sentence_is_in_the_catalogues(play: Play) -> Iterator[str]:
    """Each sentence is whole, and translated into every language of the game."""
    said = {text.message for text in texts(play.rules.reference(play.options))}
    for step in play.sample(play.way.sampled):
        every = all_said(play, step)
        yield from (f"{step}: {fault}" for fault in halves(every))
        said |= {text.message for text in texts(every)}
    for language, message in translated_nowhere(said, languages_of(play.spec)):
        yield f"no catalogue of the language {language} has the sentence {message!r}"


# --- the course of a match


def random_playouts_end(play: Play) -> Iterator[str]:
    """A match played at random ends."""
    for each in play.playouts if play.way.ends else ():
        if play.rules.outcome(each.last) is None:
            yield f"match {each.seed} has no outcome after {len(each.steps)} actions"


def an_outcome_ends_everything(play: Play) -> Iterator[str]:
    """An outcome has text, and winners who played; then nobody may act, and menus and `attempts` are empty."""
    for each, outcome in _finished_playouts(play):
        where = f"match {each.seed}, after its end"
        if not outcome.winners <= frozenset(play.seats):
            yield f"{where}: {sorted(outcome.winners)} won, but {', '.join(play.seats)} played"
        if not str(outcome.text):
            yield f"{where}: the outcome has no text"
        if play.rules.actors(each.last):
            yield f"{where}: {', '.join(sorted(play.rules.actors(each.last)))} may act"
        if any(play.rules.choices(each.last, seat) for seat in play.seats):
            yield f"{where}: a menu offers something"
        if list(play.rules.attempts(each.last)):
            yield f"{where}: `attempts` names something"


def what_comes_after_the_end_is_refused_by_a_clause(play: Play) -> Iterator[str]:
    """Actions after the end are refused as such, by a clause of the rules."""
    for each, outcome in list(_finished_playouts(play))[:5]:
        match = replace(_match_at(play, each.steps[-1]), state=each.last, result=outcome)
        for seat in play.seats:
            for words in play.corpus[::5]:
                if play.read_words(each.last, seat, words) is not None:
                    yield from _check_refusal(play, match, seat, words, "The match is over.")


def actors_are_seats_that_can_act(play: Play) -> Iterator[str]:
    """`actors` names exactly those whose menus offer something, at least one while a match goes on."""
    for step in play.steps:
        actors = play.rules.actors(step.state)
        if not actors or not actors <= frozenset(play.seats):
            yield f"{step}: {sorted(actors)} act, but {', '.join(play.seats)} play"
        for seat in play.seats:
            if bool(play.rules.choices(step.state, seat)) != (seat in actors):
                yield f"{step}: {seat} {'may act and has no menu' if seat in actors else 'has a menu and may not act'}"


def who_gives_up_acts_no_more(play: Play) -> Iterator[str]:
    """A seat that resigns acts no more; this is told, and the match ends or is left to others."""
    for step in play.sample(play.way.sampled):
        for seat in play.seats:
            state, events = play.rules.resign(step.state, seat)
            if seat in play.rules.actors(state):
                yield f"{step}: {seat} resigned and may still act"
            if not events:
                yield f"{step}: nobody is told that {seat} resigned"
            if not play.rules.actors(state) and play.rules.outcome(state) is None:
                yield f"{step}: after {seat} resigned nobody may act, and there is no outcome"


def replay_equals_live_to_the_byte(play: Play) -> Iterator[str]:
    """A replayed journal gives the same states, byte by byte."""
    for each in play.playouts[:3]:
        journal = tuple(_journal(play, each))
        live, _ = matches.begin(play.rules, _start(play, each.seed)), None
        for number, (entry, state) in enumerate(zip(journal[1:], each.states[1:], strict=True), 1):
            live, _ = matches.advance(play.rules, live, entry)
            if encode_value(live.state) != encode_value(state):
                yield f"match {each.seed}: action {number} leads to another state when it is played again"
        decoded = [entries.decode(entries.encode(entry)) for entry in journal]
        if matches.encode(matches.replay(play.rules, decoded)) != matches.encode(live):
            yield f"match {each.seed}: its journal, read again, leads to another state"


# --- words and actions


def menus_offer_legal_actions_that_read_back(play: Play) -> Iterator[str]:
    """Menus offer legal actions, and `words` and `read` are inverse."""
    for step in play.sample(play.way.sampled):
        for seat in sorted(play.rules.actors(step.state)):
            for words, action in play.legal(step.state, seat).items():
                if violations := play.rules.judge(step.state, seat, action):
                    yield f"{step}: {seat} is offered {_quote(words)}, against {violations[0].clause}"
                if play.rules.words(step.state, action) != words:
                    yield f"{step}: {_quote(words)} is written {_quote(play.rules.words(step.state, action))}"
                if play.rules.read(step.state, seat, words) != action:
                    yield f"{step}: {_quote(words)} is read as another action the second time"


def menus_have_no_two_equal_items(play: Play) -> Iterator[str]:
    """A menu's items differ in word and in text; a word has no blanks."""
    for step in play.sample(play.way.sampled):
        for _, choices in menus(play, step.state, step.seat):
            words = [choice.word for choice in choices]
            if len(set(words)) != len(words):
                yield f"{step}: two items of a menu have the same word: {', '.join(words)}"
            if len({str(choice.text) for choice in choices}) != len(choices):
                yield f"{step}: two items of a menu read alike: {', '.join(str(choice.text) for choice in choices)}"
            yield from (f"{step}: {word!r} is no word" for word in words if not word or re.search(r"\s", word))


def menus_lead_to_what_is_played(play: Play) -> Iterator[str]:
    """No menu is empty, and the menus offer every action of random play."""
    for step in play.sample(play.way.sampled):
        for prefix, choices in menus(play, step.state, step.seat):
            if not choices:
                yield f"{step}: {f'the menu after {_quote(prefix)}' if prefix else 'the first menu'} is empty"
        if step.words not in play.legal(step.state, step.seat):
            yield f"{step}: it was drawn at random, and no menu offers it"


def menus_reach_every_legal_action(play: Play) -> Iterator[str]:
    """Menus offer whatever was said in any match and is legal now, by anybody."""
    for step in play.sample(play.way.sampled):
        for seat in play.seats:
            offered = set(play.legal(step.state, seat).values())
            for words in play.corpus:
                action = play.read_words(step.state, seat, words)
                if action is not None and action not in offered and not play.rules.judge(step.state, seat, action):
                    yield f"{step}: {_quote(words)} of {seat} is legal, and no menu offers it"


def what_is_not_offered_is_refused(play: Play) -> Iterator[str]:
    """An action that no menu offers is refused with a sentence and a clause of the rules."""
    for step in play.sample(play.way.sampled // 3):
        match = _match_at(play, step)
        for seat in play.seats:
            offered = set(play.legal(step.state, seat).values())
            for words in play.corpus:
                action = play.read_words(step.state, seat, words)
                if action is not None and action not in offered:
                    yield from _check_refusal(play, match, seat, words)


def nonsense_is_invalid_or_ambiguous(play: Play) -> Iterator[str]:
    """Random words are refused, or are an action that reads back."""
    rng = Random(4)
    known = sorted({word for words in play.corpus for word in words})
    for _ in range(300):
        step, seat = rng.choice(play.steps), rng.choice(play.seats)
        words = tuple(_nonsense(rng, known) for _ in range(rng.randrange(6)))
        action = play.read_words(step.state, seat, words)
        if action is None:
            continue
        play.rules.judge(step.state, seat, action)
        again = play.rules.words(step.state, action)
        if play.rules.read(step.state, seat, again) != action:
            yield f"{step}: {_quote(words)} is read as an action that is written {_quote(again)} and read otherwise"


def menus_after_nonsense_are_empty(play: Play) -> Iterator[str]:
    """Nothing follows an unknown word or a whole action."""
    for step in play.sample(play.way.sampled):
        for words in (("no such word",), step.words):
            if play.rules.choices(step.state, step.seat, words):
                yield f"{step}: a menu offers something after {_quote(words)}"


# --- the table


def a_trace_ends_in_the_layout_after_the_action(play: Play) -> Iterator[str]:
    """An action's trace ends in the layout that the rules expect after it."""
    for step in play.steps:
        action = play.rules.read(step.state, step.seat, step.words)
        after, _ = play.rules.apply(step.state, step.seat, action)
        if play.rules.trace(step.state, step.seat, action).layout != play.rules.layout(after):
            yield f"{step}: its trace ends in another layout than the state after it has"


def traces_hold_together(play: Play) -> Iterator[str]:
    """A trace's moves and turns make its layout from the one before."""
    for step in play.sample(play.way.sampled):
        before = play.rules.layout(step.state)
        for seat, words, trace in play.traces(step.state):
            yield from (f"{step}: trace of {_quote(words)} of {seat}: {fault}" for fault in faults(before, trace))


def layouts_hide_what_is_face_down(play: Play) -> Iterator[str]:
    """A layout names no kind of a face-down piece."""
    for step in play.steps:
        for zone in play.rules.layout(step.state).zones:
            if any(piece and piece.face != "up" and piece.kind is not None for piece in zone.pieces):
                yield f"{step}: {zone.zone} tells what lies face down"


def actions_that_look_alike_are_listed(play: Play) -> Iterator[str]:
    """No two legal actions leave the same trace, unless declared, unseen or listed as lookalikes."""
    for step in play.sample(play.way.sampled):
        groups = defaultdict(set)
        for seat, words, trace in play.traces(step.state):
            if not trace.declared and not trace.unseen:
                groups[encode_value((trace, sorted(trace.hands)))].add((seat, words))
        for group in groups.values():
            if len(group) > 1 and frozenset(words[0] for _, words in group) not in play.way.lookalikes:
                alike = " and ".join(f"{_quote(words)} of {seat}" for seat, words in sorted(group))
                yield f"{step}: {alike} leave the same trace: set `declared`, or list them as lookalikes"


def attempts_are_illegal_and_possible(play: Play) -> Iterator[str]:
    """Every action that `attempts` names is possible, breaks clauses and looks like nothing legal."""
    for step in play.sample(play.way.sampled // 2):
        before = play.rules.layout(step.state)
        legal = [trace for _, _, trace in play.traces(step.state) if not trace.declared]
        for attempt in play.rules.attempts(step.state):
            told = f"{step}: attempt {attempt.kind!r}"
            yield from (f"{told} {fault}" for fault in _ill(play, before, attempt))
            if attempt.by not in play.seats:
                yield f"{told} is made by {attempt.by}, who does not play"
            if any(_could_be(attempt.trace, trace) for trace in legal):
                yield f"{told} looks like a legal action"
            yield from (f"{told} {fault}" for fault in _miswritten(play, step.state, attempt))


def attempts_name_whatever_a_look_leaves_possible(play: Play) -> Iterator[str]:
    """Attempts given a look leave out only what it rules out: the rest is the same, in the same order."""
    if not _takes_a_look(play.rules.attempts):
        yield "`attempts` takes no look: write it `attempts(self, state, look=ANYTHING)`, with ANYTHING of engine.game"
        return
    rng = Random(5)
    for step in play.sample(play.way.sampled // 2):
        before = play.rules.layout(step.state)
        every = tuple(play.rules.attempts(step.state))
        done = [trace for _, _, trace in play.traces(step.state)][:1]
        done += {attempt.kind: attempt.trace for attempt in rng.sample(every, len(every))}.values()
        for trace, unclear in product((trace for trace in done if not trace.unseen), (0.0, 0.1)):
            look = _look(rng, before, trace.layout, unclear)
            possible = [attempt for attempt in every if look.passes(attempt.trace.layout)]
            named = [a for a in play.rules.attempts(step.state, look) if look.passes(a.trace.layout)]
            if lost := next((attempt for attempt in possible if attempt not in named), None):
                yield f"{step}: with a look `attempts` leaves out {lost.kind!r} of {lost.by}, which the look passes"
            elif named != possible:
                yield f"{step}: with a look `attempts` names more of what that passes than without, or in another order"


def what_a_camera_may_tell_is_what_menus_offer(play: Play) -> Iterator[str]:
    """The arbiter looks for the menus' actions, in their order, and sight of one done does not rule it out."""
    rules = play.rules
    if not isinstance(rules, Rules):
        return
    for step in play.sample(play.way.sampled):
        for seat in sorted(rules.actors(step.state)):
            offered = (
                (words, rules.trace(step.state, seat, action)) for words, action in play.legal(step.state, seat).items()
            )
            told = [(words, trace) for words, trace in offered if not trace.declared]
            found = in_menus(rules.visible_actions(step.state, seat, ANYTHING), itemgetter(0))
            if found != told:
                yield f"{step}: to the arbiter {seat} may do otherwise than by the menus: see `declared`, `may_be_seen`"
            for words, trace in told:
                if words not in dict(rules.visible_actions(step.state, seat, _Done(trace))):
                    yield f"{step}: `may_be_seen` of {_quote(words)} of {seat} rules out what is seen when it is done"


class _Done(NamedTuple):
    trace: Trace

    def is_touched(self, spot: Spot) -> bool:
        return spot in self.trace.handled

    def lies(self, zone: str, piece: Piece) -> bool:
        return any(piece in each.pieces for each in self.trace.layout.zones if each.zone == zone)

    def only(self, *zones: str) -> bool:
        return {spot.zone for spot in self.trace.handled | self.trace.touched} <= set(zones)


def orders_can_be_carried_out_wrongly_in_possible_ways_only(play: Play) -> Iterator[str]:
    """Everything that `misexecutions` names is possible, breaks clauses and does not look like the order."""
    for step in play.sample(play.way.sampled):
        before = play.rules.layout(step.state)
        action = play.rules.read(step.state, step.seat, step.words)
        due = play.rules.trace(step.state, step.seat, action)
        for attempt in play.rules.misexecutions(step.state, step.seat, action):
            told = f"{step}: misexecution {attempt.kind!r}"
            yield from (f"{told} {fault}" for fault in _ill(play, before, attempt))
            if _could_be(attempt.trace, due):
                yield f"{told} looks like the order"


def the_arbiter_can_carry_every_trace(play: Play) -> Iterator[str]:
    """The arbiter can place each piece after a trace."""
    for step in play.sample(play.way.sampled // 3):
        layout = play.rules.layout(step.state)
        spots = [Spot(z.zone, i) for z in layout.zones for i, p in enumerate(z.pieces) if p is not None]
        start = expectation_of(layout, {spot: number for number, spot in enumerate(spots)})
        traces = [trace for _, _, trace in play.traces(step.state)]
        for trace in (*traces, *(attempt.trace for attempt in play.rules.attempts(step.state))):
            after = carry(start, trace)
            if [len(zone) for _, _, zone in after.zones] != [len(zone.pieces) for zone in trace.layout.zones]:
                yield f"{step}: a trace leads to {trace.layout}, and the arbiter to {after}"


# --- what is shown


def views_read_well(play: Play) -> Iterator[str]:
    """Every audience's view has a prompt and no gap in its sentences, and is the same when asked for twice."""
    states = [state for each in play.playouts[:3] for state in each.states]
    for state in Random(3).sample(states, min(len(states), 5 * play.way.sampled)):
        for seat in (*play.seats, None):
            view = play.rules.view(state, seat)
            if encode_value(view) != encode_value(play.rules.view(state, seat)):
                yield f"the view of {seat or 'the table'} differs when it is asked for twice"
            if view.prompt is None:
                yield f"the view of {seat or 'the table'} has no prompt: {view.facts}"
            yield from (f"a view reads {text!r}" for text in sentences_of(view) if not text or "{" in text)


def the_reference_card_reads_well(play: Play) -> Iterator[str]:
    """The reference card has pages, none of them empty or with an empty line."""
    pages = play.rules.reference(play.options)
    if not pages:
        yield "there is no reference card"
    if not all(page and all(str(line).strip() for line in page) for page in pages):
        yield "a page of the reference card is empty, or has an empty line"


def there_are_secrets_to_keep(play: Play) -> Iterator[str]:
    """A twin, if given, nearly always differs from its state: else the next checks prove nothing."""
    if play.way.twin is None:
        return
    pairs = [(step.state, other) for step, _, other, _ in play.pairs()]
    differ = sum(encode_value(state) != encode_value(other) for state, other in pairs)
    if differ <= 0.9 * len(pairs):
        yield f"only {differ} of {len(pairs)} states have a twin that differs"


def views_do_not_interfere(play: Play) -> Iterator[str]:
    """States that differ only in what a seat must not know give it the same bytes in views and menus (law 5)."""
    for step, seat, other, _ in play.pairs():
        if encode_value(play.rules.view(step.state, seat)) != encode_value(play.rules.view(other, seat)):
            yield f"{step}: the view of {seat or 'the table'} tells what it must not know"
        if seat is not None and _offered_menus(play, step.state, seat) != _offered_menus(play, other, seat):
            yield f"{step}: the menus of {seat} tell what it must not know"


def events_and_refusals_do_not_interfere(play: Play) -> Iterator[str]:
    """Twins tell refusals, and events that reveal nothing, in the same words."""
    for step, seat, other, rng in play.pairs(share=4):
        words = rng.choice((step.words, rng.choice(play.corpus)))
        here, there = (_learned_by(play, state, step.seat, words, seat) for state in (step.state, other))
        if here is not None and there is not None and here != there:
            yield f"{step}: what {seat or 'the table'} is told of {_quote(words)} tells what it must not know"


def corrections_do_not_interfere(play: Play) -> Iterator[str]:
    """A correction tells nobody what is hidden, unless it reveals something to everybody."""
    for step, seat, other, rng in play.pairs(share=4) if play.corrects() else ():
        words = _correction(play, rng, step.state)
        if words:
            results = [play.rules.correct(state, words) for state in (step.state, other)]
            if any(event.reveals and event.audience is None for _, events in results for event in events):
                continue
            here, there = (encode_value((play.rules.view(s, seat), visible(e, seat))) for s, e in results)
            if here != there:
                yield f"{step}: the correction {_quote(words)} tells {seat or 'the table'} what it must not know"


def corrections_that_make_no_sense_are_refused(play: Play) -> Iterator[str]:
    """`correct` refuses nonsense."""
    for step in play.sample(10):
        for words in ((), ("no such word",)):
            try:
                play.rules.correct(step.state, words)
            except Refusal:
                continue
            yield f"{step}: {_quote(words)} is taken for a correction"


def corrected_states_play_on(play: Play) -> Iterator[str]:
    """A correction is told; then the match is over, or whoever may act has a menu."""
    for step, _, _, rng in play.pairs(share=4) if play.corrects() else ():
        words = _correction(play, rng, step.state)
        if not words:
            continue
        state, events = play.rules.correct(step.state, words)
        if not events:
            yield f"{step}: nobody is told of the correction {_quote(words)}"
        play.rules.layout(state)
        actors = sorted(play.rules.actors(state))
        for seat in actors:
            if not play.legal(state, seat):
                yield f"{step}: after {_quote(words)} {seat} may act and has no menu"
        if bool(actors) == (play.rules.outcome(state) is not None):
            yield f"{step}: after {_quote(words)} the match neither goes on nor is over"


CHECKS: tuple[Check, ...] = (
    every_sentence_is_in_the_catalogues,
    random_playouts_end,
    an_outcome_ends_everything,
    what_comes_after_the_end_is_refused_by_a_clause,
    actors_are_seats_that_can_act,
    who_gives_up_acts_no_more,
    replay_equals_live_to_the_byte,
    menus_offer_legal_actions_that_read_back,
    menus_have_no_two_equal_items,
    menus_lead_to_what_is_played,
    menus_reach_every_legal_action,
    what_is_not_offered_is_refused,
    nonsense_is_invalid_or_ambiguous,
    menus_after_nonsense_are_empty,
    a_trace_ends_in_the_layout_after_the_action,
    traces_hold_together,
    layouts_hide_what_is_face_down,
    actions_that_look_alike_are_listed,
    attempts_are_illegal_and_possible,
    attempts_name_whatever_a_look_leaves_possible,
    what_a_camera_may_tell_is_what_menus_offer,
    orders_can_be_carried_out_wrongly_in_possible_ways_only,
    the_arbiter_can_carry_every_trace,
    views_read_well,
    the_reference_card_reads_well,
    there_are_secrets_to_keep,
    views_do_not_interfere,
    events_and_refusals_do_not_interfere,
    corrections_do_not_interfere,
    corrections_that_make_no_sense_are_refused,
    corrected_states_play_on,
)


def _finished_playouts(play: Play) -> Iterator[tuple[Playout, Any]]:
    for each in play.playouts:
        if (outcome := play.rules.outcome(each.last)) is not None:
            yield each, outcome


def _journal(play: Play, each: Playout) -> Iterator[Entry]:
    yield _start(play, each.seed)
    for number, step in enumerate(each.steps, 1):
        yield Act(float(number), step.seat, step.words)


def _start(play: Play, seed: int) -> Start:
    return Start(0.0, play.spec.name, dict(play.options), play.seats, seed)


def _match_at(play: Play, step: Step) -> matches.Match:
    return replace(matches.begin(play.rules, _start(play, 0)), state=step.state)


def _check_refusal(play: Play, match: matches.Match, seat: Seat, words: Words, said: str = "") -> Iterator[str]:
    told = f"{_quote(words)} of {seat} must be refused"
    try:
        matches.advance(play.rules, match, Act(match.at, seat, words))
    except Illegal as refusal:
        if said not in str(refusal) or not str(refusal):
            yield f"{told} with {said or 'a sentence'}, not with {str(refusal)!r}"
        if not refusal.clauses or (strange := play.unknown(iter(refusal.clauses))):
            yield f"{told} by a clause of the rules, not by {', '.join(strange) if refusal.clauses else 'none'}"
    else:
        yield f"{told}, but it was accepted"


def _nonsense(rng: Random, known: list[str]) -> str:
    drawn = rng.randrange(3)
    if drawn == 0:
        return rng.choice(known)
    if drawn == 1:
        return str(rng.randint(-3, 99))
    return "".join(chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x3000)))) for _ in range(rng.randrange(6)))


def _ill(play: Play, before: Layout, attempt: Attempt) -> Iterator[str]:
    if not attempt.violations:
        yield "breaks no clause"
    for clause in play.unknown(breach.clause for breach in attempt.violations):
        yield f"breaks {clause}, which the rules do not have"
    if not all(str(breach.text) for breach in attempt.violations):
        yield "breaks a clause without a sentence"
    yield from (f"is impossible: {fault}" for fault in faults(before, attempt.trace))


def _takes_a_look(attempts: Callable[..., object]) -> bool:
    try:
        inspect.signature(attempts).bind(None, None)
    except TypeError:
        return False
    return True


def _look(rng: Random, before: Layout, after: Layout, unclear: float) -> ZonePrefilter:
    """Return the prefilter of a look at `after`. unclear: share of covered or unknown pieces."""

    def sighting(piece: Piece | None) -> Sighting | None:
        if piece is None:
            return None
        clear = rng.random() >= unclear
        sight = Sight.SEEN if clear else rng.choice((Sight.COVERED, Sight.UNKNOWN))
        return Sighting(0, piece.kind if clear else None, piece.face, sight, 1.0, 0.0, 0.0, 0.0)

    zones = (ZoneSight(zone.zone, zone.order, tuple(map(sighting, zone.pieces))) for zone in after.zones)
    return Sieve(Evidence(expectation_of(before, {}), Observation(1, 0.0, tuple(zones))), before)


def _miswritten(play: Play, state: Any, attempt: Attempt) -> Iterator[str]:
    if not attempt.words:
        return
    action = play.rules.read(state, attempt.by, attempt.words)
    broken = {breach.clause for breach in play.rules.judge(state, attempt.by, action)}
    if not broken:
        yield f"is written {_quote(attempt.words)}, which is legal"
    elif not broken <= {breach.clause for breach in attempt.violations}:
        yield f"is written {_quote(attempt.words)}, which breaks {', '.join(sorted(broken))}, and it does not say so"


def _offered_menus(play: Play, state: Any, seat: Seat) -> bytes:
    return encode_value(tuple(menus(play, state, seat)))


def _learned_by(play: Play, state: Any, actor: Seat, words: Words, seat: Seat | None) -> bytes | None:
    """Return what `seat` learns of an action; None if it reveals something."""
    try:
        action = play.rules.read(state, actor, words)
        violations = play.rules.judge(state, actor, action)
        if violations:
            return encode_value(violations)
        after, events = play.rules.apply(state, actor, action)
    except (Invalid, Ambiguous) as refusal:
        return encode_value((refusal.text, refusal.clauses))
    if any(event.reveals for event in events):
        return None
    return encode_value((visible(events, seat), play.rules.view(after, seat)))


def _correction(play: Play, rng: Random, state: Any) -> Words:
    words: Words = ()
    while choices := play.rules.corrections(state, words):
        chosen: Choice = rng.choice(choices)
        words = (*words, chosen.word)
        if chosen.final:
            return words
    return ()


def _could_be(attempt: Trace, legal: Trace) -> bool:
    """Return True if a camera could confuse the traces."""
    hands = not attempt.hands or not legal.hands or attempt.hands & legal.hands
    same = (attempt.layout, attempt.moves, attempt.turned, attempt.lifted) == (
        legal.layout,
        legal.moves,
        legal.turned,
        legal.lifted,
    )
    return bool(same and hands)


def _quote(words: Words) -> str:
    return repr(" ".join(words))
