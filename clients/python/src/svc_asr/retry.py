"""Decisions about retries of HTTP requests."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import SvcAsrError, SvcAsrUnreachable

FIRST_BACKOFF_S = 0.5
LONGEST_BACKOFF_S = 8.0


@dataclass(frozen=True)
class RetryPolicy:
    """Limits of retries."""

    max_retries: int = 3
    max_wait_s: float = 60.0
    """Longest wait. If a longer one is necessary, the error is raised at once."""


def backoff_s(failures: int, random: float) -> float:
    """Return the wait after a number of failed attempts. `random` is in [0, 1)."""
    longest = min(FIRST_BACKOFF_S * 2.0 ** (failures - 1), LONGEST_BACKOFF_S)
    return longest / 2 + longest / 2 * random


def retry_wait_s(
    error: Exception, failures: int, policy: RetryPolicy, random: float
) -> float | None:
    """Return the time to wait before the next attempt, or None if no attempt should follow.

    `failures` is the number of failed attempts, and `random` is in [0, 1).
    """
    if failures > policy.max_retries or not _may_pass(error):
        return None
    # The random part spreads the retries of many clients.
    wait_s = backoff_s(failures, random)
    if isinstance(error, SvcAsrError) and error.retry_after_s is not None:
        wait_s = max(wait_s, error.retry_after_s + FIRST_BACKOFF_S * random)
    return wait_s if wait_s <= policy.max_wait_s else None


def _may_pass(error: Exception) -> bool:
    """Report whether a retry can succeed.

    `concurrency_limit_exceeded` (429) is not retried. It lasts until a session of the account ends.
    """
    if isinstance(error, SvcAsrUnreachable):
        return True
    if not isinstance(error, SvcAsrError):
        return False
    if error.status == 429:
        return error.code == "rate_limit_exceeded"
    return error.status in (502, 503, 504)
