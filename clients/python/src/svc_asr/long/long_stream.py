"""A continuous transcript of audio of any length."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from ..close_codes import StreamEnd
from ..errors import SvcAsrFailure, SvcAsrStreamError, stream_ended
from ..messages import ContextSize, Event, Final, Phrase, ResetAck
from ..resources import AsrSession
from ..stream.event_queue import EventQueue
from ..stream.frames import PcmAudio, pcm_bytes
from ..stream.stream import AsrStream, StreamOptions
from .broadcast import Broadcast
from .plan import LongStreamPlan, Transcript, build_config
from .reconnect import decide
from .sessions import (
    JOIN_PATIENCE_S,
    RECONNECT_PATIENCE_S,
    SessionSource,
    cancel_quietly,
    create_when_free,
)
from .timeline import CloseSession, Mark, SendAudio, SendMessage, Timeline

# The service ends a stream after 30 s without a message.
_KEEP_ALIVE_S = 10.0
_MAX_BUFFERED_BYTES = 262_144
MAX_SESSION_SECONDS = 300


class LongStream:
    """Streams audio of any length and returns one continuous transcript.

    It joins sessions, because each is limited to 300 seconds of audio. It continues with a new
    session after a lost connection, a failure or a drain of the service. Then it sends the audio
    since the last `Final` again. Iterating over it returns events with continuous times.
    """

    def __init__(
        self,
        prepare: Callable[[], Awaitable[LongStreamPlan]],
        *,
        max_session_seconds: int = MAX_SESSION_SECONDS,
        total_samples: int | None = None,
        options: StreamOptions | None = None,
    ) -> None:
        self._prepare = prepare
        self._options = options
        self._timeline = Timeline(max_session_seconds, total_samples)
        self._events = EventQueue()
        self._changed = Broadcast()
        self._finals: list[Final] = []
        self._session_ids: list[str] = []
        self._failure: Exception | None = None
        self._send_failure: Exception | None = None
        self._is_done = False
        self._was_ready = False
        self._is_closing = False
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def send(self, pcm: PcmAudio) -> None:
        """Send audio: 16,000 Hz, one channel, 16 bits. Waits until there is room for more."""
        self._check()
        self._timeline.append(pcm_bytes(pcm))
        self._changed.notify()
        while self._timeline.unsent_bytes > _MAX_BUFFERED_BYTES:
            await self._changed.wait()
            self._check()

    async def flush(self) -> Final:
        """Finalize the utterance. Returns its transcript without the text of earlier finals."""
        mark = self._mark("flush")
        while not isinstance(mark.reply, Final):
            await self._changed.wait()
            self._check()
        return mark.reply

    async def reset(self) -> ResetAck:
        """Drop the utterance and start a new one."""
        mark = self._mark("reset")
        while not isinstance(mark.reply, ResetAck):
            await self._changed.wait()
            self._check()
        return mark.reply

    async def finish(self) -> Transcript:
        """Finalize everything, end the session and return the whole transcript."""
        if self._failure is None:
            self._timeline.finish()
            self._changed.notify()
        await asyncio.wait([self._task])
        if self._failure is not None:
            raise self._failure
        return Transcript(
            text=" ".join(final.text for final in self._finals if final.text),
            words=tuple(word for final in self._finals for word in final.words),
            finals=tuple(self._finals),
            duration_ms=self._timeline.received_ms,
            session_ids=tuple(self._session_ids),
        )

    async def close(self) -> None:
        """End the long stream at once. Audio without a `Final` is dropped."""
        self._task.cancel()
        await asyncio.wait([self._task])
        self._end(SvcAsrFailure("the long stream was closed"))

    async def __aenter__(self) -> LongStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __aiter__(self) -> LongStream:
        return self

    async def __anext__(self) -> Event:
        event = await self._events.next()
        if event is None:
            raise StopAsyncIteration
        return event

    def _mark(self, kind: Literal["flush", "reset"]) -> Mark:
        self._check()
        mark = self._timeline.add_mark(kind)
        self._changed.notify()
        return mark

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._is_done:
            raise SvcAsrFailure("the long stream has ended")

    def _emit(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Final):
                self._finals.append(event)
            self._events.push(event)
        self._changed.notify()

    async def _run(self) -> None:
        try:
            await self._run_sessions(await self._prepare())
        except Exception as error:
            self._end(error)
        else:
            self._end(None)

    def _end(self, failure: Exception | None) -> None:
        if self._is_done:
            return
        self._is_done = True
        self._failure = failure
        self._events.end(failure)
        self._changed.notify()

    async def _run_sessions(self, plan: LongStreamPlan) -> None:
        failures = 0
        patience_s = JOIN_PATIENCE_S
        # The first session opens before there is audio, so that the first text comes early.
        is_needed = True
        while is_needed:
            progress_ms = self._timeline.recognized_ms
            stream = self._open(plan, patience_s)
            end = await self._serve(stream, plan)
            if self._timeline.recognized_ms > progress_ms:
                failures = 0
            decision = decide(
                end,
                was_ready=self._was_ready,
                failures=failures,
                random=random.random(),
                is_ours=self._is_closing,
            )
            self._emit(self._timeline.end_session(continues=decision.action != "stop"))
            if decision.action == "stop":
                raise end.error or stream_ended(end, stream.last_error)
            failures = failures + 1 if decision.action == "reconnect" else 0
            patience_s = RECONNECT_PATIENCE_S if failures > 0 else JOIN_PATIENCE_S
            if end.code == 1006 and stream.session is not None and plan.cancel_session is not None:
                await cancel_quietly(plan.cancel_session, stream.session.id)
            await asyncio.sleep(decision.wait_s)
            is_needed = await self._wait_for_work()

    async def _wait_for_work(self) -> bool:
        """Wait until another session is needed. Returns False if everything is final."""
        while not self._timeline.is_finished:
            if self._timeline.has_work:
                return True
            await self._changed.wait()
        return False

    def _open(self, plan: LongStreamPlan, patience_s: float) -> AsrStream:
        async def create_session() -> AsrSession:
            seconds = self._timeline.needed_seconds
            session = await create_when_free(plan.create_session, seconds, patience_s)
            self._session_ids.append(session.id)
            return session

        return AsrStream(create_session, self._options)

    async def _serve(self, stream: AsrStream, plan: LongStreamPlan) -> StreamEnd:
        """Stream one session to its end."""
        self._is_closing = False
        self._send_failure = None
        sender = asyncio.create_task(self._send_or_close(stream, plan))
        try:
            with contextlib.suppress(SvcAsrFailure, ValueError):
                async for event in stream:
                    self._emit(self._timeline.receive(event))
        finally:
            sender.cancel()
            await asyncio.wait([sender])
            await stream.close()
        if self._send_failure is not None:
            raise self._send_failure
        return await stream.closed()

    async def _send_or_close(self, stream: AsrStream, plan: LongStreamPlan) -> None:
        try:
            await self._send_session(stream, plan)
        except SvcAsrStreamError as error:
            # The service refused the configuration, so every further session would fail too.
            self._send_failure = error
            await stream.close()
        except (SvcAsrFailure, ValueError):
            # The stream ended. The task that reads its events handles the cause.
            return

    async def _send_session(self, stream: AsrStream, plan: LongStreamPlan) -> None:
        ready = await stream.ready()
        self._was_ready = True
        if plan.config:
            await stream.configure(**plan.config)
        self._timeline.start_session(ready.max_audio_seconds)
        while True:
            step = self._timeline.next_step()
            if isinstance(step, SendAudio):
                await stream.send(step.pcm)
                self._changed.notify()
            elif isinstance(step, SendMessage):
                await stream.post({"type": step.type})
            elif isinstance(step, CloseSession):
                self._is_closing = True
                await stream.close()
                return
            elif not await self._changed.wait(_KEEP_ALIVE_S):
                await stream.keep_alive()


def open_long_stream(
    create_session: SessionSource,
    *,
    context: ContextSize | None = None,
    endpointing_ms: int | None = None,
    phrases: Sequence[Phrase] = (),
    max_session_seconds: int = MAX_SESSION_SECONDS,
    total_samples: int | None = None,
    options: StreamOptions | None = None,
) -> LongStream:
    """Stream audio of any length with sessions that a server creates. Needs no API key."""

    async def prepare() -> LongStreamPlan:
        config = build_config(context, endpointing_ms, phrases)
        return LongStreamPlan(create_session, config=config)

    return LongStream(
        prepare,
        max_session_seconds=max_session_seconds,
        total_samples=total_samples,
        options=options,
    )
