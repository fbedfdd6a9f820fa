"""Meaning of close codes, and what to do after each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .errors import SvcAsrError

RetryAdvice = Literal["new-session", "after-wait", "never"]


@dataclass(frozen=True)
class ReconnectAdvice:
    """Meaning of the end of a stream, and what to do next."""

    retry: RetryAdvice
    """`new-session`: create a new session at once. `after-wait`: wait and back off first.
    `never`: a retry would end the same way, or everything is done."""
    meaning: str
    action: str
    """What to do, as a sentence."""
    charged: bool | None
    """Whether accepted audio is charged. None if the client cannot know."""


@dataclass(frozen=True)
class StreamEnd:
    """How a stream ended."""

    code: int
    """The close code. 1006 if there was none because the connection broke or never opened."""
    reason: str
    """The close reason, for example `audio_limit_reached`. Often empty."""
    advice: ReconnectAdvice
    error: Exception | None = None
    """Why the stream could not be opened. None if it was opened."""


CLOSE_CODES: dict[int, ReconnectAdvice] = {
    1000: ReconnectAdvice(
        "never",
        "Done: the client closed, the session reached its audio or time limit, "
        "or it was cancelled (see the close reason).",
        "Nothing. To send more audio, create a new session.",
        True,
    ),
    1001: ReconnectAdvice(
        "new-session",
        "The server is going away for maintenance. A `final` of what was buffered came before.",
        "Create a new session and continue with the audio that follows the last `final`.",
        False,
    ),
    1009: ReconnectAdvice(
        "never",
        "A binary frame was larger than 65,536 bytes.",
        "Send smaller frames; 100 ms of audio is 3,200 bytes.",
        True,
    ),
    1011: ReconnectAdvice(
        "new-session",
        "The service failed.",
        "Create a new session and send the audio again.",
        False,
    ),
    4400: ReconnectAdvice(
        "never",
        "The client broke the protocol: audio before `ready`, ten invalid messages, "
        "or ten messages over the rate.",
        "Fix the client; the `error` event before the close describes the problem.",
        True,
    ),
    4403: ReconnectAdvice(
        "never",
        "The account was suspended. A `final` of what was buffered came before.",
        "Ask the administrator of the service.",
        True,
    ),
    4408: ReconnectAdvice(
        "new-session",
        "No message came from the client for 30 seconds.",
        "Create a new session when there is audio again; close a stream that has nothing to send.",
        True,
    ),
    4503: ReconnectAdvice(
        "after-wait",
        "No recognition capacity became free in time.",
        "Wait, then create a new session; back off exponentially.",
        False,
    ),
}

CLOSE_REASONS: dict[str, str] = {
    "audio_limit_reached": "The reserved audio is used up (1000).",
    "session_time_limit": "The stream lived for its reserved audio plus 300 seconds (1000).",
    "cancelled": "The session was cancelled with DELETE; no `final` came before (1000).",
    "draining": "The server is going away (1001).",
}

_BROKEN = ReconnectAdvice(
    "new-session",
    "The connection broke.",
    "Create a new session and continue with the audio after the last `final`.",
    None,
)
_WAITING_HELPS = frozenset(
    ["rate_limit_exceeded", "concurrency_limit_exceeded", "no_capacity", "service_unavailable"]
)


def advice_after_close(code: int, reason: str) -> ReconnectAdvice:
    """Return what to do after a stream was closed."""
    known = CLOSE_CODES.get(code, _BROKEN)
    if code not in (1000, 1001) or reason not in CLOSE_REASONS:
        return known
    return ReconnectAdvice(known.retry, CLOSE_REASONS[reason], known.action, known.charged)


def advice_after_refusal(error: Exception) -> ReconnectAdvice:
    """Return what to do after a stream could not be opened."""
    back_off = "Wait, then create a new session; back off exponentially."
    if not isinstance(error, SvcAsrError):
        return ReconnectAdvice("after-wait", str(error), back_off, False)
    if error.code == "invalid_session_credential":
        action = "Create a new session. A credential works once, within 60 seconds."
        return ReconnectAdvice("new-session", str(error), action, False)
    if error.code in _WAITING_HELPS:
        action = "Wait for the `retry_after_s` seconds of the error, then create a new session."
        return ReconnectAdvice("after-wait", str(error), action, False)
    if error.status >= 500:
        return ReconnectAdvice("after-wait", str(error), back_off, False)
    return ReconnectAdvice("never", str(error), "Fix the cause that the error describes.", False)
