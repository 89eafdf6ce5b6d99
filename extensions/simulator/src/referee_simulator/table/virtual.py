"""The virtual table: pieces, the hands over them, and the camera that looks at both."""

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
"""How long a person's hand stays after it has let go, and how long it is on its way home."""

REMEMBERED = 40
"""Works of hands that are over, as far back as anybody may still ask for them."""


AT_WORK = say("Another hand is busy there. Wait a moment.")
HELD = say("Somebody holds that already.")
FULL = say("This hand holds something already.")
GONE = say("It is no longer there.")


class Refused(RefereeError):
    """A hand cannot do now what it was asked to do; `text` says why. Nothing has changed."""

    def __init__(self, text: Text) -> None:
        super().__init__(str(text))
        self.text = text


class Faults(msgspec.Struct, frozen=True):
    """What is wrong with the camera. gone: no frames at all. frozen: the same frame again. glare: a burst, 0..255."""

    gone: bool = False
    frozen: bool = False
    black: bool = False
    glare: float = 0.0


class Grip(msgspec.Struct, frozen=True):
    """A piece that somebody holds by hand (not by a script) since a time.

    peek: if it is tipped to be looked at in its place. under: the pieces that come with it, from below it.
    """

    seat: Seat
    body: Body
    x: float
    y: float
    since: float
    peek: bool = False
    under: tuple[int, ...] = ()


class VirtualTable:
    """One mat with its pieces under one camera. Times are those that are handed in, and never go back.

    Every piece is handled by one hand at a time: by that of a script, or by one that a person moves.
    """

    def __init__(
        self, mat: Mat, truth: Truth, scene: Scene, sides: dict[Seat, str], size: tuple[int, int] = SIZE
    ) -> None:
        """sides: at which edge of the mat each seat sits."""
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
        """Every piece at that time, as it truly is."""
        return self._now(at)[0]

    def resting(self, at: float) -> bool:
        """True if no hand is at work."""
        return not self._grips and all(script.ends <= at for script in (*self._scripts, *self._leaving.values()))

    def busy_until(self) -> float:
        """Return when the last script ends."""
        return max((script.ends for script in self._scripts), default=0.0)

    def at_work(self, at: float) -> frozenset[int]:
        """The pieces that hands handle by a script, or will: those that they have let go of are none of them."""
        self._settle(at)
        return frozenset(ident for script in self._scripts for ident in script.pieces)

    def handled(self, at: float) -> frozenset[int]:
        """The pieces that any hand handles: by a script, or a person's."""
        return self.at_work(at).union(*(_gripped(grip) for grip in self._grips.values()))

    def worked(self, since: float) -> tuple[Script, ...]:
        """Scripts that ended after that time."""
        return tuple(script for script in (*self._done, *self._scripts) if script.ends > since)

    def lay(self, truth: Truth) -> None:
        """The table is laid anew by an unseen hand; whatever was under way is dropped."""
        self._truth, self._scripts, self._grips, self._leaving = truth, (), {}, {}

    # Scripted hands.

    def act(self, scripts: Iterable[Script]) -> None:
        """Hands begin to do what their scripts say."""
        self._scripts = (*self._scripts, *scripts)

    # Hands that a person moves.

    def check_free(self, idents: Iterable[int], at: float, seat: Seat | None = None) -> None:
        """Raises Refused if another hand handles one of these pieces, or if that of the seat is full."""
        if seat in self._grips:
            raise Refused(FULL)
        wanted = frozenset(idents)
        if wanted & self.at_work(at):
            raise Refused(AT_WORK)
        if any(wanted & _gripped(grip) for grip in self._grips.values()):
            raise Refused(HELD)

    def take(self, seat: Seat, ident: int, at: float, under: tuple[int, ...] = ()) -> None:
        """The seat's hand takes hold of a piece, and of those `under` it. Raises Refused; KeyError if one is not there,
        or if nobody sits there."""
        if seat not in self.sides:
            raise KeyError(seat)
        self.check_free((ident, *under), at, seat)
        body, *_ = (self._truth.body(each) for each in (ident, *under))
        self._grasp(Grip(seat, body, body.x, body.y, at, under=under))

    def bring(self, seat: Seat, body: Body, at: float) -> None:
        """The seat's hand comes with a piece that was away, as it is held. Raises Refused."""
        self.check_free((body.id,), at, seat)
        self._truth = put(self._truth, body)
        self._grasp(Grip(seat, body, body.x, body.y, at))

    def grip(self, seat: Seat) -> Grip | None:
        """Return what the seat's hand holds over the table."""
        return self._grips.get(seat)

    def loosen(self, idents: frozenset[int], at: float) -> None:
        """Make whoever holds one of these pieces lay it back as it was."""
        for seat in [seat for seat, grip in self._grips.items() if idents & _gripped(grip)]:
            self.lower(seat, at)

    def carry(self, seat: Seat, x: float, y: float) -> None:
        """Moves what the hand holds."""
        if seat in self._grips:
            self._grips[seat] = msgspec.structs.replace(self._grips[seat], x=x, y=y)

    def drop(self, seat: Seat, x: float, y: float, at: float, angle: float | None = None) -> None:
        """Lays down what the hand holds, turned as it was or to an angle; the hand leaves."""
        grip = self._grips.pop(seat, None)
        if grip is not None:
            self._truth = move(self._truth, grip.body.id, x, y, angle)
            self._let_go(grip, at)

    def arrange(self, truth: Truth, seat: Seat, touched: Iterable[int], at: float) -> None:
        """The seat's hand has put the table so, touching these pieces without lifting them."""
        self._truth = truth
        here = [truth.body(ident) for ident in touched]
        strokes = tuple(Stroke(0.01, (b.x, b.y, 0.0), (b.x, b.y, 0.0), (b.id,)) for b in here)
        if strokes:
            self._done = (*self._done, Script(self.sides[seat], at - 0.01 * len(strokes), strokes))[-REMEMBERED:]

    def keep(self, seat: Seat, at: float) -> tuple[int, ...]:
        """The hand leaves with all that it holds: these pieces are away now; () if it holds nothing."""
        grip = self._grips.pop(seat, None)
        if grip is None:
            return ()
        taken = (grip.body.id, *grip.under)
        for ident in taken:
            self._truth = remove(self._truth, ident)
        self._let_go(grip, at)
        return taken

    def peek(self, seat: Seat, ident: int, at: float) -> str:
        """Lifts a piece towards the seat, and tells what it is. Raises what `take` does."""
        self.take(seat, ident, at)
        grip = self._grips[seat]
        self._grips[seat] = msgspec.structs.replace(grip, peek=True)
        return grip.body.kind

    def lower(self, seat: Seat, at: float) -> None:
        """Lays a lifted piece back as it was."""
        grip = self._grips.pop(seat, None)
        if grip is not None:
            self._let_go(grip, at)

    def _grasp(self, grip: Grip) -> None:
        self._grips[grip.seat] = grip
        self._leaving.pop(grip.seat, None)

    def _let_go(self, grip: Grip, at: float) -> None:
        """The hand goes home. What it did by itself can be asked for like what it did by a script."""
        start, stop = (grip.body.x, grip.body.y, CARRY_MM), (grip.x, grip.y, CARRY_MM)
        stroke = Stroke(max(at - grip.since, 0.01), start, stop, (grip.body.id,), (CARRY_MM, CARRY_MM))
        work = Script(self.sides[grip.seat], at - stroke.lasts, (stroke,))
        self._done = (*self._done, work)[-REMEMBERED:]
        self._leaving[grip.seat] = self._way_home(grip, at)

    def _way_home(self, grip: Grip, at: float) -> Script:
        """However fast the mouse was: a hand is not gone at once, so the camera sees whose it was."""
        hand, (width, height) = self._hand(grip), self.mat.size_mm
        fx, fy = FROM[hand.side]
        here = (hand.x, hand.y, hand.height)
        there = (hand.x + fx * (width + OUTSIDE_MM), hand.y + fy * (height + OUTSIDE_MM), hand.height)
        stays, leaves = LEAVES_S
        return Script(hand.side, at, (Stroke(stays, here, here), Stroke(leaves, here, there)), look=hand.look)

    # The camera.

    def see(self, scene: Scene) -> None:
        """Another light, another camera position."""
        self.scene = scene
        self._renderer = None

    def frame(self, at: float, dimmed: float = 0.0) -> Frame | None:
        """Return what the camera delivers at a time; None if it is gone. dimmed: see `Sensor.expose`."""
        if self.faults.gone:
            return None
        self._serial += 1
        image = self._picture(at, dimmed)
        self._last = image
        return Frame.of(self._serial, at, image)

    def jpeg(self, at: float, quality: int = 80) -> bytes | None:
        """The same as a JPEG picture, for a page to show; None if there is no frame."""
        frame = self.frame(at)
        return None if frame is None else encoded(frame.image, quality)

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
            truth = self._held(truth, grip)
        _, leaving = perform(truth, self._leaving.values(), at)
        return truth, (*hands, *leaving, *(self._hand(grip) for grip in self._grips.values()))

    def _settle(self, at: float) -> None:
        """Turn what hands have let go of into the table, unless an earlier hand is not done with it."""
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

    def _held(self, truth: Truth, grip: Grip) -> Truth:
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
        """The table as it lies once everything under way is done; scripts that are over are forgotten."""
        self._settle(at)
        return finish(self._truth, self._scripts)

    def still(self, at: float) -> Truth:
        """The table as it lies but for what is under way: what hands are at work on lies where it lay before."""
        self._settle(at)
        return self._truth


def _gripped(grip: Grip) -> frozenset[int]:
    return frozenset((grip.body.id, *grip.under))


def encoded(image: Image, quality: int = 80) -> bytes:
    """A picture as JPEG."""
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise ValueError(f"a picture of {image.shape} cannot be encoded")
    return data.tobytes()
