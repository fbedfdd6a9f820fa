"""Choice of a model and of its context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .messages import ContextSize
from .resources import Model, ModelContext

Latency = Literal["low", "balanced", "accurate"]

DEFAULT_CONTEXTS: tuple[ModelContext, ...] = tuple(
    ModelContext((56, right), (right + 1) * 80, right == 13) for right in (13, 6, 3, 1, 0)
)
"""Contexts of the bundled models, for services that do not report the contexts of models."""


def choose_context(contexts: Sequence[ModelContext], latency: Latency) -> ContextSize:
    """Return the context with the shortest (low), middle (balanced) or longest (accurate) chunk."""
    by_chunk = sorted(contexts or DEFAULT_CONTEXTS, key=lambda context: context.chunk_ms)
    if latency == "low":
        return by_chunk[0].context_size
    if latency == "balanced":
        return by_chunk[len(by_chunk) // 2].context_size
    if latency == "accurate":
        return by_chunk[-1].context_size
    raise ValueError(f'latency must be "low", "balanced" or "accurate", not {latency!r}')


def choose_model(models: Sequence[Model], model: str | None, language: str | None) -> Model:
    """Return the model with the given id or language, such as `ki`, `ki-KE` or `pt-BR`.

    Without an id and a language, returns the only model. Raises ValueError if no model or several
    models fit.
    """
    if model is not None:
        found = [entry for entry in models if entry.id == model]
    elif language is not None:
        found = _find_language(models, language.replace("_", "-").lower())
    else:
        found = list(models)
    if len(found) == 1:
        return found[0]
    installed = ", ".join(f"{entry.id} ({entry.language_code})" for entry in models) or "none"
    if model is not None:
        raise ValueError(f"the model {model!r} is not installed; installed models: {installed}")
    if language is not None and not found:
        raise ValueError(f"no model for the language {language!r}; installed models: {installed}")
    raise ValueError(f"pass `model` or `language` to choose a model; installed: {installed}")


def _find_language(models: Sequence[Model], tag: str) -> list[Model]:
    """Return the models with this language tag.

    If there are none, returns the models with the language of the tag and without a region.

    A tag without a region also finds models of that language with a region.
    """
    language = tag.split("-")[0]
    for wanted in (tag, language):
        found = [entry for entry in models if entry.language_code.lower() == wanted]
        if found:
            return found
    if tag != language:
        return []
    return [entry for entry in models if entry.language_code.lower().startswith(f"{language}-")]
