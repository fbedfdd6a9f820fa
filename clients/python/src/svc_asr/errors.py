"""Exceptions that the package raises."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .close_codes import ReconnectAdvice, StreamEnd


class SvcAsrFailure(Exception):
    """Base class of the exceptions that this package defines."""


class SvcAsrError(SvcAsrFailure):
    """The service refused a request.

    `code` is stable and identifies the cause. Quote `request_id` when you ask for help.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        type: str,  # noqa: A002
        code: str,
        request_id: str | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.type = type
        self.code = code
        self.request_id = request_id
        self.retry_after_s = retry_after_s


class SvcAsrUnreachable(SvcAsrFailure):
    """The service could not be reached or did not respond completely in time."""


class SvcAsrStreamError(SvcAsrFailure):
    """The service refused a message with an `error` event. The stream continues."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class SvcAsrStreamEnded(SvcAsrFailure):
    """The stream ended before a call was completed.

    Each documented close code except 1000 has a subclass. Another subclass is for 1006, the code of
    a connection that broke.
    """

    def __init__(self, end: StreamEnd, last_error: str | None = None) -> None:
        super().__init__(f"the stream ended with {end.code}: {last_error or end.advice.meaning}")
        self.code = end.code
        self.reason = end.reason
        self.advice: ReconnectAdvice = end.advice


class SvcAsrDraining(SvcAsrStreamEnded):
    """The server is going away for maintenance (1001). Nothing is charged."""


class SvcAsrConnectionLost(SvcAsrStreamEnded):
    """The connection broke (1006)."""


class SvcAsrFrameTooLarge(SvcAsrStreamEnded):
    """An audio frame was too large (1009)."""


class SvcAsrServiceFailed(SvcAsrStreamEnded):
    """The service failed (1011). Nothing is charged."""


class SvcAsrProtocolError(SvcAsrStreamEnded):
    """The client broke the protocol (4400)."""


class SvcAsrAccountSuspended(SvcAsrStreamEnded):
    """The account was suspended (4403)."""


class SvcAsrIdleTimeout(SvcAsrStreamEnded):
    """No message came from the client for 30 seconds (4408)."""


class SvcAsrNoCapacity(SvcAsrStreamEnded):
    """No recognition capacity became free in time (4503). Nothing is charged."""


class AudioFormatError(SvcAsrFailure):
    """The audio cannot be read."""


STREAM_ENDED_BY_CODE: dict[int, type[SvcAsrStreamEnded]] = {
    1001: SvcAsrDraining,
    1006: SvcAsrConnectionLost,
    1009: SvcAsrFrameTooLarge,
    1011: SvcAsrServiceFailed,
    4400: SvcAsrProtocolError,
    4403: SvcAsrAccountSuspended,
    4408: SvcAsrIdleTimeout,
    4503: SvcAsrNoCapacity,
}


def stream_ended(end: StreamEnd, last_error: str | None = None) -> SvcAsrStreamEnded:
    """Build the exception for the close code of a stream."""
    return STREAM_ENDED_BY_CODE.get(end.code, SvcAsrStreamEnded)(end, last_error)


def build_refusal(status: int, header: Callable[[str], str | None], body: str) -> SvcAsrError:
    """Build the exception for a response that is not successful."""
    error = _parse_object(body).get("error")
    fields: dict[str, Any] = error if isinstance(error, dict) else {}
    retry_after = header("retry-after") or ""
    return SvcAsrError(
        _text(fields.get("message")) or f"the service responded with HTTP {status}",
        status=status,
        # A body in another format comes from a proxy between client and service.
        type=_text(fields.get("type")) or "unexpected_response",
        code=_text(fields.get("code")) or "unexpected_response",
        request_id=_text(fields.get("request_id")) or header("x-request-id"),
        retry_after_s=int(retry_after) if re.fullmatch(r"\d{1,9}", retry_after) else None,
    )


def _parse_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
