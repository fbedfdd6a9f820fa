"""A service that follows the stream protocol without recognizing speech."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from svc_asr import AsrSession, SvcAsrError

CHUNK_MS = 1120
CONFIDENCE = 0.5
"""Confidence of each word."""


@dataclass
class Script:
    """Behaviour of one stream. With the default values, the stream follows the protocol."""

    seconds: float = 300.0
    end_at_ms: int | None = None
    """Ends the stream when this much audio was accepted."""
    end_code: int = 1006
    """Close code at `end_at_ms`. 1006 breaks the connection."""
    sends_final: bool = False
    """Sends a `final` before the end."""
    refuses_config: bool = False


@dataclass
class Received:
    """Everything that a stream received."""

    audio: bytearray = field(default_factory=bytearray)
    messages: list[dict[str, Any]] = field(default_factory=list)


class ScriptedService:
    """Serves each session by its script. Each sample of the audio that is not 0 starts a word.

    The text of a word is the value of its sample, and the word lasts 200 ms.
    """

    def __init__(self, scripts: list[Script]) -> None:
        self.scripts = scripts
        self.streams: list[Received] = []
        self.refusals: list[SvcAsrError] = []
        self.created = 0
        self.requested: list[int] = []
        self.cancelled: list[str] = []
        self.url = ""
        self.first_message = asyncio.Event()

    async def create_session(self, max_audio_seconds: int = 60) -> AsrSession:
        """Create a session, or raise the next refusal."""
        self.requested.append(max_audio_seconds)
        if self.refusals:
            raise self.refusals.pop(0)
        self.created += 1
        script = self.scripts[min(self.created, len(self.scripts)) - 1]
        return AsrSession.from_dict(
            {
                "id": f"session-{self.created}",
                "model": "svc-asr-kikuyu-v1",
                "websocket_url": f"{self.url}/{self.created}",
                "websocket_protocols": ["svc.realtime.v1", "svc.auth.secret"],
                "expires_at": "2026-01-01T00:01:00Z",
                "audio": {"max_audio_seconds": script.seconds},
                "credits": {"remaining": 1000},
            }
        )

    async def cancel_session(self, session_id: str) -> None:
        self.cancelled.append(session_id)

    async def serve_stream(self, socket: ServerConnection) -> None:
        number = int((socket.request.path if socket.request else "/1").strip("/"))
        script = self.scripts[min(number, len(self.scripts)) - 1]
        received = Received()
        self.streams.append(received)
        try:
            await _Stream(socket, script, received, self.first_message).run()
        except ConnectionClosed:
            return


class _Stream:
    def __init__(
        self,
        socket: ServerConnection,
        script: Script,
        received: Received,
        first_message: asyncio.Event,
    ) -> None:
        self.first_message = first_message
        self.socket = socket
        self.script = script
        self.received = received
        self.start_ms = 0
        self.utterance = 1

    @property
    def ms(self) -> int:
        return -(-len(self.received.audio) // 32)

    async def emit(self, kind: str, **fields: object) -> None:
        await self.socket.send(json.dumps({"type": kind, **fields}))

    async def run(self) -> None:
        await self.emit("status", state="initializing", message="Starting.")
        await self.emit(
            "ready",
            session_id="s",
            model="m",
            chunk_samples=17_920,
            sample_rate_hz=16_000,
            context_size=[56, 13],
            max_frame_bytes=65_536,
            max_audio_seconds=self.script.seconds,
        )
        async for data in self.socket:
            if isinstance(data, bytes):
                if await self.accept(data):
                    return
            else:
                await self.handle(json.loads(data))

    async def handle(self, message: dict[str, Any]) -> None:
        self.received.messages.append(message)
        self.first_message.set()
        if message["type"] == "flush":
            await self.finalize()
        elif message["type"] == "reset":
            self.start_ms = self.ms
            self.utterance += 1
            await self.emit("reset_ack", utterance=self.utterance)
        elif message["type"] == "config" and self.script.refuses_config:
            await self.emit("error", code="invalid_config", message="No.", fatal=False)
        elif message["type"] == "config":
            context = message.get("context", [56, 13])
            await self.emit("config_ack", language="ki", context_size=context, chunk_samples=1280)

    async def accept(self, data: bytes) -> bool:
        """Accept audio. Returns True if the stream ended."""
        script = self.script
        limit = int(script.seconds * 32_000)
        before = self.ms // CHUNK_MS
        self.received.audio += data[: limit - len(self.received.audio)]
        if self.ms // CHUNK_MS > before:
            text = " ".join(word["text"] for word in self.words())
            await self.emit("delta", text=text, utterance=self.utterance, audio_end_ms=self.ms)
        if script.end_at_ms is not None and self.ms >= script.end_at_ms:
            if script.sends_final:
                await self.finalize()
            if script.end_code == 1006:
                self.socket.transport.abort()
            else:
                await self.socket.close(script.end_code, "")
            return True
        if len(self.received.audio) >= limit:
            await self.finalize()
            await self.socket.close(1000, "audio_limit_reached")
            return True
        return False

    def words(self) -> list[dict[str, Any]]:
        words = []
        audio = memoryview(bytes(self.received.audio)).cast("h")
        for at in range(self.start_ms * 16, len(audio)):
            if audio[at]:
                ms = at // 16
                times = {"start_ms": ms, "end_ms": min(ms + 200, self.ms)}
                words.append({"text": str(audio[at]), **times, "confidence": CONFIDENCE})
        return words

    async def finalize(self) -> None:
        words = self.words()
        await self.emit(
            "final",
            text=" ".join(word["text"] for word in words),
            utterance=self.utterance,
            audio_start_ms=self.start_ms,
            audio_end_ms=self.ms,
            words=words,
        )
        self.utterance += 1
        self.start_ms = self.ms


@asynccontextmanager
async def scripted_service(*scripts: Script) -> AsyncIterator[ScriptedService]:
    """Start a service. Stream n follows script n. Additional streams follow the last script."""
    service = ScriptedService(list(scripts) or [Script()])
    async with serve(
        service.serve_stream,
        "127.0.0.1",
        0,
        subprotocols=[Subprotocol("svc.realtime.v1")],
        ping_interval=None,
    ) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        service.url = f"ws://127.0.0.1:{port}"
        yield service


def run_with_service(
    body: Callable[[ScriptedService], Any], *scripts: Script, timeout_s: float = 60
) -> ScriptedService:
    """Run a test body with a service, and return the service."""

    async def run() -> ScriptedService:
        async with scripted_service(*scripts) as service:
            await asyncio.wait_for(body(service), timeout_s)
            return service

    return asyncio.run(run())
