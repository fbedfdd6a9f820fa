"""Objects of the HTTP API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .messages import ContextSize


@dataclass(frozen=True)
class ModelContext:
    """A context that a model supports. Text can change once for each chunk."""

    context_size: ContextSize
    chunk_ms: int
    default: bool


@dataclass(frozen=True)
class Model:
    """A recognition model."""

    id: str
    language: str
    language_code: str
    max_audio_seconds: int
    contexts: tuple[ModelContext, ...] = ()
    """Supported contexts. Empty if the service does not report them."""

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> Model:
        """Read a model from its JSON object."""
        contexts = tuple(
            ModelContext(
                (entry["context_size"][0], entry["context_size"][1]),
                entry["chunk_ms"],
                entry.get("default") is True,
            )
            for entry in fields.get("contexts", ())
        )
        return Model(
            id=fields["id"],
            language=fields["language"],
            language_code=fields["language_code"],
            max_audio_seconds=fields["max_audio_seconds"],
            contexts=contexts,
        )


@dataclass(frozen=True)
class AsrSession:
    """A reserved session. Send `to_dict()` to your client as JSON, and do not log it."""

    id: str
    model: str
    websocket_url: str
    websocket_protocols: tuple[str, str] = field(repr=False)
    expires_at: str
    max_audio_seconds: float
    """Seconds of audio that were reserved. The service may reserve less than was requested."""
    remaining_seconds: float
    """Whole seconds of credit that are left after the reservation."""
    _fields: Mapping[str, Any] = field(repr=False, compare=False)

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> AsrSession:
        """Read a session from the response of POST /v1/asr/sessions."""
        first, second = fields["websocket_protocols"]
        return AsrSession(
            id=fields["id"],
            model=fields["model"],
            websocket_url=fields["websocket_url"],
            websocket_protocols=(first, second),
            expires_at=fields["expires_at"],
            max_audio_seconds=fields["audio"]["max_audio_seconds"],
            remaining_seconds=fields["credits"]["remaining"],
            _fields=dict(fields),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the response of the service, with its secret."""
        return dict(self._fields)


@dataclass(frozen=True)
class UsageSession:
    """A session in the usage of the account."""

    id: str
    model: str
    status: str
    audio_ms: int
    billable_ms: int
    created_at: str
    completed_at: str | None

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> UsageSession:
        """Read a session from its JSON object."""
        return UsageSession(**_usage_fields(fields))


@dataclass(frozen=True)
class SessionDetail(UsageSession):
    """A session and how it ended.

    `end_reason` and `close_code` are None until they are known. A session that had no stream has no
    `close_code`.
    """

    end_reason: str | None
    close_code: int | None

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> SessionDetail:
        """Read a session from the response of GET /v1/asr/sessions/{id}."""
        return SessionDetail(
            **_usage_fields(fields),
            end_reason=fields.get("end_reason"),
            close_code=fields.get("close_code"),
        )


@dataclass(frozen=True)
class CreditBalance:
    """The credit of the account."""

    available_ms: int
    reserved_ms: int
    consumed_ms: int
    recent_sessions: tuple[UsageSession, ...]

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> CreditBalance:
        """Read the balance from the response of GET /v1/usage."""
        return CreditBalance(
            available_ms=fields["available_ms"],
            reserved_ms=fields["reserved_ms"],
            consumed_ms=fields["consumed_ms"],
            recent_sessions=tuple(map(UsageSession.from_dict, fields["recent_sessions"])),
        )


def _usage_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    names = ("id", "model", "status", "audio_ms", "billable_ms", "created_at", "completed_at")
    return {name: fields[name] for name in names}
