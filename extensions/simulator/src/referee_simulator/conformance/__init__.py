"""What every game must do: checks that say in sentences what one lacks (`referee conformance NAME`).

They need no test runner: whoever writes a game elsewhere has the wheel alone. Our own tests run the same checks.
"""

from referee_simulator.conformance.checks import CHECKS
from referee_simulator.conformance.way import Play, Way, ways

__all__ = ["CHECKS", "Play", "Way", "ways"]
