"""Tests against a running service. `npm run python` starts it and sets the variables."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import dataclasses
import difflib
import json
import os
import ssl
import subprocess
import time
import wave
from array import array
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import phone_call
import pytest

import svc_asr
from svc_asr import (
    AsrSession,
    Client,
    Delta,
    Final,
    SessionDetail,
    SpeechEnded,
    SpeechStarted,
    StreamOptions,
    SvcAsrError,
    Transcript,
    open_long_stream,
)

RECORDINGS = Path(os.environ["SVC_ASR_TEST_RECORDINGS"])
INSTALLED_PYTHON = os.environ["SVC_ASR_TEST_PYTHON"]
SAMPLE = Path(os.environ["SVC_ASR_TEST_SAMPLE"])
SAMPLE_URL = "https://asr.example.com"
EXAMPLES = Path(__file__).parent.parent / "examples"
MODEL = "svc-asr-kikuyu-v1"
SECOND_BYTES = 32_000

T = TypeVar("T")


def run(body: Callable[[Client], Awaitable[T]]) -> T:
    async def with_client() -> T:
        async with Client() as client:
            return await asyncio.wait_for(body(client), 120)

    return asyncio.run(with_client())


def wait_until_settled() -> None:
    """Wait until all sessions have ended. A session ends a moment after its stream closes."""

    async def body(client: Client) -> None:
        while any(entry.completed_at is None for entry in (await client.usage()).recent_sessions):
            await asyncio.sleep(0.05)

    run(body)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow long waits on a slow machine, and wait until earlier sessions are settled."""
    monkeypatch.setattr("svc_asr.long.long_stream.JOIN_PATIENCE_S", 60)
    monkeypatch.setattr("svc_asr.long.long_stream.RECONNECT_PATIENCE_S", 60)
    wait_until_settled()


def read_recordings() -> list[bytes]:
    return [read_pcm(path) for path in sorted(RECORDINGS.glob("*.wav"))]


def read_pcm(path: Path) -> bytes:
    with wave.open(str(path)) as file:
        return bytes(file.readframes(file.getnframes()))


async def transcribe_pcm(client: Client, pcm: bytes, session_seconds: int) -> Transcript:
    async with client.long_stream(model=MODEL, max_session_seconds=session_seconds) as stream:
        for at in range(0, len(pcm), 6400):
            await stream.send(pcm[at : at + 6400])
        return await stream.finish()


def count_differences(first: list[str], second: list[str]) -> int:
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    return max(len(first), len(second)) - sum(block.size for block in matcher.get_matching_blocks())


async def settled(client: Client, session_id: str) -> SessionDetail:
    """Wait until a session has ended. It ends a moment after its stream closes."""
    deadline = time.monotonic() + 60
    while (session := await client.get_session(session_id)).completed_at is None:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
    return session


def run_installed(*arguments: str) -> str:
    """Run Python with the installed wheel and return its output."""
    # PYTHONPATH is removed, so that only the installed package can be imported.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [INSTALLED_PYTHON, *arguments],
        env=environment,
        cwd="/",
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def test_the_installed_wheel_transcribes_a_file() -> None:
    path = RECORDINGS / "ki_espeak_002.wav"
    printed = run_installed(str(EXAMPLES / "transcribe_file.py"), "ki", str(path))
    recognized = [line.split()[1] for line in printed.splitlines()]
    spoken = path.with_suffix(".txt").read_text().lower().split()
    assert count_differences(recognized, spoken) < len(spoken) / 2


def test_the_sample_of_the_api_reference_transcribes_a_file(tmp_path: Path) -> None:
    path = RECORDINGS / "ki_espeak_009.wav"
    sample = tmp_path / "stream.py"
    sample.write_text(SAMPLE.read_text().replace(SAMPLE_URL, os.environ["SVC_ASR_BASE_URL"]))
    transcript = svc_asr.transcribe(path, language="ki")
    wait_until_settled()
    assert run_installed(str(sample), str(path)).strip() == transcript.text != ""


def test_the_installed_wheel_is_typed_and_has_a_license() -> None:
    code = (
        "import importlib.metadata as m, pathlib, svc_asr;"
        "files = [str(f) for f in m.files('svc-asr')];"
        "print('site-packages' in svc_asr.__file__, 'svc_asr/py.typed' in files,"
        " any(f.endswith('LICENSE') for f in files))"
    )
    assert run_installed("-c", code).split() == ["True", "True", "True"]


def test_a_stream_returns_deltas_and_a_final_and_is_charged_to_the_second() -> None:
    pcm = read_recordings()[0]

    async def body(client: Client) -> None:
        session = await client.create_session(MODEL, max_audio_seconds=30, idempotency_key="once")
        again = await client.create_session(MODEL, max_audio_seconds=30, idempotency_key="once")
        assert again.id == session.id
        async with client.stream(session) as stream:
            ack = await stream.configure(language="ki", context=(56, 3))
            assert ack.context_size == (56, 3)
            await stream.send(pcm)
            final = await stream.flush()
            assert " ".join(word.text for word in final.words) == final.text != ""
            assert (await stream.reset()).utterance == 3
            await stream.keep_alive()
            assert (await stream.close()).code == 1000
            events = [event async for event in stream]
        assert any(isinstance(event, Delta) for event in events)
        detail = await settled(client, session.id)
        assert (detail.status, detail.close_code) == ("completed", 1000)
        assert detail.billable_ms == -(-len(pcm) // SECOND_BYTES) * 1000
        assert session.id in [entry.id for entry in (await client.usage()).recent_sessions]

    run(body)


def test_cancel_session_ends_a_reserved_session_as_expired() -> None:
    async def body(client: Client) -> None:
        session = await client.create_session(MODEL)
        with pytest.raises(SvcAsrError) as caught:
            await client.create_session(MODEL)
        assert caught.value.code == "concurrency_limit_exceeded"
        await client.cancel_session(session.id)
        assert (await settled(client, session.id)).status == "expired"

    run(body)


async def transcribe_parts(client: Client, pcm: bytes, transcript: Transcript) -> list[str]:
    """Transcribe the audio of each final in a session of its own. Returns all words."""
    words: list[str] = []
    for final in transcript.finals:
        part = pcm[final.audio_start_ms * 32 : final.audio_end_ms * 32]
        words += [word.text for word in (await transcribe_pcm(client, part, 60)).words]
    return words


async def check_joined(client: Client, pcm: bytes, max_differences: int) -> None:
    """Transcribe in sessions of 12 s, and check the transcript and the charge."""
    joined = await transcribe_pcm(client, pcm, 12)
    seams = len(joined.session_ids) - 1
    assert seams >= 3
    assert joined.finals[0].audio_start_ms == 0
    assert joined.finals[-1].audio_end_ms == joined.duration_ms
    starts = [word.start_ms for word in joined.words]
    assert starts == sorted(starts)
    charged_ms = 0
    for session_id in joined.session_ids:
        charged_ms += (await settled(client, session_id)).billable_ms
    # The charge of each session is rounded up to a second. Each seam may repeat up to two seconds.
    assert joined.duration_ms <= charged_ms <= joined.duration_ms + seams * 3000 + 1000
    expected = await transcribe_parts(client, pcm, joined)
    words = [word.text for word in joined.words]
    assert count_differences(words, expected) <= max_differences


def test_sessions_joined_at_pauses_return_the_words_of_separate_sessions() -> None:
    # A session ends at the first pause in its last tenth. The recordings are padded with silence,
    # so that there is such a pause.
    pcm = b"".join(recording.ljust(11 * SECOND_BYTES, b"\0") for recording in read_recordings())
    run(lambda client: check_joined(client, pcm, 0))


def test_sessions_joined_without_pauses_repeat_and_lose_almost_no_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("svc_asr.long.timeline.find_cut", lambda *_: None)
    pcm = b"".join(read_recordings())
    # A part that is recognized alone lacks the audio after it, so words at its end may differ.
    run(lambda client: check_joined(client, pcm, 3))


def test_endpointing_over_several_sessions_equals_separate_sessions() -> None:
    recordings = read_recordings()
    pcm = b"".join(recording.ljust(12 * SECOND_BYTES, b"\0") for recording in recordings)

    async def body(client: Client) -> None:
        events: list[svc_asr.Event] = []
        async with client.long_stream(
            model=MODEL, endpointing_ms=500, max_session_seconds=13
        ) as stream:
            await stream.send(pcm)
            transcript = await stream.finish()
            events += [event async for event in stream]
        assert sum(final.endpoint for final in transcript.finals) >= len(recordings)
        words = [word.text for word in transcript.words]
        assert words == await transcribe_parts(client, pcm, transcript)
        for final in (final for final in transcript.finals if final.words):
            kinds = [type(event) for event in events if event_utterance(event) == final.utterance]
            assert kinds[0] is SpeechStarted
            assert kinds[-2:] == [SpeechEnded, Final]

    run(body)


def event_utterance(event: svc_asr.Event) -> int | None:
    if isinstance(event, Delta | Final | SpeechStarted | SpeechEnded):
        return event.utterance
    return None


class CuttingProxy:
    """Forwards connections to the service. Breaks the first connection after some bytes."""

    def __init__(self, port: int, cut_after_bytes: int) -> None:
        self._port = port
        self._left: float = cut_after_bytes
        self.connections = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        service_reader, service_writer = await asyncio.open_connection("127.0.0.1", self._port)
        back = asyncio.create_task(self._copy(service_reader, writer, limited=False))
        await self._copy(reader, service_writer, limited=self.connections == 1)
        for transport in (writer.transport, service_writer.transport):
            transport.abort()
        await asyncio.wait([back])

    async def _copy(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, limited: bool
    ) -> None:
        with contextlib.suppress(OSError):
            while (data := await reader.read(4096)) and (not limited or self._left > 0):
                if limited:
                    self._left -= len(data)
                writer.write(data)
                await writer.drain()


def test_a_stream_continues_after_its_connection_was_cut() -> None:
    pcm = read_recordings()[0]

    async def body(client: Client) -> None:
        expected = await transcribe_pcm(client, pcm, 60)
        address = urlsplit(os.environ["SVC_ASR_BASE_URL"])
        proxy = CuttingProxy(address.port or 443, len(pcm) // 2)
        async with await asyncio.start_server(proxy.serve, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]

            async def create_session(max_audio_seconds: int) -> AsrSession:
                session = await client.create_session(MODEL, max_audio_seconds=max_audio_seconds)
                url = session.websocket_url.replace(f":{address.port}/", f":{port}/")
                return dataclasses.replace(session, websocket_url=url)

            options = StreamOptions(
                ssl.create_default_context(cafile=os.environ["SVC_ASR_CA_FILE"])
            )
            async with open_long_stream(create_session, options=options) as stream:
                await stream.send(pcm)
                transcript = await stream.finish()
        assert proxy.connections == 2
        assert transcript.words == expected.words

    run(body)


def test_transcribe_works_inside_an_event_loop_and_with_every_latency() -> None:
    path = RECORDINGS / "ki_espeak_009.wav"

    async def inside() -> Transcript:
        return svc_asr.transcribe(path, language="ki-KE", latency="accurate")

    events: list[svc_asr.Event] = []
    low = svc_asr.transcribe(path, model=MODEL, latency="low", on_event=events.append)
    accurate = asyncio.run(inside())
    balanced = svc_asr.transcribe(path, model=MODEL, latency="balanced")
    for transcript in (low, balanced, accurate):
        assert transcript.words
        assert transcript.duration_ms == pytest.approx(len(read_pcm(path)) / 32, abs=100)
    assert isinstance(events[-1], Final)


def encode_mulaw(samples: array[int]) -> bytes:
    table = svc_asr.decode_mulaw(bytes(range(256)))
    codes = {}
    for sample in set(samples):
        codes[sample] = min(range(256), key=lambda code: abs(table[code] - sample))
    return bytes(codes[sample] for sample in samples)


def test_the_phone_example_transcribes_mulaw_audio() -> None:
    pcm = array("h", read_pcm(RECORDINGS / "ki_espeak_002.wav"))
    half_rate = svc_asr.Resampler(16_000, 8000)
    call = encode_mulaw(half_rate.push(pcm) + half_rate.end())

    async def messages() -> AsyncIterator[str]:
        yield json.dumps({"event": "start"})
        for at in range(0, len(call), 160):
            payload = base64.b64encode(call[at : at + 160]).decode()
            yield json.dumps({"event": "media", "media": {"payload": payload}})
        yield json.dumps({"event": "stop"})

    async def body(client: Client) -> Transcript:
        with contextlib.redirect_stdout(None):
            return await phone_call.transcribe_call(messages(), client, "ki")

    transcript = run(body)
    wide = run(lambda client: transcribe_pcm(client, pcm.tobytes(), 60))
    words = [word.text for word in wide.words]
    assert count_differences([word.text for word in transcript.words], words) <= len(words) / 3
