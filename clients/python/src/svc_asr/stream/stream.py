"""A stream of one session."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from websockets.exceptions import ConnectionClosed

from ..close_codes import StreamEnd, advice_after_close, advice_after_refusal
from ..errors import SvcAsrFailure, SvcAsrStreamError, stream_ended
from ..messages import (
    ConfigAck,
    ContextSize,
    ErrorEvent,
    Event,
    Final,
    Phrase,
    Ready,
    ResetAck,
    parse_event,
    phrase_fields,
)
from ..resources import AsrSession
from .connection import Connection, open_connection
from .event_queue import EventQueue
from .frames import MAX_FRAME_BYTES, Framer, PcmAudio, pcm_bytes
from .message_rate import MessageRate

T = TypeVar("T")
SessionFactory = Callable[[], Awaitable[AsrSession]]

# The service allows 20 text messages per second after a burst of 40. Messages can arrive closer
# together than they were sent, so the client sends fewer.
_MESSAGES_PER_SECOND = 16
_MESSAGE_BURST = 32
_CONFIG_ERRORS = ("invalid_config", "config_not_allowed")


@dataclass(frozen=True)
class StreamOptions:
    """Options of a stream."""

    ssl_context: ssl.SSLContext | None = None
    """TLS settings. By default the CAs of the system are trusted."""
    connect_timeout_s: float = 10.0
    """Timeout of the handshake. The service limits the wait for `ready`."""
    silence_timeout_s: float | None = 120.0
    """The stream ends if the service is silent for this time. None disables the check."""


class AsrStream:
    """A stream of one session.

    Iterating over it returns its events. Leaving the loop does not close the stream. Messages are
    sent in the order of the calls. Use it with `async with`, or call `close`.
    """

    def __init__(
        self, create_session: SessionFactory, options: StreamOptions | None = None
    ) -> None:
        loop = asyncio.get_running_loop()
        self._options = options or StreamOptions()
        self._events = EventQueue()
        self._opened: asyncio.Future[Connection] = _quiet(loop.create_future())
        self._ready: asyncio.Future[Ready] = _quiet(loop.create_future())
        self._closed: asyncio.Future[StreamEnd] = loop.create_future()
        self._config_acks: deque[asyncio.Future[ConfigAck]] = deque()
        self._reset_acks: deque[asyncio.Future[ResetAck]] = deque()
        self._finals: deque[asyncio.Future[Final]] = deque()
        self._sending = asyncio.Lock()
        self._framer = Framer()
        self._rate = MessageRate(_MESSAGES_PER_SECOND, _MESSAGE_BURST)
        self._session: AsrSession | None = None
        self._fatal: str | None = None
        self._task = loop.create_task(self._run(create_session))

    @property
    def session(self) -> AsrSession | None:
        """The session. None until it was created."""
        return self._session

    @property
    def last_error(self) -> str | None:
        """Message of the `error` event that ended the stream."""
        return self._fatal

    async def ready(self) -> Ready:
        """Wait until the service accepts audio. `send` does this automatically."""
        return await asyncio.shield(self._ready)

    async def closed(self) -> StreamEnd:
        """Wait for the end of the stream. Raises nothing if the stream failed."""
        return await asyncio.shield(self._closed)

    async def send(self, pcm: PcmAudio) -> None:
        """Send audio: 16,000 Hz, one channel, 16 bits. Waits until there is room for more."""
        data = pcm_bytes(pcm)
        async with self._sending:
            ready = await self.ready()
            for frame in self._framer.cut(data, min(ready.max_frame_bytes, MAX_FRAME_BYTES)):
                await self._transmit(frame)

    async def configure(
        self,
        *,
        language: str | None = None,
        context: ContextSize | None = None,
        endpointing_ms: int | None = None,
        phrases: Sequence[Phrase] = (),
    ) -> ConfigAck:
        """Configure recognition, before the first audio of an utterance.

        Omitted values are the defaults of the model, so each call replaces the whole configuration.
        With `endpointing_ms`, the service ends an utterance after that much silence (200 to 5,000).
        With `phrases`, it prefers these words.
        """
        message: dict[str, Any] = {"type": "config"}
        if language is not None:
            message["language"] = language
        if context is not None:
            message["context"] = list(context)
        if endpointing_ms is not None:
            message["endpointing"] = {"silence_ms": endpointing_ms}
        if phrases:
            message["phrases"] = [phrase_fields(phrase) for phrase in phrases]
        await asyncio.shield(self._opened)
        return await self._request(message, self._config_acks)

    async def flush(self) -> Final:
        """Finalize the utterance and return its final transcript."""
        await self.ready()
        return await self._request({"type": "flush"}, self._finals)

    async def reset(self) -> ResetAck:
        """Drop the utterance and start a new one."""
        await self.ready()
        return await self._request({"type": "reset"}, self._reset_acks)

    async def keep_alive(self) -> None:
        """Restart the idle timeout of the service while there is no audio. Free of charge."""
        await self.post({"type": "keepalive"})

    async def post(self, message: dict[str, Any]) -> None:
        """Send a text message in the order of the calls, without waiting for an answer."""
        await self.ready()
        async with self._sending:
            await self._send_text(message)

    async def close(self) -> StreamEnd:
        """End the session, even before `Ready`. Audio that was not flushed gets no `Final`."""
        if not self._ready.done():
            self._task.cancel()
            self._finish(StreamEnd(1000, "", advice_after_close(1000, "")))
        elif not self._closed.done():
            async with self._sending:
                await self._opened.result().close()
        return await self.closed()

    async def __aenter__(self) -> AsrStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __aiter__(self) -> AsrStream:
        return self

    async def __anext__(self) -> Event:
        event = await self._events.next()
        if event is None:
            raise StopAsyncIteration
        return event

    def __repr__(self) -> str:
        return f"AsrStream({self._session!r})"

    async def _request(self, message: dict[str, Any], waiting: deque[asyncio.Future[T]]) -> T:
        """Send a message in order and return the reply. Later calls do not wait for the reply."""
        async with self._sending:
            if message["type"] != "config":
                self._framer.drop()
            reply: asyncio.Future[T] = _quiet(asyncio.get_running_loop().create_future())
            waiting.append(reply)
            await self._send_text(message)
        return await reply

    async def _send_text(self, message: dict[str, Any]) -> None:
        loop = asyncio.get_running_loop()
        wait_s = self._rate.take(loop.time())
        while wait_s > 0:
            await asyncio.sleep(wait_s)
            wait_s = self._rate.take(loop.time())
        await self._transmit(json.dumps(message))

    async def _transmit(self, data: str | bytes) -> None:
        try:
            await self._opened.result().send(data)
        except ConnectionClosed:
            # Only the task that reads events gets the close code, maybe after another `final`.
            end = await self.closed()
            raise end.error or stream_ended(end, self._fatal) from None

    async def _run(self, create_session: SessionFactory) -> None:
        try:
            await self._serve(create_session)
        finally:
            # Ends the stream if the task was cancelled or failed. Otherwise, it has already ended.
            self._finish(StreamEnd(1006, "", advice_after_close(1006, "")))

    async def _serve(self, create_session: SessionFactory) -> None:
        options = self._options
        try:
            self._session = await create_session()
            connection = await open_connection(
                self._session,
                ssl_context=options.ssl_context,
                timeout_s=options.connect_timeout_s,
                silence_timeout_s=options.silence_timeout_s,
            )
        except (SvcAsrFailure, ValueError) as error:
            self._finish(StreamEnd(1006, "", advice_after_refusal(error), error))
            return
        self._opened.set_result(connection)
        watch = asyncio.create_task(connection.watch_silence())
        try:
            while (data := await connection.receive()) is not None:
                event = parse_event(data)
                if event is not None:
                    self._receive(event)
        finally:
            watch.cancel()
            connection.abandon()
        code, reason = connection.close_code, connection.close_reason
        self._finish(StreamEnd(code, reason, advice_after_close(code, reason)))

    def _receive(self, event: Event) -> None:
        if isinstance(event, Ready):
            self._ready.set_result(event)
        elif isinstance(event, ConfigAck):
            _resolve(self._config_acks, event)
        elif isinstance(event, ResetAck):
            _resolve(self._reset_acks, event)
        elif isinstance(event, Final) and not event.endpoint:
            _resolve(self._finals, event)
        elif isinstance(event, ErrorEvent):
            if event.fatal:
                self._fatal = event.message
            elif event.code in _CONFIG_ERRORS:
                _resolve(self._config_acks, SvcAsrStreamError(event.code, event.message))
        self._events.push(event)

    def _finish(self, end: StreamEnd) -> None:
        """End the stream, unless it has already ended. Waiting calls fail."""
        if self._closed.done():
            return
        failure = end.error or stream_ended(end, self._fatal)
        waiting: list[asyncio.Future[Any]] = [
            self._opened,
            self._ready,
            *self._config_acks,
            *self._reset_acks,
            *self._finals,
        ]
        for future in waiting:
            if not future.done():
                future.set_exception(failure)
        self._events.end(end.error)
        self._closed.set_result(end)


def open_stream(session: AsrSession, options: StreamOptions | None = None) -> AsrStream:
    """Stream a session that a server created. Needs no API key, so apps can use it."""

    async def create_session() -> AsrSession:
        return session

    return AsrStream(create_session, options)


def _resolve(waiting: deque[asyncio.Future[T]], reply: T | SvcAsrStreamError) -> None:
    """Resolve the oldest waiting call. The service answers calls of the same kind in order."""
    future = waiting.popleft() if waiting else None
    if future is None or future.done():
        return
    if isinstance(reply, SvcAsrStreamError):
        future.set_exception(reply)
    else:
        future.set_result(reply)


def _quiet(future: asyncio.Future[T]) -> asyncio.Future[T]:
    """Prevent asyncio from logging a failure that no caller awaits. `closed` reports it."""
    future.add_done_callback(lambda done: None if done.cancelled() else done.exception())
    return future
