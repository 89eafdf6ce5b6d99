"""How much of something is allowed: so much each second, and so much at once (a token bucket)."""

from __future__ import annotations

import math


class Allowance:
    """rate: each second; burst: at once. now: seconds of any clock that only goes forwards, the same for all calls."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst, self._left, self._at = rate, burst, burst, -math.inf

    def balance(self, now: float) -> float:
        """Return what may still be spent; below 0 if too much was."""
        return min(self._burst, self._left + (now - self._at) * self._rate)

    def spend(self, amount: float, now: float) -> float:
        """Spend an amount, and return how many seconds too early that was; 0 if it was there."""
        self._left, self._at = self.balance(now) - amount, now
        return max(0.0, -self._left / self._rate)

    def take(self, now: float) -> bool:
        """Spends one; False, and nothing is spent, if not so much is left."""
        if self.balance(now) < 1:
            return False
        self.spend(1, now)
        return True

    def whole(self, now: float) -> bool:
        """True if all that was spent is there again."""
        return self.balance(now) == self._burst
