"""Tests of the stream of one session."""

from __future__ import annotations

import asyncio

import pytest
from scripted_service import Script, ScriptedService, run_with_service

from svc_asr import (
    AsrStream,
    ConfigAck,
    Delta,
    Final,
    Phrase,
    Ready,
    Status,
    SvcAsrConnectionLost,
    SvcAsrError,
    SvcAsrServiceFailed,
    SvcAsrStreamError,
)
from svc_asr.messages import parse_event
from svc_asr.stream.event_queue import EventQueue
from svc_asr.stream.frames import Framer
from svc_asr.stream.message_rate import MessageRate


def test_a_stream_sends_messages_in_order_and_returns_events_and_the_final_of_a_flush() -> None:
    async def body(service: ScriptedService) -> None:
        async with AsrStream(service.create_session) as stream:
            ack = await stream.configure(
                language="ki",
                context=(56, 3),
                endpointing_ms=500,
                phrases=[Phrase("nyeri"), Phrase("thika", 2.5)],
            )
            assert ack.context_size == (56, 3)
            await stream.send(bytes(70_001))
            await stream.send(bytes(1))
            final = await stream.flush()
            assert (final.audio_start_ms, final.audio_end_ms) == (0, 70_002 // 32 + 1)
            assert (await stream.reset()).utterance == 3
            await stream.keep_alive()
            end = await stream.close()
            assert (end.code, end.advice.retry) == (1000, "never")
            kinds = [type(event) for event in [event async for event in stream]]
        assert kinds[:2] == [Status, Ready]
        assert Delta in kinds
        assert Final in kinds

    service = run_with_service(body)
    (received,) = service.streams
    assert received.messages[0] == {
        "type": "config",
        "language": "ki",
        "context": [56, 3],
        "endpointing": {"silence_ms": 500},
        "phrases": [{"text": "nyeri"}, {"text": "thika", "boost": 2.5}],
    }
    assert [message["type"] for message in received.messages[1:]] == ["flush", "reset", "keepalive"]


def test_a_config_ack_contains_the_effective_phrases() -> None:
    fields = '"type": "config_ack", "language": "ki", "context_size": [56, 3], "chunk_samples": 1'
    plain = parse_event("{" + fields + "}")
    assert isinstance(plain, ConfigAck)
    assert plain.phrases == ()
    ack = parse_event("{" + fields + ', "phrases": [{"text": "nyeri", "boost": 5}]}')
    assert isinstance(ack, ConfigAck)
    assert ack.phrases == (Phrase("nyeri", 5),)


def test_configure_raises_the_error_of_the_service_and_the_stream_continues() -> None:
    async def body(service: ScriptedService) -> None:
        async with AsrStream(service.create_session) as stream:
            with pytest.raises(SvcAsrStreamError, match=r"No\.") as caught:
                await stream.configure(language="xx")
            assert caught.value.code == "invalid_config"
            assert (await stream.flush()).text == ""

    run_with_service(body, Script(refuses_config=True))


@pytest.mark.parametrize(
    ("code", "exception"), [(1006, SvcAsrConnectionLost), (1011, SvcAsrServiceFailed)]
)
def test_pending_calls_raise_the_exception_of_the_close_code(
    code: int, exception: type[Exception]
) -> None:
    async def body(service: ScriptedService) -> None:
        async with AsrStream(service.create_session) as stream:
            await stream.send(bytes(32_000))
            with pytest.raises(exception):
                await stream.flush()
            end = await stream.closed()
            assert (end.code, end.advice.retry) == (code, "new-session")

    run_with_service(body, Script(end_at_ms=500, end_code=code))


def test_a_stream_without_a_session_raises_the_refusal() -> None:
    async def body(service: ScriptedService) -> None:
        refusal = SvcAsrError("No.", status=402, type="t", code="insufficient_credits")
        service.refusals.append(refusal)
        stream = AsrStream(service.create_session)
        with pytest.raises(SvcAsrError):
            await stream.send(bytes(2))
        end = await stream.close()
        assert (end.code, end.error, end.advice.retry) == (1006, refusal, "never")

    run_with_service(body)


def test_close_before_ready_ends_the_stream() -> None:
    async def body(service: ScriptedService) -> None:
        stream = AsrStream(service.create_session)
        assert (await stream.close()).code == 1000

    run_with_service(body)


def test_parse_event_ignores_unknown_and_damaged_messages() -> None:
    assert parse_event('{"type":"new"}') is None
    assert parse_event('{"type":"delta"}') is None
    assert parse_event("[]") is None
    assert parse_event("{") is None


def test_parse_event_reads_endpoint_finals() -> None:
    event = parse_event(
        '{"type":"final","text":"a","utterance":1,"audio_start_ms":0,"audio_end_ms":9,'
        '"words":[{"text":"a","start_ms":1,"end_ms":2}],"endpoint":true,"later":1}'
    )
    assert isinstance(event, Final)
    assert event.endpoint
    assert event.words[0].end_ms == 2


def test_parse_event_reads_the_confidence_of_words_if_it_is_reported() -> None:
    event = parse_event(
        '{"type":"final","text":"a b","utterance":1,"audio_start_ms":0,"audio_end_ms":9,'
        '"words":[{"text":"a","start_ms":1,"end_ms":2,"confidence":0.25},'
        '{"text":"b","start_ms":3,"end_ms":4}]}'
    )
    assert isinstance(event, Final)
    assert [word.confidence for word in event.words] == [0.25, None]


def test_event_queue_replaces_an_unread_delta_of_the_same_utterance() -> None:
    async def body() -> list[object]:
        queue = EventQueue()
        for text, utterance in (("a", 1), ("ab", 1), ("c", 2)):
            queue.push(Delta(text, utterance, 0))
        queue.end()
        return [await queue.next(), await queue.next(), await queue.next()]

    first, second, third = asyncio.run(body())
    assert (first, second, third) == (Delta("ab", 1, 0), Delta("c", 2, 0), None)


def test_framer_keeps_half_a_sample_for_the_next_call() -> None:
    framer = Framer()
    assert list(framer.cut(b"abcde", 2)) == [b"ab", b"cd"]
    assert list(framer.cut(b"f", 100)) == [b"ef"]
    assert list(framer.cut(b"g", 100)) == []
    framer.drop()
    assert list(framer.cut(b"hi", 100)) == [b"hi"]


def test_message_rate_allows_a_burst_and_then_one_message_per_interval() -> None:
    rate = MessageRate(10, 3)
    assert [rate.take(0.0) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert rate.take(0.0) == pytest.approx(0.1)
    assert rate.take(0.1) == 0.0
