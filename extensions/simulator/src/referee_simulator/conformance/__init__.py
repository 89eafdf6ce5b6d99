"""The checks of every game, in sentences (`referee conformance NAME`). They need no test runner, so they work with the
wheel alone. Our own tests run the same checks."""

from referee_simulator.conformance.checks import CHECKS
from referee_simulator.conformance.way import Play, Way, ways

__all__ = ["CHECKS", "Play", "Way", "ways"]
