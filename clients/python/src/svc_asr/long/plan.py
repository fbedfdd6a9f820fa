"""Input and result of a long stream."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..messages import ContextSize, Final, Phrase, Word
from .sessions import SessionSource


@dataclass(frozen=True)
class Transcript:
    """The transcript of a whole audio stream. Times are from its start."""

    text: str
    words: tuple[Word, ...]
    finals: tuple[Final, ...]
    """The parts of the transcript, one per utterance and session."""
    duration_ms: int
    session_ids: tuple[str, ...]
    """Sessions that were used. `get_session` returns what each was charged."""


@dataclass(frozen=True)
class LongStreamPlan:
    """How a long stream gets its sessions, and how it configures them."""

    create_session: SessionSource
    cancel_session: Callable[[str], Awaitable[None]] | None = None
    """Cancels a session whose connection broke, so that the next session is accepted. Optional."""
    config: dict[str, Any] = field(default_factory=dict)
    """Arguments of `AsrStream.configure`. Empty for the defaults of the model."""


def build_config(
    context: ContextSize | None, endpointing_ms: int | None, phrases: Sequence[Phrase] = ()
) -> dict[str, Any]:
    """Build the configuration of a plan. Empty if everything is the default."""
    config = {
        "context": context,
        "endpointing_ms": endpointing_ms,
        "phrases": tuple(phrases) or None,
    }
    return {name: value for name, value in config.items() if value is not None}
