"""Tests of pauses, seams and decisions after the end of a stream."""

from __future__ import annotations

import math
from array import array

import pytest

from svc_asr import Final, ResetAck, StreamEnd, SvcAsrError, SvcAsrUnreachable, Word
from svc_asr.close_codes import advice_after_close
from svc_asr.long.pauses import Pause, PauseFinder
from svc_asr.long.reconnect import MAX_FAILURES, Decision, decide
from svc_asr.long.seams import find_cut, find_restart
from svc_asr.long.timeline import CloseSession, SendMessage, Timeline, WaitForChange

SECOND = 16_000


def tone(seconds: float, volume: int = 8000) -> bytes:
    count = int(seconds * SECOND)
    return array("h", [round(volume * math.sin(n / 5)) for n in range(count)]).tobytes()


def silence(seconds: float) -> bytes:
    return bytes(int(seconds * SECOND) * 2)


def test_pause_finder_finds_silence_of_at_least_300_ms() -> None:
    audio = tone(1) + silence(0.5) + tone(1) + silence(0.2) + tone(1) + tone(0.4, 100) + tone(1)
    finder = PauseFinder()
    for at in range(0, len(audio), 3331):
        finder.push(audio[at : at + 3331])
    assert list(finder.pauses()) == [
        Pause(SECOND, SECOND * 3 // 2),
        Pause(int(SECOND * 3.7), int(SECOND * 4.1)),
    ]


def test_pause_finder_reports_a_pause_that_continues_up_to_the_last_sample() -> None:
    finder = PauseFinder()
    finder.push(tone(1) + silence(0.4) + bytes(22))
    assert list(finder.pauses()) == [Pause(SECOND, SECOND + 6400 + 11)]


LIMIT = 300 * SECOND


@pytest.mark.parametrize(
    ("pause_s", "sent_s", "cut_s"),
    [
        ((100, 101), 50, None),
        ((269, 269.9), 260, None),
        ((269, 272), 260, 270.5),
        ((280, 280.3), 275, None),
        ((280, 281), 275, 280.5),
        ((280, 281), 280.7, 280.7),
        ((299.8, 301), 299, 300),
        ((301, 302), 290, None),
    ],
)
def test_find_cut_returns_a_pause_near_the_limit(
    pause_s: tuple[float, float], sent_s: float, cut_s: float | None
) -> None:
    pause = Pause(int(pause_s[0] * SECOND), int(pause_s[1] * SECOND))
    cut = find_cut([pause], 0, int(sent_s * SECOND), LIMIT)
    assert cut == (None if cut_s is None else pytest.approx(cut_s * SECOND, abs=16))
    assert cut is None or (cut % 16 == 0 and cut <= LIMIT)


def send_all(timeline: Timeline) -> list[str]:
    """Take all steps that are possible before the next answer. Returns the sent messages."""
    sent: list[str] = []
    while not isinstance(step := timeline.next_step(), CloseSession | WaitForChange):
        if isinstance(step, SendMessage):
            sent.append(step.type)
    return sent


@pytest.mark.parametrize(
    ("before", "after"), [(tone(9) + silence(0.5), b""), (tone(9.2), tone(0.1) + silence(0.4))]
)
def test_a_flush_before_the_cut_of_the_session_gets_its_own_final(
    before: bytes, after: bytes
) -> None:
    timeline = Timeline(10)
    timeline.start_session(10)
    timeline.append(before)
    flush = timeline.add_mark("flush")
    timeline.append(after)
    flush_ms = len(before) // 32
    assert send_all(timeline) == ["flush", "flush"]
    spoken = Final("a", 1, 0, flush_ms, (Word("a", 0, 9000),))
    assert timeline.receive(spoken) == [spoken]
    assert flush.reply == spoken
    assert timeline.receive(Final("", 2, flush_ms, 9500, ())) == []
    assert isinstance(timeline.next_step(), CloseSession)


def test_a_reset_before_the_cut_of_the_session_is_acknowledged() -> None:
    timeline = Timeline(10)
    timeline.start_session(10)
    timeline.append(tone(9) + silence(0.5))
    reset = timeline.add_mark("reset")
    assert send_all(timeline) == ["reset", "flush"]
    assert timeline.receive(ResetAck(2)) == [ResetAck(2)]
    assert reset.reply == ResetAck(2)
    timeline.receive(Final("", 2, 9500, 9500, ()))
    assert isinstance(timeline.next_step(), CloseSession)


def words(*spans: tuple[int, int]) -> tuple[Word, ...]:
    return tuple(Word(f"w{at}", start, end) for at, (start, end) in enumerate(spans))


@pytest.mark.parametrize(
    ("spans", "restart_ms", "kept"),
    [
        ([(1000, 1400), (8000, 8500), (9700, 9900)], 8500, 2),
        ([(1000, 1400), (9700, 9900)], 8000, 1),
        ([(1000, 1400), (9000, 9500)], 9500, 2),
        ([(1000, 1400)], 8000, 1),
        ([], 8000, 0),
        ([(7000, 9900)], 9900, 1),
        ([(9400, 9650), (9700, 9900)], 8000, 0),
    ],
)
def test_find_restart_is_the_end_of_the_last_complete_word_within_two_seconds(
    spans: list[tuple[int, int]], restart_ms: int, kept: int
) -> None:
    given = words(*spans)
    assert find_restart(given, 0, 10_000) == (restart_ms, given[:kept])


def test_find_restart_advances_in_a_session_of_one_second() -> None:
    restart_ms, _ = find_restart(words((100, 900)), 0, 1000)
    assert restart_ms >= 750


def ended(code: int, reason: str = "", error: Exception | None = None) -> StreamEnd:
    return StreamEnd(code, reason, advice_after_close(code, reason), error)


def refusal(status: int, code: str) -> SvcAsrError:
    return SvcAsrError("No.", status=status, type="t", code=code)


@pytest.mark.parametrize("code", [1001, 1006, 1011])
def test_decide_reconnects_at_once_after_a_failure_of_the_service(code: int) -> None:
    assert decide(ended(code), was_ready=True, failures=0, random=0.5) == Decision("reconnect")


def test_decide_backs_off_after_a_lack_of_capacity_and_repeated_failures() -> None:
    first = decide(ended(4503), was_ready=True, failures=0, random=1)
    third = decide(ended(1011), was_ready=True, failures=3, random=1)
    assert (first.wait_s, third.wait_s) == (0.5, 2.0)


@pytest.mark.parametrize("reason", ["audio_limit_reached", "session_time_limit"])
def test_decide_joins_after_a_limit_of_the_session(reason: str) -> None:
    assert decide(ended(1000, reason), was_ready=True, failures=0, random=0).action == "join"


@pytest.mark.parametrize(
    ("end", "failures"),
    [
        (ended(1000, "cancelled"), 0),
        (ended(4400), 0),
        (ended(4403), 0),
        (ended(1009), 0),
        (ended(1011), MAX_FAILURES),
        (ended(1006, error=refusal(402, "insufficient_credits")), 0),
        (ended(1006, error=ValueError("no model")), 0),
    ],
)
def test_decide_stops_if_a_retry_would_not_help(end: StreamEnd, failures: int) -> None:
    assert decide(end, was_ready=True, failures=failures, random=0).action == "stop"


@pytest.mark.parametrize("error", [SvcAsrUnreachable("No."), refusal(503, "service_unavailable")])
def test_decide_retries_an_unavailable_service_only_after_it_was_available(
    error: Exception,
) -> None:
    end = ended(1006, error=error)
    assert decide(end, was_ready=True, failures=0, random=0).action == "reconnect"
    assert decide(end, was_ready=False, failures=0, random=0).action == "stop"
