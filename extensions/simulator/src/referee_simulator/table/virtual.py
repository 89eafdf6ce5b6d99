"""The virtual table: pieces, hands and camera."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import msgspec
import numpy as np

from engine.errors import RefereeError
from engine.table import Seat
from engine.text import Text, say
from referee_simulator.hands.scripts import Script, Stroke, finish, homeward, perform
from referee_simulator.hands.writer import ABOVE_MM, CARRY_MM, GRIP_MM
from referee_simulator.render.camera import SIZE, Renderer
from referee_simulator.render.hand import FROM, Hand
from referee_simulator.table.ground_truth import Body, Truth, lift, move, put, remove
from referee_simulator.table.scenes import Scene
from vision.camera import Frame, Image
from vision.mat import Mat

PEEK_DEG = 60.0
OUTSIDE_MM = 190.0
LEAVES_S = (0.2, 0.5)
"""Seconds that a hand stays after release, and takes home."""

REMEMBERED = 40


AT_WORK = say("Another hand is busy there. Wait a moment.")
HELD = say("Somebody holds that already.")
FULL = say("This hand holds something already.")
GONE = say("It is no longer there.")


class Refused(RefereeError):
    """A hand cannot act now; nothing changed."""

    def __init__(self, text: Text) -> None:
        super().__init__(str(text))
        self.text = text


class Faults(msgspec.Struct, frozen=True):
    """Camera faults. glare: a burst, 0..255."""

    gone: bool = False
    frozen: bool = False
    black: bool = False
    glare: float = 0.0


class Grip(msgspec.Struct, frozen=True):
    """A held piece. peek: tipped in place. under: pieces taken along from below."""

    seat: Seat
    body: Body
    x: float
    y: float
    since: float
    peek: bool = False
    under: tuple[int, ...] = ()


class VirtualTable:
    """A mat with pieces under a camera. Times never go back; one hand at a time handles a piece."""

    def __init__(
        self, mat: Mat, truth: Truth, scene: Scene, sides: dict[Seat, str], size: tuple[int, int] = SIZE
    ) -> None:
        """sides: each seat's edge of the mat."""
        self.mat, self.scene, self.sides = mat, scene, sides
        self.faults = Faults()
        self._size = size
        self._truth = truth
        self._scripts: tuple[Script, ...] = ()
        self._done: tuple[Script, ...] = ()
        self._grips: dict[Seat, Grip] = {}
        self._leaving: dict[Seat, Script] = {}
        self._renderer: Renderer | None = None
        self._last: Image | None = None
        self._serial = 0

    # What lies there.

    def truth(self, at: float) -> Truth:
        return self._now(at)[0]

    def resting(self, at: float) -> bool:
        return not self._grips and all(script.ends <= at for script in (*self._scripts, *self._leaving.values()))

    def busy_until(self) -> float:
        return max((script.ends for script in self._scripts), default=0.0)

    def at_work(self, at: float) -> frozenset[int]:
        """Return pieces that scripts handle now or later."""
        self._settle(at)
        return frozenset(ident for script in self._scripts for ident in script.pieces)

    def handled_ids(self, at: float) -> frozenset[int]:
        return self.at_work(at).union(*(_gripped_ids(grip) for grip in self._grips.values()))

    def scripts_since(self, since: float) -> tuple[Script, ...]:
        return tuple(script for script in (*self._done, *self._scripts) if script.ends > since)

    def lay(self, truth: Truth) -> None:
        """Replace the table unseen, and drop all work."""
        self._truth, self._scripts, self._grips, self._leaving = truth, (), {}, {}

    # Scripted hands.

    def act(self, scripts: Iterable[Script]) -> None:
        self._scripts = (*self._scripts, *scripts)

    # Hands that a person moves.

    def check_free(self, idents: Iterable[int], at: float, seat: Seat | None = None) -> None:
        """Raise Refused if a piece is in use or the seat's hand full."""
        if seat in self._grips:
            raise Refused(FULL)
        wanted = frozenset(idents)
        if wanted & self.at_work(at):
            raise Refused(AT_WORK)
        if any(wanted & _gripped_ids(grip) for grip in self._grips.values()):
            raise Refused(HELD)

    def take(self, seat: Seat, ident: int, at: float, under: tuple[int, ...] = ()) -> None:
        """Grasp a piece and those `under` it. Raises Refused, or KeyError for an absent piece or seat."""
        if seat not in self.sides:
            raise KeyError(seat)
        self.check_free((ident, *under), at, seat)
        body, *_ = (self._truth.body(each) for each in (ident, *under))
        self._grasp(Grip(seat, body, body.x, body.y, at, under=under))

    def bring(self, seat: Seat, body: Body, at: float) -> None:
        """Bring a piece from elsewhere. Raises Refused."""
        self.check_free((body.id,), at, seat)
        self._truth = put(self._truth, body)
        self._grasp(Grip(seat, body, body.x, body.y, at))

    def grip(self, seat: Seat) -> Grip | None:
        return self._grips.get(seat)

    def loosen(self, idents: frozenset[int], at: float) -> None:
        """Make people put back these pieces."""
        for seat in [seat for seat, grip in self._grips.items() if idents & _gripped_ids(grip)]:
            self.lower(seat, at)

    def carry(self, seat: Seat, x: float, y: float) -> None:
        if seat in self._grips:
            self._grips[seat] = msgspec.structs.replace(self._grips[seat], x=x, y=y)

    def drop(self, seat: Seat, x: float, y: float, at: float, angle: float | None = None) -> None:
        """Lay down the held piece, but not those under it; the hand leaves."""
        grip = self._grips.pop(seat, None)
        if grip is not None:
            self._truth = move(self._truth, grip.body.id, x, y, angle)
            self._let_go(grip, at)

    def arrange(self, truth: Truth, seat: Seat, touched: Iterable[int], at: float) -> None:
        """Set the table as the seat's hand arranged it, touching these pieces without lifting."""
        self._truth = truth
        here = [truth.body(ident) for ident in touched]
        strokes = tuple(Stroke(0.01, (b.x, b.y, 0.0), (b.x, b.y, 0.0), (b.id,)) for b in here)
        if strokes:
            self._done = (*self._done, Script(self.sides[seat], at - 0.01 * len(strokes), strokes))[-REMEMBERED:]

    def keep(self, seat: Seat, at: float) -> tuple[int, ...]:
        """Take the held pieces away; return their ids, () for an empty hand."""
        grip = self._grips.pop(seat, None)
        if grip is None:
            return ()
        taken = (grip.body.id, *grip.under)
        for ident in taken:
            self._truth = remove(self._truth, ident)
        self._let_go(grip, at)
        return taken

    def peek(self, seat: Seat, ident: int, at: float) -> str:
        """Lift a piece towards the seat, and return its kind. Raises as `take`."""
        self.take(seat, ident, at)
        grip = self._grips[seat]
        self._grips[seat] = msgspec.structs.replace(grip, peek=True)
        return grip.body.kind

    def lower(self, seat: Seat, at: float) -> None:
        grip = self._grips.pop(seat, None)
        if grip is not None:
            self._let_go(grip, at)

    def _grasp(self, grip: Grip) -> None:
        self._grips[grip.seat] = grip
        self._leaving.pop(grip.seat, None)

    def _let_go(self, grip: Grip, at: float) -> None:
        """Record the person's work as a script; the hand goes home."""
        start, stop = (grip.body.x, grip.body.y, CARRY_MM), (grip.x, grip.y, CARRY_MM)
        stroke = Stroke(max(at - grip.since, 0.01), start, stop, (grip.body.id,), (CARRY_MM, CARRY_MM))
        work = Script(self.sides[grip.seat], at - stroke.lasts, (stroke,))
        self._done = (*self._done, work)[-REMEMBERED:]
        self._leaving[grip.seat] = self._way_home(grip, at)

    def _way_home(self, grip: Grip, at: float) -> Script:
        """Return the script of a leaving hand, slow enough for the camera."""
        hand, (width, height) = self._hand(grip), self.mat.size_mm
        fx, fy = FROM[hand.side]
        here = (hand.x, hand.y, hand.height)
        there = (hand.x + fx * (width + OUTSIDE_MM), hand.y + fy * (height + OUTSIDE_MM), hand.height)
        stays, leaves = LEAVES_S
        return Script(hand.side, at, (Stroke(stays, here, here), Stroke(leaves, here, there)), look=hand.look)

    # The camera.

    def see(self, scene: Scene) -> None:
        self.scene = scene
        self._renderer = None

    def frame(self, at: float, dimmed: float = 0.0) -> Frame | None:
        """Return a frame; None while the camera is gone. dimmed: see `Sensor.expose`."""
        if self.faults.gone:
            return None
        self._serial += 1
        image = self._picture(at, dimmed)
        self._last = image
        return Frame.of(self._serial, at, image)

    def jpeg(self, at: float, quality: int = 80) -> bytes | None:
        frame = self.frame(at)
        return None if frame is None else encode_jpeg(frame.image, quality)

    def _picture(self, at: float, dimmed: float) -> Image:
        if self.faults.frozen and self._last is not None:
            return self._last
        if self.faults.black:
            width, height = self._size
            return np.zeros((height, width, 3), dtype=np.uint8)
        truth, hands = self._now(at)
        self._renderer = self._renderer or Renderer(self.mat, self.scene, self._size)
        return self._renderer.picture(truth, hands, at, self._serial, self.faults.glare, dimmed)

    def _now(self, at: float) -> tuple[Truth, tuple[Hand, ...]]:
        truth, hands = perform(self._truth, self._scripts, at)
        for grip in self._grips.values():
            truth = self._hold(truth, grip)
        _, leaving = perform(truth, self._leaving.values(), at)
        return truth, (*hands, *leaving, *(self._hand(grip) for grip in self._grips.values()))

    def _settle(self, at: float) -> None:
        unfinished: list[Script] = []
        handled: set[int] = set()
        for script in self._scripts:
            rest = homeward(script, at)
            if handled & script.pieces or (rest is None and script.ends > at):
                unfinished.append(script)
                handled |= script.pieces
                continue
            self._done = (*self._done, script)[-REMEMBERED:]
            self._truth = finish(self._truth, (script,))
            if rest is not None:
                unfinished.append(rest)
        self._scripts = tuple(unfinished)

    def _hold(self, truth: Truth, grip: Grip) -> Truth:
        if grip.peek:
            side = self.sides[grip.seat]
            towards = PEEK_DEG if side in ("bottom", "left") else -PEEK_DEG
            axis = 0.0 if side in ("bottom", "top") else 90.0
            return lift(truth, grip.body.id, CARRY_MM / 2, towards, axis)
        return lift(move(truth, grip.body.id, grip.x, grip.y), grip.body.id, CARRY_MM)

    def _hand(self, grip: Grip) -> Hand:
        side = self.sides[grip.seat]
        fx, fy = FROM[side]
        look = sum(map(ord, grip.seat)) * 7
        height = CARRY_MM + grip.body.thickness + ABOVE_MM
        return Hand(side, grip.x + fx * GRIP_MM, grip.y + fy * GRIP_MM, height, grip=1.0, look=look)

    def settle(self, at: float) -> Truth:
        """Return the table after all scripts; forget completed ones."""
        self._settle(at)
        return finish(self._truth, self._scripts)

    def still(self, at: float) -> Truth:
        """Return the table without unfinished work."""
        self._settle(at)
        return self._truth


def _gripped_ids(grip: Grip) -> frozenset[int]:
    return frozenset((grip.body.id, *grip.under))


def encode_jpeg(image: Image, quality: int = 80) -> bytes:
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise ValueError(f"a picture of {image.shape} cannot be encoded")
    return data.tobytes()
