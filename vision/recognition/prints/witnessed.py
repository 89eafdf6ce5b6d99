"""Names prints that the network does not deny, also those of which it alone is sure: the two err on their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from vision.camera import Image
from vision.progress import Heard, nobody
from vision.recognition import recogniser
from vision.recognition.check_round import USUAL
from vision.recognition.enrolment import BACK, EnrolledSet
from vision.recognition.prints import printed
from vision.recognition.prints.averaged import Averaged
from vision.recognition.prints.printed import PrintedRecogniser
from vision.recognition.prints.reading import PrintReading
from vision.recognition.recogniser import EnrolledRecogniser


class WitnessedPrints(PrintedRecogniser):
    """A `PrintedRecogniser` with the network as its witness of whole faces."""

    def __init__(self, prints: EnrolledSet | Averaged, network: EnrolledRecogniser, threshold: float = USUAL) -> None:
        super().__init__(prints, threshold)
        self._network = network

    def without(self, kind: str) -> WitnessedPrints:
        return WitnessedPrints(self.prints.without(kind), self._network.without(kind), self._strict)

    def read(self, crop: Image, seen: Image | None = None, kinds: Sequence[str] = ()) -> PrintReading:
        """Read as a print; a whole face is clear only if the network's best kind agrees."""
        reading = super().read(crop, seen, kinds)
        if seen is not None or kinds or reading.kind == BACK:
            return reading
        (match,) = self._network.match([crop])
        if match.kind != reading.kind:
            return msgspec.structs.replace(reading, clear=min(reading.clear, 0.0))
        sure = match.confidence >= self._network.threshold
        return msgspec.structs.replace(reading, witness=match.confidence if sure else 0.0)


def load(folder: Path, heard: Heard = nobody) -> WitnessedPrints:
    """Return a stored set's recogniser; see `recogniser.load`."""
    prints, network = printed.load(folder, heard), recogniser.load(folder, heard)
    return WitnessedPrints(prints.prints, network, network.threshold)
