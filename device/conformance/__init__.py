"""What every game must do: checks that say in sentences what one lacks (`referee conformance NAME`).

They need no test runner: whoever writes a game elsewhere has the wheel alone. Our own tests run the same checks.
"""

from device.conformance.checks import CHECKS
from device.conformance.way import Play, Way, ways

__all__ = ["CHECKS", "Play", "Way", "ways"]
