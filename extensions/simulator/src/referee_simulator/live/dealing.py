"""Follows the journal, and does the dealer's unwatched work, unknown to the referee."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import msgspec

from device.clock import Clock
from device.journal import Journal
from device.session.table import KnownGame
from engine.catalogue import AnyGame
from engine.entry import Act, Correct, Entry, Settle, Source, Start, Undo
from engine.game import Words
from engine.grammar import sentences
from engine.match import Match, PendingOrder, advance, begin
from engine.table import Seat
from referee_simulator.live.arranging import grant_pieces
from referee_simulator.live.believed_table import Agreed, Believed, standing
from referee_simulator.live.cards import hands_of, tidy_cards
from referee_simulator.live.hidden_pile import Turning, turned_up
from referee_simulator.live.laying import deal
from referee_simulator.live.live_stage import LiveStage
from referee_simulator.live.undoing import Back, way_back
from referee_simulator.table.ground_truth import Truth
from referee_simulator.table.holding import Holding
from referee_simulator.table.places import bodies_at

POLL_S = 0.2
_log = logging.getLogger(__name__)


class Done(msgspec.Struct, frozen=True):
    """A recorded action, with the states around it."""

    states: tuple[Any, Any]
    seat: Seat
    words: Words


class Lacking(LookupError):
    """The hand's cards cannot do what was ordered."""


class Dealing:
    """A table's dealer, match after match."""

    def __init__(
        self, stage: LiveStage, games: Mapping[str, KnownGame], journal: Journal, clock: Clock, *, helped: bool = False
    ) -> None:
        self._stage, self._games, self._journal, self._clock = stage, games, journal, clock
        self._helped = helped
        self._unseen: tuple[PendingOrder, ...] = ()
        """Orders that count as done without a hand, because nobody saw the table."""
        self._carried: PendingOrder | None = None
        """Last order that the hand carried out."""
        self._number: int | None = None
        self._read = 0
        self._known: KnownGame | None = None
        self._match: Match | None = None
        self._pending: list[Done] = []
        self._past: list[tuple[Any, Holding]] = []
        self._tidy: Holding | None = None
        self._believed: Believed | None = None
        self._turning: tuple[Match | None, Holding | None, Turning | None] = None, None, None
        self._listed: dict[Seat, tuple[Any, Holding, frozenset[Words] | None]] = {}
        self._ways_back: tuple[Back, ...] = ()
        """Reversals of the actions that can be undone."""
        self._backs: tuple[Back, ...] = ()
        stage.believed = self.agreed_table

    async def run(self) -> None:
        while True:
            self.look()
            await self._clock.sleep_until(self._clock.now() + POLL_S)

    def look(self) -> None:
        """Read new entries, and put cards in order once the table rests."""
        number, now = self._journal.current, self._clock.now()
        if number is None:
            self._stage.looked, self._stage.laid = {}, {}
            return
        if number != self._number:
            self._number, self._read, self._match = number, 0, None
        for entry in self._journal.entries(number)[self._read :]:
            self._hear(entry)
            self._read += 1
        if self._match is None or not self._stage.table.resting(now):
            return
        if self._stage.holding is not None:
            self._follow(self._stage.table.settle(now))
            self._put_in_order(self._stage.table.settle(now))
        if self._believed is not None and not self._unseen:
            self._believed.saw(self._match, self._stage.table.settle(now), self._stage.in_hand)

    @property
    def start(self) -> Start | None:
        going = self._journal.current is not None and self._match is not None and self._match.result is None
        return self._match.start if self._match is not None and going else None

    @property
    def pending(self) -> PendingOrder | None:
        """The order that a hand must still carry out, also after the match, or None."""
        if self._journal.current is None or self._match is None:
            return None
        return self._unseen[0] if self._unseen else self._match.pending

    def note_carried(self, pending: PendingOrder) -> None:
        self._carried = pending
        self._unseen = tuple(each for each in self._unseen if each != pending)

    def set_out(self) -> None:
        """Note that the table was laid as believed: nothing is pending."""
        self._unseen, self._carried = (), None

    @property
    def turning(self) -> Turning | None:
        """The action that a pile determines now, or None."""
        match, holding = self._match, self._stage.holding
        if self.start is None or match is None or len(self._pending) > self._waits:
            return None
        if self._turning[0] is not match or self._turning[1] is not holding:
            found = (
                None
                if holding is None or self._known is None
                else turned_up(self._known.game, holding, standing(match))
            )
            self._turning = match, holding, found
        return self._turning[2]

    @property
    def back(self) -> Back | None:
        """The undone action that the table still shows, or None."""
        return self._backs[0] if self._backs and self._laid else None

    def put_back(self, truth: Truth) -> bool:
        """Return True, and drop the first undone action, if the table already shows the state before it."""
        assert self._believed is not None
        lies = self._believed.lies(self._backs[0].state, truth)
        self._backs = self._backs[1:] if lies else self._backs
        return lies

    def right(self, truth: Truth) -> bool:
        """Return True if the table is as the match believes, or no match uses this mat."""
        if self.start is None or self._match is None or self._believed is None or not self._laid:
            return True
        return self._believed.lies(standing(self._match), truth)

    @property
    def _laid(self) -> bool:
        if self._journal.current is None or self._match is None or self._known is None:
            return False
        start = self._match.start
        table = self._known.spec.table(start.options, len(start.seats))
        return table is not None and table.mat == self._stage.mat.name

    def able(self, state: Any, seat: Seat, words: Words) -> bool:
        """Return True if the seat's cards allow this, or are unknown."""
        holding = self._held_by_now()
        try:
            return holding is None or holding.real(state, seat, words) is not None
        except (KeyError, ValueError, IndexError):
            return True

    def list_actions(self, game: AnyGame, state: Any, seat: Seat) -> frozenset[Words] | None:
        """Return the actions that a seat's known cards allow, none while one is pending; None if unknown or all are
        forbidden."""
        holding = self._held_by_now()
        if holding is None:
            return None
        if len(self._pending) > 0:
            return frozenset()
        known = self._listed.get(seat)
        if known is None or known[0] is not state or known[1] is not holding:
            known = self._listed[seat] = state, holding, _holds(game, holding, state, seat)
        return known[2]

    def _held_by_now(self) -> Holding | None:
        self.look()
        self._follow(self._stage.table.settle(self._clock.now()))
        return self._stage.holding

    def leaves_choice(self, pending: PendingOrder, truth: Truth) -> bool:
        """Return True if an order lays one of several hand cards face down, and its seat picked none."""
        self._follow(truth)
        seat, holding = pending.seat, self._stage.holding
        if holding is None or len(holding.hand(seat)) < 2 or self._stage.picked_piece(seat) is not None:
            return False
        words = holding.real(pending.state, seat, pending.words)
        return words is not None and len(holding.cards_laid_down(pending.state, seat, words, 0.0)) > 0

    def prepare_order(self, pending: PendingOrder, truth: Truth, chance: float) -> tuple[Truth, tuple[str, ...]]:
        """Lay the table prepared for an order; return it and the cards to lay face down. Raises Lacking."""
        stage = self._stage
        self._follow(truth)
        holding = stage.holding
        if holding is None or self._known is None:
            if stage.lost_count:
                truth, brought = grant_pieces(truth, stage.mat, pending.trace)
                stage.table.lay(truth)
                return truth, brought
            return truth, ()
        words = holding.real(pending.state, pending.seat, pending.words)
        if words is None:
            raise Lacking(pending.seat)
        brought = holding.cards_laid_down(pending.state, pending.seat, words, chance)
        picked = next((body.kind for body in truth.away if body.id == stage.picked_piece(pending.seat)), None)
        if len(brought) == 1 and picked is not None:
            brought = (picked,)
        try:
            action = self._known.game.read(pending.state, pending.seat, words)
            states = pending.state, self._known.game.apply(pending.state, pending.seat, action)[0]
            after = holding.after(states, pending.seat, words, brought)
        except (KeyError, ValueError, IndexError) as error:
            raise Lacking(pending.seat) from error
        truth = holding.rename_piles(truth, stage.mat)
        handled = bodies_at(pending.before, truth, stage.mat)
        truth = after.restack_piles(truth, stage.mat, pending.trace, handled, brought)
        stage.table.lay(truth)
        stage.in_hand = hands_of(truth, holding, stage.seats, stage.in_hand)
        return truth, brought

    def agreed_table(self) -> Agreed | None:
        """Return the table as the match believes it; None without a match or on another mat."""
        if self._match is None or self._believed is None or (self.start is None and self.pending is None):
            return None
        stage = self._stage
        agreed = self._believed.table(self._match, lambda: Agreed(None, stage.truth(), stage.in_hand))
        if agreed is None or stage.holding is None:
            return agreed
        hands = hands_of(agreed.truth, stage.holding, stage.seats, agreed.hands)
        return msgspec.structs.replace(agreed, hands=hands)

    def _hear(self, entry: Entry) -> None:
        if isinstance(entry, Start):
            self._known, self._pending, self._past = self._games[entry.game].playing(entry), [], []
            self._ways_back, self._backs, self._unseen = (), (), ()
            self._match, self._stage.looked = begin(self._known.game, entry), {}
            self._stage.deal(deal(self._known, entry), self._known.game.layout(self._match.state))
            self._believed = Believed(self._known, self._stage.mat)
        elif self._match is not None and self._known is not None:
            before, self._match = self._match, advance(self._known.game, self._match, entry)[0]
            self._turn_round(before, self._match, entry)
            if isinstance(entry, Act):
                self._stage.looked = {seat: seen for seat, seen in self._stage.looked.items() if seat != entry.seat}
                self._pending.append(Done((before.state, self._match.state), entry.seat, entry.words))
                if self._believed is not None and self._stage.holding is None:
                    self._believed.apply_action(before, self._match, entry.seat, entry.words)
            elif isinstance(entry, Undo):
                self._take_back(self._match.state)

    def _turn_round(self, before: Match, after: Match, entry: Entry) -> None:
        """Track undoable and undone actions; a camera action or correction explains all differences."""
        assert self._known is not None
        if isinstance(entry, Act | Undo):
            self._carried = None
        match entry:
            case Act(seat=seat, words=words, source=source):
                if len(after.past) > len(before.past):
                    self._ways_back = (*self._ways_back, way_back(self._known.game, before.state, seat, words))
                if source is Source.CAMERA:
                    self._backs, self._unseen = (), ()
            case Settle(source=Source.BUTTONS) if before.pending is not None and before.pending != self._carried:
                self._unseen = (*self._unseen, before.pending) if self._helped and self._stage.auto() == "off" else ()
            case Undo() if self._unseen and self._unseen[-1].state == after.state:
                self._unseen = self._unseen[:-1]
            case Undo() if self._ways_back:
                self._backs = (*self._backs, self._ways_back[-1])
                if self._believed is not None:
                    self._believed.forget(before.state)
            case Correct():
                self._backs, self._unseen = (), ()
        self._ways_back = self._ways_back[: len(after.past)]

    def _take_back(self, state: Any) -> None:
        if self._pending:
            self._pending.pop()
            return
        while self._past and self._past[-1][0] != state:
            self._past.pop()
        if self._past:
            self._stage.holding = self._past.pop()[1]

    @property
    def _waits(self) -> int:
        return len(self._unseen) + (self._match is not None and self._match.pending is not None)

    def _follow(self, truth: Truth) -> None:
        while len(self._pending) > self._waits and self._stage.holding is not None:
            done, holding = self._pending.pop(0), self._stage.holding
            self._past.append((done.states[0], holding))
            self._stage.holding = self._after(holding, done, truth)

    def _after(self, holding: Holding, done: Done, truth: Truth) -> Holding | None:
        """Return the cards after a recorded action; None if they cannot have done it."""
        try:
            words = holding.real(done.states[0], done.seat, done.words) or done.words
            return holding.after(done.states, done.seat, words, self._face_down_cards(done, truth))
        except (KeyError, ValueError, IndexError) as error:
            _log.warning("the dealer lost count at %s %s (%s): cards are moved by hand", done.seat, done.words, error)
            return None

    def _face_down_cards(self, done: Done, truth: Truth) -> tuple[str, ...]:
        assert self._known is not None
        game, (before, after) = self._known.game, done.states
        trace = game.trace(before, done.seat, game.read(before, done.seat, done.words))
        hidden = [m.target for m in trace.moves if m.source is None and m.target is not None]
        hidden = [spot for spot in hidden if (piece := trace.layout.at(spot)) is not None and piece.kind is None]
        lying = bodies_at(game.layout(after), truth, self._stage.mat) if hidden else {}
        return tuple(lying[spot].kind for spot in hidden)

    def _put_in_order(self, truth: Truth) -> None:
        stage, match = self._stage, self._match
        if stage.holding is None or match is None or self._known is None:
            return
        if stage.auto() == "off":
            if stage.holding is self._tidy:
                return  # nothing was recorded since: people moved things
            shown = self._known.game.layout(match.state)
            new = None if self._waits else tidy_cards(truth, stage.mat, stage.holding, shown)
            if new is None:
                return
            if new != truth:
                stage.table.lay(new)
            truth, self._tidy = new, stage.holding
        stage.in_hand = hands_of(truth, stage.holding, stage.seats, stage.in_hand)


def _holds(game: AnyGame, holding: Holding, state: Any, seat: Seat) -> frozenset[Words] | None:
    try:
        return frozenset(words for words in sentences(game, state, seat) if holding.holds(state, seat, words)) or None
    except (KeyError, ValueError, IndexError):
        return None
