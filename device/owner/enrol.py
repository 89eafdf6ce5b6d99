"""Enrols a set: pictures of each piece alone on the mat, then a check round.

The caller passes pictures to `offer`, which uses one per "Next". Each kind is saved at once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np

from device.enrolment import NothingThere, Taken, kinds_of
from device.owner.steps import LONGEST_PICTURE, TaskStep
from engine.table import Face
from engine.text import Text, in_row, list_texts, say
from vision.camera import Image
from vision.files import BadFile
from vision.finding.pieces import FoundPiece, reliefs
from vision.recognition import readers, recogniser
from vision.recognition.check_round import USUAL, LaidPiece, keep_checked, threshold
from vision.recognition.enrolment import BACK, EnrolmentError, load, retake
from vision.recognition.index import INDEX, Index
from vision.recognition.naming import PieceSet, Recogniser
from vision.recognition.piece_sizes import Measured, Outline, by_kind, read_measures, with_measurements
from vision.recognition.quality import remarks
from vision.recognition.review import review
from vision.recognition.rotation_likeness import EVERY, nearest
from vision.tracking.faces import look

_log = logging.getLogger(__name__)

UNREADABLE = say("Some pictures of this set cannot be read. Enrol it again.")
MOST_CHECKED = 12
"""Pieces in a check round."""


class Learning:
    """A set and its enrolment folder. index: what the folder holds."""

    def __init__(self, pieces: PieceSet, folder: Path, index: Index) -> None:
        self.pieces, self.folder, self._index = pieces, folder, index
        self._known: Recogniser | None = None

    def keep(self, kind: str, taken: Sequence[Taken]) -> None:
        """Replace a kind's pictures. Raises EnrolmentError."""
        measured = {kind: [one.measured for one in taken]}
        self._index = retake(self.folder, self._index, {kind: [one.image for one in taken]}, measured)
        self._known = None

    def missing(self) -> tuple[str, ...]:
        """Return kinds without pictures."""
        there = {reference.kind for reference in self._index.references}
        return tuple(kind for kind in kinds_of(self.pieces) if kind not in there)

    def summary(self) -> Text:
        pictures = self._index.references
        if not pictures:
            return say("{set}: nothing is enrolled.", set=Text(self.pieces.name))
        kinds = len({reference.kind for reference in pictures})
        width, height = with_measurements(self.pieces, self.folder).size_mm
        size = f"{width:.0f}" if width == height else f"{width:.0f} x {height:.0f}"
        return say(
            "{set}: enrolled. Kinds: {kinds}. Pictures: {pictures}. Size: {size} mm.",
            set=Text(self.pieces.name),
            kinds=kinds,
            pictures=len(pictures),
            size=size,
        )

    def review(self) -> tuple[Text, ...]:
        """Return possible improvements; only `UNREADABLE` if a picture can't be read."""
        if not (self.folder / INDEX).exists():
            return ()
        try:
            enrolled = load(self.folder)
        except (BadFile, EnrolmentError) as error:
            _log.warning("%s", error)
            return (UNREADABLE,)
        judge = None if self.pieces.reads_prints else recogniser.load(self.folder)
        measured = by_kind(self._index, read_measures(self.folder))
        return tuple(remark.text for remark in review(enrolled, judge, measured))

    def sample(self) -> tuple[str, ...]:
        """Return the kinds for a check round: of many, the most alike. Raises BadFile, EnrolmentError."""
        pictures = load(self.folder).pictures
        kinds = tuple(kind for kind in kinds_of(self.pieces) if kind in pictures)
        return kinds if len(kinds) <= MOST_CHECKED else nearest(pictures, MOST_CHECKED)

    def name_pieces(self, kind: str, taken: Taken) -> LaidPiece:
        """Name the piece in a picture. kind: the true one, or `BACK`."""
        if self._known is None:
            self._known = readers.loader(self.pieces)(self.folder)
        naming = self._known.name([taken.image])[0]
        seen = look(FoundPiece(0.0, 0.0, 0.0, 1.0), None, (reliefs(taken.image[None])[0], False), naming, self.pieces)
        if seen.face is Face.DOWN:
            return LaidPiece(kind, BACK, max(seen.confidence, USUAL))  # blank is blank, whatever the recogniser thinks
        return LaidPiece(kind, naming.guess if naming.kind is None else naming.kind, naming.confidence)

    def check(self, laid: Sequence[LaidPiece]) -> None:
        """Store a check round, which sets the set's threshold. Raises OSError."""
        keep_checked(self.folder, laid)
        self._known = None


NEXT, AGAIN, KEEP, STOP = say("Next"), say("Again"), say("Keep this picture"), say("Stop")
BEGIN, SKIP, DONE = say("Check"), say("Skip this round"), say("Done")

WIDTH, QUALITY = 480, 70
"""A step's picture: width in pixels and JPEG quality."""

Look = Callable[[Image], Taken]
"""Finds the one piece in a picture of the mat. Raises NothingThere."""


class Enrolling:
    """Takes `each` pictures of every kind, then checks them. look: examines one."""

    def __init__(self, learning: Learning, kinds: Sequence[str], each: int, look: Look) -> None:
        self._learning, self._look = learning, look
        self.over = False
        self._taking = TakePictures(learning, tuple(kinds), each)
        self._phase: TakePictures | EnrolReview | Checking | EnrolSummary = self._taking
        self._picture: Image | None = None
        self._wanted = False

    @property
    def all(self) -> int:
        """Number of kinds to take."""
        return len(self._taking.kinds)

    @property
    def left(self) -> tuple[str, ...]:
        """Kinds still to take."""
        return self._taking.kinds[self._taking.done :]

    @property
    def wanted(self) -> bool:
        """True while a picture is awaited and nothing may be touched."""
        return self._wanted

    def step(self) -> TaskStep:
        step = self._phase.step()
        if self._wanted:
            step = msgspec.structs.replace(step, now=say("Hold still. The camera is taking a picture."), choices=())
        doing = say("Enrol: {set}", set=Text(self._learning.pieces.name))
        return msgspec.structs.replace(step, doing=doing, picture=_small(self._picture))

    def choose(self, line: int) -> None:
        choices = self.step().choices
        if not 0 <= line < len(choices):
            return
        chosen = choices[line]
        if chosen == DONE:
            self.over = True
        elif chosen in (STOP, SKIP):
            self._phase = EnrolSummary(
                self._learning, whole=not isinstance(self._phase, TakePictures), skipped=chosen == SKIP
            )
        elif chosen == BEGIN:
            self._phase = Checking(self._learning)
        elif chosen == NEXT:
            self._wanted = True
        else:
            self._phase.choose(chosen)
            self._go_on()

    def offer(self, image: Image) -> None:
        """Receive the newest picture; examining a wanted one takes seconds. Raises EnrolmentError, OSError."""
        self._picture = image
        if not self._wanted:
            return
        self._wanted = False
        try:
            taken = self._look(image)
        except NothingThere as error:
            self._phase.refuse(error.text)
        else:
            self._phase.take(taken)
            self._go_on()

    def _go_on(self) -> None:
        if isinstance(self._phase, TakePictures) and self._phase.through:
            self._phase = EnrolReview(self._learning)
        elif isinstance(self._phase, Checking) and self._phase.through:
            self._phase = EnrolSummary(self._learning, whole=True, skipped=False, laid=self._phase.laid)


class TakePictures:
    """Takes pictures, kind by kind."""

    def __init__(self, learning: Learning, kinds: tuple[str, ...], each: int) -> None:
        self._learning, self.kinds, self._each = learning, kinds, each
        self.done = 0
        self._taken: list[Taken] = []
        self._doubted: Taken | None = None
        self._remarks: tuple[Text, ...] = ()
        self._seen: Text | None = None

    @property
    def through(self) -> bool:
        return self.done == len(self.kinds)

    def step(self) -> TaskStep:
        kind, number = self.kinds[self.done], len(self._taken)
        choices = (NEXT, *((KEEP,) if self._doubted else ()), *((AGAIN,) if self.done or self._taken else ()), STOP)
        done = self.done * self._each + number
        return TaskStep(
            Text(""), wish(kind, number), self._seen, self._remarks, done, len(self.kinds) * self._each, choices
        )

    def choose(self, chosen: Text) -> None:
        """Keep or discard a doubtful picture; without one, discard the last, or retake the kind before this."""
        if self._doubted is not None:
            if chosen == KEEP:
                self._keep(self._doubted)
        elif chosen == AGAIN and self._taken:
            self._taken.pop()
        elif chosen == AGAIN and self.done:
            self.done -= 1
        self._doubted, self._remarks = None, ()

    def take(self, taken: Taken) -> None:
        self._seen = measured_text(taken.measured)
        self._remarks = tuple(
            remark.text for remark in remarks(self.kinds[self.done], taken.image, taken.raw, taken.headroom)
        )
        self._doubted = taken if self._remarks else None
        if not self._remarks:
            self._keep(taken)

    def refuse(self, why: Text) -> None:
        self._seen, self._remarks, self._doubted = None, (why,), None

    def _keep(self, taken: Taken) -> None:
        self._taken.append(taken)
        if len(self._taken) == self._each:
            self._learning.keep(self.kinds[self.done], self._taken)
            self._taken = []
            self.done += 1


class EnrolReview:
    """Shows possible improvements; offers the check round."""

    def __init__(self, learning: Learning) -> None:
        self._review = learning.review()

    def step(self) -> TaskStep:
        if UNREADABLE in self._review:
            return TaskStep(
                Text(""), say("All pictures are taken, but they can't be checked."), None, self._review, 1, 1, (SKIP,)
            )
        now = say("All pictures are taken. To check them, lay each piece anywhere on the mat once more.")
        return TaskStep(Text(""), now, None, self._review, 1, 1, (BEGIN, SKIP))

    def choose(self, chosen: Text) -> None:
        """Ignore it."""

    def take(self, taken: Taken) -> None:
        """Ignore it."""

    def refuse(self, why: Text) -> None:
        """Ignore it."""


class Checking:
    """Checks that each piece is recognised."""

    def __init__(self, learning: Learning) -> None:
        self._learning, self._kinds = learning, learning.sample()
        self.laid: list[LaidPiece] = []
        self._seen: Text | None = None
        self._remarks: tuple[Text, ...] = ()

    @property
    def through(self) -> bool:
        return len(self.laid) == len(self._kinds)

    def step(self) -> TaskStep:
        now = again(self._kinds[len(self.laid)])
        return TaskStep(Text(""), now, self._seen, self._remarks, len(self.laid), len(self._kinds), (NEXT, SKIP))

    def choose(self, chosen: Text) -> None:
        """Ignore it."""

    def take(self, taken: Taken) -> None:
        laid = self._learning.name_pieces(self._kinds[len(self.laid)], taken)
        self.laid.append(laid)
        self._seen, self._remarks = answer(laid), ()
        if self.through:
            self._learning.check(self.laid)

    def refuse(self, why: Text) -> None:
        self._seen, self._remarks = None, (why,)


class EnrolSummary:
    """Summarises what is enrolled, and how surely recognised."""

    def __init__(self, learning: Learning, *, whole: bool, skipped: bool, laid: Sequence[LaidPiece] = ()) -> None:
        left = learning.missing()
        said = [bounded_text(laid)] if laid else []
        if left:
            said.append(say("Not enrolled, so not recognised: {kinds}.", kinds=list_texts(map(_called_text, left))))
        if whole and skipped:
            said.append(say("Not checked: how reliably the camera recognises these pieces is unknown."))
        self._step = TaskStep(Text(""), learning.summary(), None, tuple(said), 1, 1, (DONE,))

    def step(self) -> TaskStep:
        return self._step

    def choose(self, chosen: Text) -> None:
        """Ignore it."""

    def take(self, taken: Taken) -> None:
        """Ignore it."""

    def refuse(self, why: Text) -> None:
        """Ignore it."""


def wish(kind: str, number: int) -> Text:
    """Return the instruction to lay a piece down. number: pictures already taken."""
    if kind == BACK:
        first, more = say("Lay any piece face down, alone on the mat."), say("Lay another piece face down, elsewhere.")
        return more if number else first
    if number:
        return say("{piece}: turn it a little, and move it towards the edge of the mat.", piece=Text(kind))
    return say("Lay this alone on the mat, face up: {piece}.", piece=Text(kind))


def again(kind: str) -> Text:
    """Return `wish` for the check round."""
    if kind == BACK:
        return say("Lay any piece face down once more, anywhere.")
    return say("Lay this once more, anywhere, at any angle: {piece}.", piece=Text(kind))


def measured_text(measured: Measured | None) -> Text | None:
    """Return a piece's measures in words; None without any."""
    if measured is None:
        return None
    size, across = f"{measured.width_mm:.1f}", f"{measured.height_mm:.1f}"
    if measured.outline is Outline.CARD:
        shape = say("{width} by {height} mm.", width=size, height=across)
    elif measured.outline is Outline.SQUARE:
        shape = say("Square, {size} mm wide.", size=size)
    elif measured.thickness_mm is None:
        shape = say("Round, {size} mm across.", size=size)
    else:
        shape = say("Round, {size} mm across, {thick} mm thick.", size=size, thick=f"{measured.thickness_mm:.0f}")
    if measured.alike == EVERY:
        return in_row((shape, say("Looks the same at every angle.")), " ")
    return (
        shape if measured.alike == 1 else in_row((shape, say("Looks the same at {n} angles.", n=measured.alike)), " ")
    )


def answer(laid: LaidPiece) -> Text:
    """Return the check round's answer."""
    if laid.right:
        return say("Right: {piece}.", piece=_called_text(laid.kind))
    if laid.wrong and laid.guess is not None:
        return say("Wrong: mistaken for {piece}.", piece=_called_text(laid.guess))
    return say("Not recognised: the camera is not sure.")


def bounded_text(laid: Sequence[LaidPiece]) -> Text:
    """Return the check round's result, claiming no more than shown."""
    right, wrong = sum(one.right for one in laid), sum(one.wrong for one in laid)
    if wrong:
        return say(
            "{right} of {all} recognised, {wrong} wrong. The camera will now be stricter ({least}%). "
            "Take the wrong ones again.",
            right=right,
            all=len(laid),
            wrong=wrong,
            least=f"{100 * threshold(laid):.1f}",
        )
    return say(
        "{right} of {all} recognised, none wrong. With so few pieces, up to 1 in {one} may still go wrong.",
        right=right,
        all=len(laid),
        one=len(laid) + 1,
    )


def _called_text(kind: str) -> Text:
    return say("a piece that lies face down") if kind == BACK else Text(kind)


def _small(image: Image | None) -> bytes | None:
    if image is None:
        return None
    share = min(1.0, WIDTH / image.shape[1])
    reduced = np.asarray(cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)
    good, data = cv2.imencode(".jpg", reduced, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return bytes(data) if good and len(data) <= LONGEST_PICTURE else None
