"""Decisions after the stream of a session has ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..close_codes import StreamEnd
from ..errors import SvcAsrError, SvcAsrUnreachable
from ..retry import backoff_s

MAX_FAILURES = 5
"""Maximum number of failures in a row, without new text between them, that a long stream survives.

It reconnects after each of them. The next failure ends it.
"""
_RECONNECT_CODES = frozenset([1001, 1006, 1011, 4503])
_LIMIT_REASONS = frozenset(["audio_limit_reached", "session_time_limit"])


@dataclass(frozen=True)
class Decision:
    """Whether and when to continue with a new session."""

    action: Literal["join", "reconnect", "stop"]
    wait_s: float = 0.0


def decide(
    end: StreamEnd, *, was_ready: bool, failures: int, random: float, is_ours: bool = False
) -> Decision:
    """Decide how to continue after a stream ended.

    `failures` counts the earlier failures in a row, and `was_ready` is true if any stream of the
    long stream was ready before. `is_ours` is true if the client ended the stream.
    """
    if end.error is not None:
        return _decide_refused(end.error, was_ready, failures, random)
    if end.code == 1000:
        return Decision("join" if is_ours or end.reason in _LIMIT_REASONS else "stop")
    if end.code not in _RECONNECT_CODES or failures >= MAX_FAILURES:
        return Decision("stop")
    # The first retry is immediate, except after a lack of capacity.
    steps = failures + 1 if end.code == 4503 else failures
    return Decision("reconnect", backoff_s(steps, random) if steps > 0 else 0.0)


def _decide_refused(error: Exception, was_ready: bool, failures: int, random: float) -> Decision:
    """Decide after a stream could not be opened. Stops if no stream was ready before."""
    may_pass = isinstance(error, SvcAsrUnreachable) or (
        isinstance(error, SvcAsrError)
        and (error.status >= 500 or error.code == "invalid_session_credential")
    )
    if not was_ready or not may_pass or failures >= MAX_FAILURES:
        return Decision("stop")
    return Decision("reconnect", backoff_s(failures + 1, random))
