"""Transcription of files."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import threading
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from .audio.wav import read_wav
from .client import Client
from .errors import SvcAsrFailure
from .latency import Latency
from .long.long_stream import LongStream
from .long.plan import Transcript
from .messages import ContextSize, Event, Phrase
from .stream.frames import SAMPLE_RATE_HZ

T = TypeVar("T")


async def transcribe_file(
    client: Client,
    path: str | os.PathLike[str],
    *,
    model: str | None = None,
    language: str | None = None,
    latency: Latency | None = None,
    context: ContextSize | None = None,
    endpointing_ms: int | None = None,
    phrases: Sequence[Phrase] = (),
    on_event: Callable[[Event], None] | None = None,
) -> Transcript:
    """Transcribe a WAV file of any length. It is converted to the format of the stream.

    `on_event` is called with the events, for example to show the text while it grows. Of several
    unread deltas of an utterance, it gets only the newest.
    """
    with await asyncio.to_thread(Path(path).open, "rb") as file:
        _, audio, duration_s = await asyncio.to_thread(read_wav, file)
        total_samples = None if duration_s is None else math.ceil(duration_s * SAMPLE_RATE_HZ)
        async with client.long_stream(
            model=model,
            language=language,
            latency=latency,
            context=context,
            endpointing_ms=endpointing_ms,
            phrases=phrases,
            total_samples=total_samples,
        ) as stream:
            reporting = asyncio.create_task(_report(stream, on_event))
            try:
                # Reading and converting take time, during which events are still handled.
                while (pcm := await asyncio.to_thread(next, audio, None)) is not None:
                    await stream.send(pcm)
                return await stream.finish()
            finally:
                await stream.close()
                await asyncio.wait([reporting])
                if not reporting.cancelled() and (error := reporting.exception()) is not None:
                    raise error


async def _report(stream: LongStream, on_event: Callable[[Event], None] | None) -> None:
    # The failure is suppressed here, because `send` and `finish` raise it too.
    with contextlib.suppress(SvcAsrFailure):
        async for event in stream:
            if on_event is not None:
                on_event(event)


def transcribe(
    path: str | os.PathLike[str],
    *,
    model: str | None = None,
    language: str | None = None,
    latency: Latency | None = None,
    context: ContextSize | None = None,
    endpointing_ms: int | None = None,
    phrases: Sequence[Phrase] = (),
    on_event: Callable[[Event], None] | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    ca_file: str | None = None,
) -> Transcript:
    """Transcribe a WAV file and wait for the result. Also works in a thread with an event loop.

    `base_url`, `api_key` and `ca_file` default to the environment variables SVC_ASR_BASE_URL,
    SVC_ASR_API_KEY and SVC_ASR_CA_FILE.
    """

    async def run() -> Transcript:
        async with Client(base_url, api_key, ca_file=ca_file) as client:
            return await transcribe_file(
                client,
                path,
                model=model,
                language=language,
                latency=latency,
                context=context,
                endpointing_ms=endpointing_ms,
                phrases=phrases,
                on_event=on_event,
            )

    return _run_to_end(run())


def _has_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run_to_end(task: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in this thread, or in another one if this thread has an event loop."""
    if not _has_event_loop():
        return asyncio.run(task)
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(asyncio.run(task))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="svc-asr")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
