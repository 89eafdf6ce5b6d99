"""The checks of every game, in sentences (`referee conformance NAME`).

They need no test runner, only the wheel. Our own tests run them, too.
"""

from referee_simulator.conformance.checks import CHECKS
from referee_simulator.conformance.way import Play, Way, ways

__all__ = ["CHECKS", "Play", "Way", "ways"]
