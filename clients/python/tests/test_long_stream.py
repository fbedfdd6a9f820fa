"""Tests of continuous transcripts over several sessions."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import pytest
from scripted_service import CONFIDENCE, Script, ScriptedService, run_with_service

from svc_asr import (
    Delta,
    Final,
    LongStream,
    SvcAsrAccountSuspended,
    SvcAsrError,
    SvcAsrServiceFailed,
    SvcAsrStreamError,
    Transcript,
    open_long_stream,
)
from svc_asr.long import long_stream as long_stream_module
from svc_asr.long.plan import LongStreamPlan

SECOND = 16_000
HELD = SvcAsrError("No.", status=429, type="t", code="concurrency_limit_exceeded")


def audio_of(seconds: float, words: Sequence[tuple[float, int]]) -> bytes:
    """Return audio with words. Each sample that is not 0 is a word for the scripted service."""
    samples = array("h", bytes(int(seconds * SECOND) * 2))
    for second, value in words:
        samples[round(second * SECOND)] = value
    return samples.tobytes()


def speech(seconds: float) -> bytes:
    """Return audio with a loud word in each 200 ms, so that it has no pause."""
    return audio_of(seconds, [(at / 5 + 0.05, 20_000 + at) for at in range(int(seconds * 5))])


def open_long(service: ScriptedService, total_samples: int | None = None) -> LongStream:
    async def prepare() -> LongStreamPlan:
        return LongStreamPlan(service.create_session, service.cancel_session)

    return LongStream(prepare, total_samples=total_samples)


async def transcribe(service: ScriptedService, audio: bytes) -> Transcript:
    async with open_long(service) as stream:
        for at in range(0, len(audio), 8000):
            await stream.send(audio[at : at + 8000])
        return await stream.finish()


async def collect_finals(stream: LongStream, finals: list[Final]) -> None:
    async for event in stream:
        if isinstance(event, Final):
            finals.append(event)


def check_words(transcript: Transcript, expected: Sequence[tuple[float, int]]) -> None:
    assert [(word.start_ms, word.text) for word in transcript.words] == [
        (round(second * 1000), str(value)) for second, value in expected
    ]
    assert {word.confidence for word in transcript.words} <= {CONFIDENCE}
    assert transcript.text == " ".join(str(value) for _, value in expected)


def test_a_session_ends_at_a_pause_and_no_audio_is_sent_twice() -> None:
    spoken = [(at / 5, 9000 + at) for at in range(95)]
    pause = [(20 + at / 5, 9000 + at) for at in range(10)]
    audio = audio_of(22, spoken + pause)

    async def body(service: ScriptedService) -> None:
        transcript = await transcribe(service, audio)
        check_words(transcript, spoken + pause)
        assert transcript.duration_ms == 22_000
        assert [final.utterance for final in transcript.finals] == [1, 2]
        assert transcript.session_ids == ("session-1", "session-2")

    service = run_with_service(body, Script(seconds=20))
    assert b"".join(bytes(stream.audio) for stream in service.streams) == audio
    first = len(service.streams[0].audio) / 32_000
    assert 18.8 < first < 20


def test_without_a_pause_the_next_session_restarts_at_the_last_complete_word() -> None:
    audio = speech(25)
    expected = [(at / 5 + 0.05, 20_000 + at) for at in range(125)]

    async def body(service: ScriptedService) -> None:
        check_words(await transcribe(service, audio), expected)

    service = run_with_service(body, Script(seconds=10))
    seams = len(service.streams) - 1
    sent = sum(len(stream.audio) for stream in service.streams)
    assert seams >= 2
    assert 0 < sent - len(audio) <= seams * 2 * 32_000


@pytest.mark.parametrize(("code", "sends_final"), [(1001, True), (1006, False), (1011, False)])
def test_a_new_session_continues_after_the_stream_was_lost(code: int, sends_final: bool) -> None:
    audio = speech(12)
    expected = [(at / 5 + 0.05, 20_000 + at) for at in range(60)]
    deltas: list[int] = []

    async def body(service: ScriptedService) -> None:
        async with open_long(service) as stream:
            for at in range(0, len(audio), 8000):
                await stream.send(audio[at : at + 8000])
            check_words(await stream.finish(), expected)
            deltas.extend(
                [event.audio_end_ms async for event in stream if isinstance(event, Delta)]
            )

    service = run_with_service(
        body, Script(end_at_ms=5000, end_code=code, sends_final=sends_final), Script()
    )
    assert service.created == 2
    assert service.cancelled == (["session-1"] if code == 1006 else [])
    assert deltas == sorted(set(deltas))


def test_a_pending_flush_is_sent_again_to_the_new_session() -> None:
    async def body(service: ScriptedService) -> None:
        async with open_long(service) as stream:
            await stream.send(audio_of(2, [(0.5, 7)]))
            final = await stream.flush()
            assert (final.text, final.audio_end_ms) == ("7", 2000)
            await stream.send(audio_of(3, [(0.5, 8)]))
            final = await stream.flush()
            assert (final.text, final.utterance) == ("8", 2)
            assert (final.words[0].start_ms, final.audio_end_ms) == (2500, 5000)

    service = run_with_service(body, Script(end_at_ms=4000), Script())
    assert len(service.streams[1].audio) == 3 * 32_000


def test_create_session_is_retried_after_concurrency_limit_exceeded() -> None:
    async def body(service: ScriptedService) -> None:
        service.refusals.extend([HELD, HELD])
        transcript = await transcribe(service, audio_of(1, [(0.5, 7)]))
        assert transcript.text == "7"

    assert run_with_service(body).refusals == []


def test_other_refusals_end_the_long_stream() -> None:
    async def body(service: ScriptedService) -> None:
        service.refusals.append(
            SvcAsrError("No.", status=402, type="t", code="insufficient_credits")
        )
        with pytest.raises(SvcAsrError):
            await transcribe(service, audio_of(1, []))

    assert run_with_service(body).created == 0


def test_a_suspended_account_raises_after_the_whole_final_transcript() -> None:
    async def body(service: ScriptedService) -> None:
        async with open_long(service) as stream:
            await stream.send(speech(4))
            with pytest.raises(SvcAsrAccountSuspended):
                await stream.finish()
            finals: list[Final] = []
            with pytest.raises(SvcAsrAccountSuspended):
                await collect_finals(stream, finals)
            assert len(finals[0].words) == 15

    run_with_service(body, Script(end_at_ms=3000, end_code=4403, sends_final=True))


def test_audio_that_always_fails_ends_the_long_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svc_asr.long.reconnect.backoff_s", lambda *_: 0.0)

    async def body(service: ScriptedService) -> None:
        with pytest.raises(SvcAsrServiceFailed):
            await transcribe(service, speech(2))

    assert run_with_service(body, Script(end_at_ms=1000, end_code=1011)).created == 6


def test_a_refused_configuration_ends_the_long_stream() -> None:
    async def body(service: ScriptedService) -> None:
        async with open_long_stream(service.create_session, context=(1, 2)) as stream:
            with pytest.raises(SvcAsrStreamError):
                await stream.finish()

    run_with_service(body, Script(refuses_config=True))


def test_an_idle_long_stream_sends_keep_alives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_stream_module, "_KEEP_ALIVE_S", 0.01)

    async def body(service: ScriptedService) -> None:
        async with open_long(service) as stream:
            await stream.send(bytes(3200))
            await service.first_message.wait()

    (stream,) = run_with_service(body).streams
    assert stream.messages[0] == {"type": "keepalive"}


def test_send_raises_after_close() -> None:
    async def body(service: ScriptedService) -> None:
        stream = open_long(service)
        await stream.send(bytes(3200))
        await stream.close()
        with pytest.raises(Exception, match="was closed"):
            await stream.send(bytes(2))

    run_with_service(body)


def test_reset_drops_the_utterance_also_after_a_lost_connection() -> None:
    async def body(service: ScriptedService) -> None:
        async with open_long(service) as stream:
            await stream.send(audio_of(2, [(0.5, 7)]))
            assert (await stream.reset()).utterance == 2
            await stream.send(audio_of(3, [(0.5, 8)]))
            assert (await stream.reset()).utterance == 3
            await stream.send(audio_of(1, [(0.5, 9)]))
            transcript = await stream.finish()
            assert transcript.text == "9"
            assert transcript.words[0].start_ms == 5500

    service = run_with_service(body, Script(end_at_ms=4000), Script())
    assert len(service.streams[1].audio) == 32_000


def test_a_known_length_reserves_only_what_is_needed_and_avoids_a_seam() -> None:
    audio = audio_of(8, [(0.5, 7), (6.5, 8)])

    async def body(service: ScriptedService) -> None:
        async with open_long(service, len(audio) // 2) as stream:
            await stream.send(audio)
            assert (await stream.finish()).text == "7 8"

    service = run_with_service(body, Script(seconds=8))
    assert service.requested == [8]
