"""What every game must do, as checks in sentences (`referee conformance NAME`). They need no test runner, so they work
for games written elsewhere."""

from referee_simulator.conformance.checks import CHECKS
from referee_simulator.conformance.way import Play, Way, ways

__all__ = ["CHECKS", "Play", "Way", "ways"]
