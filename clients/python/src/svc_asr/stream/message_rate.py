"""Rate of text messages that the service allows."""

from __future__ import annotations


class MessageRate:
    """Limits the rate of messages: a burst at once, then one more after each interval (GCRA)."""

    def __init__(self, per_second: float, burst: float) -> None:
        self._cost_s = 1 / per_second
        self._burst_s = burst * self._cost_s
        self._restored_at = float("-inf")

    def take(self, now: float) -> float:
        """Count a message and return 0 if the rate allows it.

        Otherwise count nothing and return the time until the rate allows the message.
        """
        restored_at = max(now, self._restored_at) + self._cost_s
        excess_s = restored_at - now - self._burst_s
        # The tolerance keeps rounding from refusing the last message of a burst.
        if excess_s > 1e-6:
            return excess_s
        self._restored_at = restored_at
        return 0.0
