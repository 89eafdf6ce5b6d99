"""The running table as the panel sees it."""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import msgspec

from device.clock import Clock
from device.lessons import LessonCard
from device.session.table import KnownGame
from engine.entry import Start
from engine.table import Arrangement, Face, Layout, Seat
from engine.text import Text, say
from referee_simulator.hands.scripts import Script, rehearse
from referee_simulator.hands.writer import Writer
from referee_simulator.live import cards
from referee_simulator.live.believed_table import Agreed
from referee_simulator.live.laying import TableSetOut, lay_out, usual
from referee_simulator.live.placing import closed_up, neat, zone_at
from referee_simulator.live.table_parts import Fittings, Parts
from referee_simulator.panel.requests import MENDED
from referee_simulator.panel.stage import Teacher
from referee_simulator.table.ground_truth import Body, Shape, Truth, looks, lying, put
from referee_simulator.table.holding import Holding
from referee_simulator.table.places import Pose, care_in, jitter_pose, zones
from referee_simulator.table.scenes import Scene
from referee_simulator.table.virtual import GONE, Refused, VirtualTable
from vision.mat import Mat, MatZone

TROUBLE_S = 60.0

LOG_S = 10.0

PICK = say("Tap the card to lay face down.")
LOST_COUNT = say("The cards were mixed up: the ones shown as yours may be wrong.")
_log = logging.getLogger(__name__)


class LiveStage(Fittings):
    """A `Stage`, which begins with its mat laid for a match.

    holding: the dealer's real cards; None without a dealer, or after it lost count
    in_hand: each seat's real cards
    teacher: runs lessons, if any"""

    teacher: Teacher | None = None

    def __init__(
        self,
        games: Mapping[str, KnownGame],
        game: str,
        seats: tuple[Seat, ...],
        mat: Mat,
        *,
        scene: Scene,
        parts: Parts,
        clock: Clock,
    ) -> None:
        self._games, self._game = games, game
        super().__init__(seats, parts, clock)
        self.note: Text | None = None
        self.holding: Holding | None = None
        self.dealt: Holding | None = None
        """Cards of the last deal."""
        self.in_hand: cards.Hands = {}
        self.chosen = ""
        """Game that is being set up."""
        self._picked: dict[Seat, int] = {}
        self.lacks: Mapping[Seat, Text] = {}
        """Reasons by seat for which an order is not carried out."""
        self.laid: Mapping[Seat, str] = {}
        """Card that chance laid face down for a seat."""
        self.looked: Mapping[Seat, tuple[Body, ...]] = {}
        """Pieces that the hand looked at for a seat, until its next action."""
        self.waits: Text | None = None
        """Reason for which no hand acts at all."""
        self.times_set_out = 0
        """Times that people set the table out."""
        self.believed: Callable[[], Agreed | None] = lambda: None
        """The table and hands as a running match believes them, or None."""
        self.conceals = False
        self._closed: set[str] = set()
        self._homes: dict[Seat, MatZone | None] = {}
        """Zone that each held piece came from."""
        self._times_laid = 0
        self._first_light = scene
        self._broke = self._logged = -math.inf
        self._rng = random.Random(scene.seed)
        self.table = self._spread(mat, scene)

    def change_mat(self, mat: Mat) -> None:
        if mat != self.table.mat:
            faults = self.table.faults
            self.table = self._spread(mat, self.table.scene)
            self.table.faults = faults

    def _spread(self, mat: Mat, scene: Scene) -> VirtualTable:
        sides = mat.sides.get(str(len(self.seats)), {})
        return VirtualTable(mat, self._set_out(mat, scene).truth, scene, sides)

    def _set_out(self, mat: Mat, scene: Scene, start: Start | None = None) -> TableSetOut:
        self._times_laid += 1
        known, by_default = usual(self._games, self._games[self._game], mat, self.seats, scene.seed)
        fresh = lay_out(known, start or by_default, mat, scene, self._times_laid)
        self.conceals, self._homes = fresh.conceals, {}
        piles = [zone for zone in mat.zones if zone.order is Arrangement.PILE]
        self._closed = {zone.name for zone in piles if any(b.face is Face.DOWN for b in lying(fresh.truth, zone))}
        self._hand_out(fresh.truth, fresh.holding)
        return fresh

    def _hand_out(self, truth: Truth, holding: Holding | None) -> None:
        self.holding = self.dealt = holding
        self.lacks, self.laid = {}, {}
        self.in_hand = {} if holding is None else cards.hands_of(truth, holding, self.seats, {})

    @property
    def mat(self) -> Mat:
        return self.table.mat

    def truth(self) -> Truth:
        return self.table.truth(self._clock.now())

    def hands(self) -> Mapping[Seat, tuple[Body, ...]]:
        if self.chosen and all(table.mat != self.mat.name for table in self._games[self.chosen].spec.tables):
            return {}
        away = {body.id: body for body in self.truth().away}
        return {
            seat: tuple(away[ident] for ident in held if ident in away) for seat, held in sorted(self.in_hand.items())
        }

    def pick(self, seat: Seat, ident: int) -> None:
        if all(body.id != ident for body in self.hands().get(seat, ())):
            raise KeyError(ident)
        self._picked[seat] = ident

    def picked_piece(self, seat: Seat) -> int | None:
        ident = self._picked.get(seat)
        return ident if any(body.id == ident for body in self.hands().get(seat, ())) else None

    def must_pick(self, seat: Seat) -> bool:
        """Return True if an order waits until the seat picks the card to lay face down."""
        return self.lacks.get(seat) == PICK

    @property
    def lost_count(self) -> bool:
        """True if the dealer no longer knows the cards."""
        return self.dealt is not None and self.holding is None

    def told_to(self, seat: Seat) -> tuple[Text, ...]:
        lost = LOST_COUNT if self.lost_count else None
        found = (self.lacks.get(seat), self.waits, lost, self._laid_for(seat))
        return tuple(text for text in found if text is not None)

    def _laid_for(self, seat: Seat) -> Text | None:
        """Return the sentence that names a seat's card laid by chance, while hidden."""
        card = self.laid.get(seat, "")
        hidden = any(body.kind == card and self._is_hidden(body) for body in self.truth().bodies)
        return say("Laid face down for you: {card}.", card=Text(card)) if hidden else None

    def shown_to(self, seat: Seat) -> tuple[Body, ...]:
        return self.looked.get(seat, ())

    def _is_hidden(self, body: Body) -> bool:
        zone = zone_at(self.mat, body, body.x, body.y)
        return body.face is Face.DOWN and (zone is None or zone.order is not Arrangement.PILE)

    def lay(self) -> None:
        self.times_set_out += 1
        self._lay()

    def _lay(self) -> None:
        self._broke = -math.inf
        agreed = self.believed()
        if agreed is None:
            self.table.lay(self._set_out(self.mat, self.table.scene).truth)
            return
        self.table.lay(agreed.truth)
        self.in_hand, self._homes = agreed.hands, {}

    @property
    def trouble(self) -> Text | None:
        return MENDED if self._clock.now() < self._broke + TROUBLE_S else self.waits

    @contextmanager
    def mending(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001  # logged and told on the pages
            self._mend(error)

    def _mend(self, error: Exception) -> None:
        now = self._clock.now()
        if now > self._logged + LOG_S:
            self._logged = now
            _log.error("the virtual table made an error; it is set out again", exc_info=error)
        self.play("off")
        self.wanted_scene = self._first_light
        try:
            self._lay()
        except Exception:  # noqa: BLE001  # the error above is the one to tell of
            self.table.lay(self._set_out(self.mat, self._first_light).truth)
        self._broke = now

    def prepare(self, start: Start) -> None:
        """Lay the table for the coming match, unless it looks right or another mat is needed."""
        known = self._games[start.game].playing(start)
        shown = known.game.layout(known.game.setup(start.options, start.seats, start.seed))
        if any(zone.zone not in zones(self.mat) for zone in shown.zones):
            return
        if looks(self.table.settle(self._clock.now()), self.mat, shown):
            return
        self.table.lay(self._set_out(self.mat, self.table.scene, start).truth)

    def deal(self, holding: Holding | None, shown: Layout) -> None:
        """Gather and deal these cards, if their piles are on this mat. Nothing visible moves if the table looks like
        `shown`."""
        if holding is not None and all(zone in zones(self.mat) for zone in holding.stacks):
            before = self.table.settle(self._clock.now())
            renamed = cards.tidy_cards(before, self.mat, holding, shown) if looks(before, self.mat, shown) else None
            truth = renamed or cards.deal_cards(before, self.mat, holding, shown)
            self.table.lay(truth)
            self._hand_out(truth, holding)

    def learn(self, seat: Seat, wish: str) -> None:
        if self.teacher is not None:
            self.teacher.learn(seat, wish)

    def lesson(self, seat: Seat) -> LessonCard | None:
        return None if self.teacher is None else self.teacher.card(seat)

    def teaches(self, seat: Seat) -> bool:
        return self.teacher is not None and self.teacher.offers(seat)

    def take(self, seat: Seat, ident: int, pile: bool = False) -> None:
        now = self._clock.now()
        self.table.check_free((ident,), now, seat)
        truth = self.table.truth(now)
        body = truth.body(ident)
        home = zone_at(self.mat, body, body.x, body.y)
        here = lying(truth, home) if pile and home is not None and home.order is Arrangement.PILE else ()
        self.table.take(seat, ident, now, tuple(each.id for each in here if each.id != ident))
        self._homes[seat] = home

    def bring(self, seat: Seat, ident: int, up: bool, x: float, y: float) -> None:
        now = self._clock.now()
        body = next((each for each in self.hands().get(seat, ()) if each.id == ident), None)
        if body is None:
            raise KeyError(ident)
        face = Face.UP if up else Face.DOWN
        self.table.bring(seat, msgspec.structs.replace(body, x=x, y=y, angle=0.0, face=face), now)
        self.in_hand = _without(self.in_hand, (ident,))
        self._homes[seat] = None

    def carry(self, seat: Seat, x: float, y: float) -> None:
        self.table.carry(seat, x, y)

    def drop(self, seat: Seat, x: float, y: float) -> None:
        """Drop tidily (see `placing`); on a pile a card gets the pile's face."""
        now, grip = self._clock.now(), self.table.grip(seat)
        if grip is None:
            return
        ident, home = grip.body.id, self._homes.pop(seat, None)
        body = self.table.truth(now).body(ident)
        zone = zone_at(self.mat, body, x, y)
        pose = neat(self.table.truth(now), self.mat, body, x, y, home)
        self.table.drop(seat, *pose[:2], now, pose[2])
        truth = self.table.still(now)
        if zone is not None and zone.order is Arrangement.PILE:
            body = msgspec.structs.replace(body, face=Face.DOWN if zone.name in self._closed else Face.UP)
        for each in (*grip.under, ident):
            flat = msgspec.structs.replace(truth.body(each), x=pose[0], y=pose[1], angle=pose[2], face=body.face)
            truth = put(truth, flat)
        pushed: tuple[int, ...] = ()
        if zone is not None and zone.order is Arrangement.SPLAY:
            truth, pushed = closed_up(truth, self.mat, zone.name, self.table.handled_ids(now))
        self.table.arrange(truth, seat, (*grip.under, *pushed), now)

    def keep(self, seat: Seat) -> None:
        self._homes.pop(seat, None)
        taken = self.table.keep(seat, self._clock.now())
        if taken:
            others = _without(self.in_hand, taken)
            self.in_hand = {**others, seat: (*others.get(seat, ()), *taken)}

    def flip(self, seat: Seat, ident: int) -> None:
        """Turn a piece over by a hand that the camera sees. Raises KeyError or Refused."""
        now = self._clock.now()
        self.table.check_free((ident,), now)
        body = self.table.still(now).body(ident)
        hand = Writer(self.table.sides[seat], now, self.mat.size_mm, self._rng, look=ord(seat) * 7, pace=1.5)
        hand.turn(body, self._back(body))
        hand.leave()
        self.table.act((hand.script(),))

    def peek(self, seat: Seat, ident: int) -> str:
        return self.table.peek(seat, ident, self._clock.now())

    def lower(self, seat: Seat) -> None:
        now, grip = self._clock.now(), self.table.grip(seat)
        if grip is not None:
            x, y, angle = self._back(grip.body)
            self.table.drop(seat, x, y, now, angle)

    def _back(self, body: Body) -> Pose:
        here = body.x, body.y, body.angle
        return here if body.shape is Shape.CARD else jitter_pose(self._rng, here, care_in(self.table.scene).back())

    def act(self, scripts: tuple[Script, ...]) -> None:
        """Begin scripts; people put these pieces back first. Raises Refused if one is in use or absent."""
        now = self._clock.now()
        handled = frozenset(ident for script in scripts for ident in script.pieces)
        self.table.loosen(handled, now)
        self.table.check_free(handled, now)
        try:
            rehearse(self.table.still(now), scripts)
        except KeyError as error:
            raise Refused(GONE) from error
        self.table.act(scripts)


def _without(hands: cards.Hands, idents: tuple[int, ...]) -> cards.Hands:
    return {seat: tuple(each for each in held if each not in idents) for seat, held in hands.items()}
