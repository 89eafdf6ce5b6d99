"""Turns frames into reports, without processes, sockets or clocks."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Mapping

import msgspec
import numpy as np

from engine.table import Face, Health, Observation, Seat
from vision.camera import Frame, Image, Pyramid
from vision.cards.piles import no_place
from vision.cards.tracks import CARD_TRACKS, Cards
from vision.exposure import Exposure
from vision.finding.accuracy import errors_mm
from vision.finding.discs import MIN_APART
from vision.hands.gate import Gate
from vision.hands.handlog import HandLog
from vision.look_schedule import Doubts, tells_more
from vision.mat import Mat
from vision.messages import Report
from vision.picture_checks import Watch
from vision.recognition.naming import PieceSet, Recogniser
from vision.registration.lens import Lens, Points
from vision.registration.markers import Locator, MarkerFit, lies_instead, mats_like
from vision.registration.rectify import Projection, corner_projection
from vision.registration.sharpness import Focus
from vision.registration.steady import Steady
from vision.step_timing import Parts, TimedStep, Times, run_together
from vision.survey import MatSurvey, RestView
from vision.tracking.false_finds import Newcomers
from vision.tracking.motion import NEAR_MM
from vision.tracking.tracker import Tracker, TrackUpdate

STILL_HAND_S = 3.0
"""Seconds until a motionless object over the edge is no hand."""

BUMPED_HAND_S = 1.0
"""The same after mat or camera moved."""

RENEW_S = 5.0
"""Interval at rest for renewing the reference picture, against slow light."""

SHAKING_S = 5.0
"""Seconds of motion without hands that indicate an unsteady camera or lamp."""

BLIND_S = 2.0
"""Seconds without a usable picture after which face-down pieces are lost."""


Seen = tuple[Health, Observation | None]
"""Result of a picture."""


class SceneSetup(msgspec.Struct, frozen=True):
    """Configuration of a mat with its sets."""

    mat: Mat
    zones: tuple[str, ...]
    sets: Mapping[str, PieceSet]
    recognisers: Mapping[str, Recogniser]
    sides: Mapping[Seat, str]


def least_apart_mm(sets: Iterable[PieceSet]) -> float:
    """Return the least distance of two pieces, cards excepted; NEAR_MM if all are cards."""
    pieces = [one for one in sets if one.shape != "card"]
    smallest = {one.name: min((one.size_mm[0], *one.sizes_mm.values())) for one in pieces}
    apart = (MIN_APART * smallest[one.name] if one.shape == "disc" else NEAR_MM for one in pieces)
    return min(apart, default=NEAR_MM)


def how_many(sets: Iterable[PieceSet], copies: int) -> int | None:
    """Return the number of pieces except cards; None if a set may repeat kinds."""
    pieces = [one for one in sets if one.shape != "card"]
    return copies * sum(len(one.kinds) for one in pieces) if all(one.unique for one in pieces) else None


def single_kinds(sets: Iterable[PieceSet], copies: int) -> tuple[str, ...]:
    """Return the kinds that are there once, cards excepted."""
    return tuple(kind for one in sets if one.unique and one.shape != "card" and copies == 1 for kind in one.kinds)


class Scene:
    """Observes the table. corners_px: of a mat without markers."""

    def __init__(self, lens: Lens | None = None, corners_px: Points | None = None, times: Times | None = None) -> None:
        self._lens = lens
        self._corners = corners_px
        self.times = times or Times()
        """Milliseconds per step."""
        self.watched: SceneSetup | None = None
        """Configuration from `setup`."""
        self.others: dict[str, Mat] = {}
        """Known mats by name, to notice a wrong one."""
        self.exposure: Exposure | None = None
        """Exposure control, if any."""
        self._serial = 0
        self._last_track = self._last_card = 0
        self._picture = Pyramid(np.zeros((0, 0), np.uint8))
        self._start()

    def _start(self) -> None:
        self._gate, self._watch = Gate(), Watch()
        watched = self.watched
        pieces, copies = (watched.sets.values(), watched.mat.copies) if watched is not None else ((), 1)
        self._tracker = Tracker(
            self._last_track, least_apart_mm(pieces), how_many(pieces, copies), single_kinds(pieces, copies)
        )
        self._cards = Cards(max(CARD_TRACKS, self._last_card))
        self._newcomers, self._log = Newcomers(), HandLog()
        self._survey: MatSurvey | None = None
        self._fit: MarkerFit | None = None
        self.observation: Observation | None = None
        """Latest observation."""
        self.bare: Pyramid | None = None
        """Picture of the observation that the last frame completed; None with a hand or an unknown object in it."""
        self._locator = Locator(watched.mat, self._lens) if watched is not None else None
        self._busy, self._due, self._bumped = False, True, False
        self._elsewhere = False
        """Mat or camera moved since the last reported rest."""
        self._renewed_at = 0.0
        self._restless_since: float | None = None
        """Timestamp of the first motion without a hand."""
        self._had_hand = False
        self._doubts, self._unclear = Doubts(), False
        self._looking: Generator[None, None, Seen] | None = None
        self._sighted_at: float | None = None
        self._focus = Focus()
        self._steady: Steady | None = None

    def setup(
        self,
        mat: Mat,
        sets: Mapping[str, PieceSet],
        recognisers: Mapping[str, Recogniser],
        sides: Mapping[Seat, str],
        zones: tuple[str, ...] = (),
        others: Iterable[Mat] = (),
    ) -> None:
        """Select the mat and sets; forget what was seen, but use no track number twice.

        sets, recognisers: by set name.
        zones: to report; all if empty.
        others: all known mats.
        """
        names = zones or tuple(zone.name for zone in mat.zones)
        self._last_track = max(self._last_track, self._tracker.newest)
        self._last_card = max(self._last_card, self._cards.newest)
        self.watched = SceneSetup(mat, names, sets, recognisers, sides)
        self.others = mats_like(mat, others)
        self._start()

    def rebase(self) -> None:
        """Forget touches and names; observe with the next picture at rest."""
        self._tracker.forget()
        self._log, self._looking = HandLog(), None
        self._due = True
        if self._survey is not None:
            self._survey.forget()

    def observe_again(self) -> None:
        """Observe with the next picture at rest; cancel a second look."""
        self._looking = self._looking if self._busy or self._due else None
        self._due = True

    @property
    def survey(self) -> MatSurvey | None:
        """Return the geometry in use; None before the mat is found."""
        return self._survey

    def errors_mm(self, places: Points, pieces: PieceSet) -> Points:
        """Return pieces' position error bounds (see `accuracy`); zeros before a fit. places: N x 2 mm."""
        if self._fit is None or self.watched is None:
            return np.zeros(len(places))
        return errors_mm(self._fit, self.watched.mat, places, pieces, measured_lens=self._lens is not None)

    @property
    def gain(self) -> tuple[float, float, float] | None:
        """Return the gain (B, G, R) at the last rest relative to the locked exposure; None before an observation."""
        return self._survey.gain if self._survey is not None and self.observation is not None else None

    @property
    def dazzled(self) -> bool:
        """Return True if the white patch is clipped."""
        return self._survey is not None and self._survey.dazzled

    @property
    def hiding(self) -> bool:
        """Return True if a piece, other than a card, is face down."""
        return any(track.look.face is Face.DOWN for track in self._tracker.tracks)

    @property
    def moving(self) -> bool:
        """Return True from motion until the rest after it is reported."""
        return self._busy

    @property
    def looking(self) -> bool:
        """Return True while an observation continues."""
        return self._looking is not None

    @property
    def instead(self) -> str:
        """Return the name of another mat found instead, or ""."""
        return lies_instead(self._locator, self.others)

    @property
    def unfound(self) -> Health:
        """Return why the mat was not found."""
        mirrored = self._locator is not None and self._locator.is_mirrored(self._picture.gray())
        return Health.MIRRORED if mirrored else Health.NO_MAT

    @property
    def blurred(self) -> bool:
        """Return True if the mat's last picture was less sharp than usual."""
        return self._focus.blurred

    def feed(self, frame: Frame) -> Report:
        """Process a frame; return its report. Raises LensUnfit."""
        start = time.perf_counter()
        self.times.begin()
        self.bare = None
        health, observation = self._see(frame)
        if health is not Health.OK:
            self.observe_again()
        spent = (time.perf_counter() - start) * 1000
        instead = self.instead if health is Health.NO_MAT else ""
        ms = round(spent, 2)
        return Report(frame.serial, frame.at, self.moving, health, observation, ms, instead, looking=self.looking)

    def finish(self) -> Observation | None:
        """Complete and return the pending observation, if any, when no picture follows."""
        if self._looking is None:
            return None
        self.times.begin()
        _, observation = self._look_on(self._looking, Health.OK, at_once=True)
        return observation

    def still(self, frame: Frame) -> Observation | None:
        """Observe a single picture as at rest; None without the mat, or if another lies instead. Raises LensUnfit."""
        self.times.begin()
        return self._still(frame)

    @TimedStep("other")
    def _still(self, frame: Frame) -> Observation | None:
        self._picture = frame.picture
        if self.watched is None or not self._locate_still(frame) or self.instead:
            return None
        self._bumped, self._elsewhere, self._sighted_at = False, True, frame.at
        run_together(self._settle(frame, Health.OK))
        return self.observation

    def _locate_still(self, frame: Frame) -> bool:
        """Find the mat in this very picture, perhaps from another place."""
        located = self._locate(frame)
        if self._corners is not None or self._locator is None or self._locator.is_confirmed():
            return located
        self._locator.forget()
        return self._locate(frame)

    @TimedStep("other")
    def _see(self, frame: Frame) -> Seen:
        self._picture = frame.picture
        health = self._watch.judge(frame)
        if health is Health.DARK and self.exposure is not None:
            self.exposure.note_darkness(frame.at, frame.brightness)
        if health in (Health.DARK, Health.NO_FRAMES) or self.watched is None:
            return health, None
        self._gate.feed(self._steady_picture(frame), frame.at)
        if self._survey is None and not self._locate(frame):
            return self.unfound, None
        second = not (self._busy or self._due)  # motion has priority over a second look
        if self._looking is None or self._gap(frame.at) or (second and self._gate.moving):
            return self._watch_picture(frame, health)
        self._sighted_at = frame.at
        told = self._look_on(self._looking, health, at_once=self._gate.moving)
        if not self._gate.moving:
            return told
        _, observation = told  # the rest is over: report it before the new motion
        health, _ = self._watch_picture(frame, health)
        return health, observation

    @TimedStep("mat")
    def _steady_picture(self, frame: Frame) -> Image:
        locator = self._locator
        steady = self._steady
        if locator is None or steady is None or self._survey is None or locator.fit_for(frame.image) is None:
            return frame.small
        height, width = frame.image.shape[:2]
        seen = locator.track_markers(frame.image)
        move = steady.move(locator.places, seen, (width, height), resting=not self._gate.moving)
        if steady.lasting and self._locate(frame) and not self._bumped:
            self._gate.forget()
        if move is not None:
            self._picture = steady.lay_over(frame.picture, move)
        return self._picture.small() if steady.trembles else frame.small  # all of them averaged down alike

    def _watch_picture(self, frame: Frame, health: Health) -> Seen:
        self._looking = None
        self._busy |= self._gate.moving
        self._mind_gap(frame.at)
        looks = self._busy or self._due or self._doubts.due(frame.at)
        if looks and not self._clear(frame, health):
            if health is Health.GLARE and not self._gate.moving:
                self._adjust_exposure(frame)
            return self._unseen(frame.at, health), None
        self._sighted_at = frame.at
        if not self._gate.moving:
            return self._at_rest(frame, health)
        hand = self._follow(frame)
        return Health.SHAKING if health is Health.OK and self._shakes(frame.at, hand) else health, None

    def _shakes(self, at: float, hand: bool) -> bool:
        if hand and self._had_hand:
            self._restless_since = None
        elif self._restless_since is None:
            self._restless_since = at
        self._had_hand = hand
        return self._restless_since is not None and at - self._restless_since > SHAKING_S

    def _at_rest(self, frame: Frame, health: Health) -> Seen:
        self._restless_since = None
        if self._busy:
            return self._perhaps_settle(frame, health)
        if self._due:
            return self._look_on(self._settle(frame, health), health)
        if self._doubts.due(frame.at):
            return self._look_on(self._look_again(frame, health), health)
        if frame.at - self._renewed_at >= RENEW_S:
            self._renew(frame)
        return health, None

    def _look_on(self, looking: Generator[None, None, Seen], health: Health, *, at_once: bool = False) -> Seen:
        """Continue observing for one picture, or to the end. health: of this picture."""
        self._looking = looking
        try:
            next(looking)
            while at_once:
                next(looking)
        except StopIteration as done:
            self._looking = None
            told: Seen = done.value
            return told
        return health, None

    def _clear(self, frame: Frame, health: Health) -> bool:
        found = self._locate(frame)
        seen = self._locator.seen if self._locator is not None else {}
        blurred = found and self._focus.is_blurred(self._picture.gray(), seen, frame.at)
        return health is not Health.GLARE and not blurred and self._mat_in_sight()

    def _mat_in_sight(self) -> bool:
        return self._corners is not None or (self._locator is not None and bool(self._locator.seen))

    def _unseen(self, at: float, health: Health) -> Health:
        long = self._sighted_at is not None and at - self._sighted_at > BLIND_S
        return Health.NO_MAT if health is Health.OK and long and not self._mat_in_sight() else health

    def _mind_gap(self, at: float) -> None:
        if self._gap(at):
            self._tracker.blind()
            self._due = True

    def _gap(self, at: float) -> bool:
        return self._sighted_at is not None and at - self._sighted_at > BLIND_S

    @TimedStep("mat")
    def _locate(self, frame: Frame) -> bool:
        assert self.watched is not None
        assert self._locator is not None
        height, width = frame.image.shape[:2]
        if self._corners is not None:
            if self._survey is None:
                lens = self._lens.scale(width, height) if self._lens is not None else None
                projection = corner_projection(self._corners, self.watched.mat.size_mm, width, height, lens)
                self._adopt(MarkerFit(projection, frozenset(), 0.0), frame, elsewhere=False)
            return True
        before = self._locator.fit_for(frame.image)
        fit, jumped = self._locator.look(self._picture.gray())
        self._bumped, self._elsewhere = self._bumped or jumped, self._elsewhere or jumped
        self._focus = Focus() if jumped else self._focus
        if fit is not None and fit is not before:
            more = before is not None and len(fit.ids) > len(before.ids)
            if before is not None and more and not self._elsewhere:  # after a bump that fit was not reported yet
                self._carry(before.projection, fit.projection)
            self._adopt(fit, frame, elsewhere=self._bumped or before is None)
        return fit is not None

    def _carry(self, before: Projection, now: Projection) -> None:
        """Keep tracks' image positions under a fit with more markers."""

        def carry(x_mm: float, y_mm: float) -> tuple[float, float]:
            x, y = now.millimetres(before.pixels(np.array([[x_mm, y_mm]])))[0].tolist()
            return x, y

        self._tracker.refit(carry)
        self._cards.refit(carry)

    def _adopt(self, fit: MarkerFit, frame: Frame, *, elsewhere: bool) -> None:
        """Survey with a new fit. elsewhere: image positions or sizes changed."""
        watched = self.watched
        assert watched is not None
        trembles = self._steady is not None and self._steady.trembles
        self._fit, self._steady = fit, Steady(self._picture, trembles=trembles)
        before = self._survey
        mat, zones, sets, recognisers = watched.mat, watched.zones, watched.sets, watched.recognisers
        sides = frozenset(watched.sides.values())
        self._survey = MatSurvey(fit.projection, mat, zones, sets, recognisers, sides=sides, times=self.times)
        if before is not None:
            self._survey.hands.reference = before.hands.reference
            self._survey.lit_as(before)
            if elsewhere and (cards := before.card_finder) is not None:
                self._cards.reset_after_move(cards)
        self._gate.mask = self._survey.gate_mask(frame.small.shape, frame.image.shape)

    def _follow(self, frame: Frame) -> bool:
        assert self._survey is not None
        sight, spotted = self._survey.glimpse(self._picture)
        self._log.note(sight)
        self._tracker.follow(spotted, sight.bare, frame.at, len(sight.sides))
        return sight.present

    def _perhaps_settle(self, frame: Frame, health: Health) -> Seen:
        assert self._survey is not None
        sight, spotted = self._survey.glimpse(self._picture)
        until_s = BUMPED_HAND_S if self._elsewhere else STILL_HAND_S
        if self._gate.quiet_s < until_s and not self._survey.without_hands(self._picture, sight):
            self._log.note(sight)
            self._tracker.follow(spotted, sight.bare, frame.at, len(sight.sides))
            return health, None
        return self._look_on(self._settle(frame, health), health)

    def _look_again(self, frame: Frame, health: Health) -> Generator[None, None, Seen]:
        before, doubts = self.observation, self._doubts
        health, observation = yield from self._settle(frame, health)
        if observation is None or before is None:
            return health, observation
        doubts.note_look(observation, unclear=self._unclear)
        self._doubts = doubts
        return health, observation if tells_more(before, observation) else None

    @Parts("other")
    def _settle(self, frame: Frame, health: Health) -> Generator[None, None, Seen]:
        """Observe the table at rest, yielding before slow steps; skip a faulty picture."""
        if self._bumped or health is not Health.OK:
            health = Health.BUMPED if self._bumped else health
            self._bumped, self._due = False, True
            return health, None
        if self._adjust_exposure(frame):
            self._busy = self._due = True
            return health, None
        survey, watched = self._survey, self.watched
        assert survey is not None
        assert watched is not None
        before = {track.number: track for track in (*self._tracker.tracks, *self._cards.tracks)}
        picture = self._picture
        kept_off = no_place if self._elsewhere else self._log.kept_off
        seen = yield from survey.observe(picture, self._cards, self._level, kept_off)
        discs = self._tracks(seen, frame.at)
        survey.cover(discs.tracks)
        self._log.drop_false_hands(seen.sight)
        settled = discs.join_update(seen.cards)
        self._serial += 1
        self.observation = observation = Observation(
            serial=self._serial,
            at=frame.at,
            zones=survey.zone_sights(settled.tracks, self.observation.zones if self.observation is not None else ()),
            touched=self._log.sign_touches(settled, before, watched.sides, seen.sight),
            lost=settled.lost,
            hands=self._log.seats(watched.sides, bool(settled.touched)),
            strays=survey.strays(settled.tracks, seen.blobs),
            health=health,
        )
        self.bare = None if seen.sight.present or observation.strays else picture
        self._log = HandLog()
        self._busy, self._due, self._bumped, self._elsewhere = False, False, False, False
        self._renewed_at = frame.at
        self._doubts = Doubts()
        self._doubts.note_look(observation, unclear=settled.unclear)
        self._unclear = settled.unclear
        return health, observation

    def _adjust_exposure(self, frame: Frame) -> bool:
        """Change the exposure if needed; return True while a changed picture is awaited."""
        survey, exposure = self._survey, self.exposure
        if survey is None or exposure is None:
            return False
        burnt, white = survey.burnt_mm2(self._picture), survey.white(self._picture)
        return exposure.waits(burnt, white, frame.at, frame.brightness)

    @property
    def _level(self) -> float:
        return self.exposure.level if self.exposure is not None else 1.0

    @TimedStep("tracks")
    def _tracks(self, seen: RestView, at: float) -> TrackUpdate:
        looks = self._newcomers.accept_looks(seen.looks, self._tracker.tracks, seen.sight.altered_share)
        return self._tracker.settle(looks, seen.sight.bare, at)

    def _renew(self, frame: Frame) -> None:
        if not self._locate(frame) or self._bumped or not self._mat_in_sight():
            self._due = True
            return
        assert self._survey is not None
        self._survey.renew(self._picture, self._level)
        self._renewed_at = frame.at
