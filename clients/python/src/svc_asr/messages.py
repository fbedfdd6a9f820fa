"""Events of the stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

ContextSize = tuple[int, int]
"""Attention context, `(left, right)` in encoder frames of 80 ms."""


@dataclass(frozen=True)
class Phrase:
    """One or more words that the service prefers if they are almost as likely as other words."""

    text: str
    boost: float | None = None
    """Strength of the preference, from 1 to 10. None is the default of the service, which is 5."""


@dataclass(frozen=True)
class Word:
    """A word of a final transcript. Times are from the start of the stream."""

    text: str
    start_ms: int
    end_ms: int
    confidence: float | None = None
    """Estimated probability that the word is right, from 0 to 1. None if it is not reported."""


@dataclass(frozen=True)
class Status:
    """Progress while the session initializes. Sent only before `Ready`."""

    state: str
    message: str
    type: Literal["status"] = "status"


@dataclass(frozen=True)
class Ready:
    """The stream accepts audio from now on."""

    session_id: str
    model: str
    chunk_samples: int
    context_size: ContextSize
    max_frame_bytes: int
    max_audio_seconds: float
    type: Literal["ready"] = "ready"


@dataclass(frozen=True)
class ConfigAck:
    """Answers `configure` with the effective configuration."""

    language: str
    context_size: ContextSize
    chunk_samples: int
    endpointing_ms: int | None = None
    """Silence after which the service ends an utterance. None if endpointing is off."""
    phrases: tuple[Phrase, ...] = ()
    """Effective phrases with their boosts."""
    type: Literal["config_ack"] = "config_ack"


@dataclass(frozen=True)
class ResetAck:
    """Answers `reset` with the number of the utterance that starts."""

    utterance: int
    type: Literal["reset_ack"] = "reset_ack"


@dataclass(frozen=True)
class Delta:
    """The whole transcript of the utterance so far. It replaces the previous delta."""

    text: str
    utterance: int
    audio_end_ms: int
    type: Literal["delta"] = "delta"


@dataclass(frozen=True)
class Final:
    """The finished transcript of an utterance. It never changes afterwards."""

    text: str
    utterance: int
    audio_start_ms: int
    audio_end_ms: int
    words: tuple[Word, ...]
    endpoint: bool = False
    """True if silence ended the utterance, False if a flush ended it."""
    type: Literal["final"] = "final"


@dataclass(frozen=True)
class SpeechStarted:
    """The first word of an utterance was recognized. Sent only with endpointing."""

    utterance: int
    audio_start_ms: int
    """Start of the first word."""
    type: Literal["speech_started"] = "speech_started"


@dataclass(frozen=True)
class SpeechEnded:
    """The speech of an utterance has ended, at a pause or by a flush. Its `Final` is next."""

    utterance: int
    audio_end_ms: int
    """End of the last word."""
    type: Literal["speech_ended"] = "speech_ended"


@dataclass(frozen=True)
class ErrorEvent:
    """A message was refused. The stream continues unless `fatal` is true."""

    code: str
    message: str
    fatal: bool
    type: Literal["error"] = "error"


Event = (
    Status | Ready | ConfigAck | ResetAck | Delta | Final | SpeechStarted | SpeechEnded | ErrorEvent
)


def parse_event(data: str | bytes) -> Event | None:
    """Parse a message of the service.

    Returns None for unknown types, which come from a newer service, and for damaged messages.
    """
    try:
        fields = json.loads(data)
        parse = _PARSERS.get(fields["type"])
        return None if parse is None else parse(fields)
    except (ValueError, KeyError, TypeError):
        return None


def _context(value: Any) -> ContextSize:
    left, right = value
    return int(left), int(right)


def _parse_ready(fields: Mapping[str, Any]) -> Ready:
    return Ready(
        session_id=fields["session_id"],
        model=fields["model"],
        chunk_samples=fields["chunk_samples"],
        context_size=_context(fields["context_size"]),
        max_frame_bytes=fields["max_frame_bytes"],
        max_audio_seconds=fields["max_audio_seconds"],
    )


def _parse_config_ack(fields: Mapping[str, Any]) -> ConfigAck:
    endpointing = fields.get("endpointing")
    return ConfigAck(
        language=fields["language"],
        context_size=_context(fields["context_size"]),
        chunk_samples=fields["chunk_samples"],
        endpointing_ms=None if endpointing is None else endpointing["silence_ms"],
        phrases=tuple(
            Phrase(phrase["text"], phrase.get("boost")) for phrase in fields.get("phrases", ())
        ),
    )


def _parse_final(fields: Mapping[str, Any]) -> Final:
    words = (
        Word(word["text"], word["start_ms"], word["end_ms"], word.get("confidence"))
        for word in fields["words"]
    )
    return Final(
        text=fields["text"],
        utterance=fields["utterance"],
        audio_start_ms=fields["audio_start_ms"],
        audio_end_ms=fields["audio_end_ms"],
        words=tuple(words),
        endpoint=fields.get("endpoint") is True,
    )


_PARSERS: dict[str, Callable[[Mapping[str, Any]], Event]] = {
    "status": lambda fields: Status(fields["state"], fields["message"]),
    "ready": _parse_ready,
    "config_ack": _parse_config_ack,
    "reset_ack": lambda fields: ResetAck(fields["utterance"]),
    "delta": lambda fields: Delta(fields["text"], fields["utterance"], fields["audio_end_ms"]),
    "final": _parse_final,
    "speech_started": lambda fields: SpeechStarted(fields["utterance"], fields["audio_start_ms"]),
    "speech_ended": lambda fields: SpeechEnded(fields["utterance"], fields["audio_end_ms"]),
    "error": lambda fields: ErrorEvent(fields["code"], fields["message"], fields["fatal"]),
}


def phrase_fields(phrase: Phrase) -> dict[str, Any]:
    """Return the fields of a phrase in a `config` message."""
    fields: dict[str, Any] = {"text": phrase.text}
    if phrase.boost is not None:
        fields["boost"] = phrase.boost
    return fields
