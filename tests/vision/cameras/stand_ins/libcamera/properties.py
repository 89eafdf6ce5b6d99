"""Properties by name, as far as picamera2 names them."""

from enum import Enum
from types import SimpleNamespace

draft = SimpleNamespace(ColorFilterArrangementEnum=Enum("ColorFilterArrangementEnum", "RGGB MONO"))
