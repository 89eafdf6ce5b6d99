"""Limits rates with token buckets."""

from __future__ import annotations

import math


class Allowance:
    """A token bucket. rate: per second. burst: at once. now: seconds of one monotonic clock."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst, self._left, self._at = rate, burst, burst, -math.inf

    def balance(self, now: float) -> float:
        """Return what is left; negative if overspent."""
        return min(self._burst, self._left + (now - self._at) * self._rate)

    def spend(self, amount: float, now: float) -> float:
        """Spend an amount, even overdrawing; return the seconds until the debt is paid."""
        self._left, self._at = self.balance(now) - amount, now
        return max(0.0, -self._left / self._rate)

    def take(self, now: float) -> bool:
        """Spend one; return False, spending nothing, if less is left."""
        if self.balance(now) < 1:
            return False
        self.spend(1, now)
        return True

    def whole(self, now: float) -> bool:
        """Return True if the bucket is full."""
        return self.balance(now) == self._burst
