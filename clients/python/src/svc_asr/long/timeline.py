"""State of a long stream over several sessions, without I/O."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Literal

from ..messages import Delta, Event, Final, ResetAck, SpeechEnded, SpeechStarted
from ..stream.frames import BYTES_PER_SAMPLE, SAMPLE_RATE_HZ, SAMPLES_PER_MS
from .audio_buffer import AudioBuffer
from .pauses import PauseFinder
from .seams import find_cut, find_restart

_SEND_SAMPLES = SAMPLE_RATE_HZ


@dataclass(eq=False)
class Mark:
    """A position at which an utterance ends. A `cut` also ends the session."""

    position: int
    kind: Literal["flush", "reset", "cut"]
    is_sent: bool = False
    reply: Final | ResetAck | None = None


@dataclass(frozen=True)
class SendAudio:
    """The next audio to send."""

    pcm: bytes
    end: int


@dataclass(frozen=True)
class SendMessage:
    """A `flush` or `reset` to send."""

    type: Literal["flush", "reset"]


@dataclass(frozen=True)
class CloseSession:
    """Close the session, because everything that belongs to it was sent."""


@dataclass(frozen=True)
class WaitForChange:
    """There is nothing to send before more audio or an answer arrives."""


Step = SendAudio | SendMessage | CloseSession | WaitForChange


class Timeline:
    """Keeps audio until its transcript is final, and converts session times to stream times.

    Positions are samples from the start of the long stream.
    """

    def __init__(self, max_session_seconds: int, total_samples: int | None = None) -> None:
        self._max_session_seconds = max_session_seconds
        self._total_samples = total_samples
        self._audio = AudioBuffer()
        self._pauses = PauseFinder()
        self._marks: deque[Mark] = deque()
        self._offset = 0
        self._sent = 0
        self._limit = 0
        self._utterance = 1
        self._delta_ms = 0
        self._is_finishing = False
        self._is_cut = False
        self._speech: type[Event] | None = None
        self._held: Final | None = None

    @property
    def unsent_bytes(self) -> int:
        """Number of bytes of audio that were not sent yet."""
        return (self._audio.end - self._sent) * BYTES_PER_SAMPLE

    @property
    def recognized_ms(self) -> int:
        """End of the audio that was recognized or dropped by a reset."""
        return max(self._delta_ms, self._audio.start // SAMPLES_PER_MS)

    @property
    def needed_seconds(self) -> int:
        """Seconds of audio that the next session should reserve."""
        if self._total_samples is None:
            return self._max_session_seconds
        needed = -(-(self._total_samples - self._audio.start) // SAMPLE_RATE_HZ)
        return min(max(1, needed), self._max_session_seconds)

    @property
    def received_ms(self) -> int:
        """Duration of the audio so far."""
        return -(-self._audio.end // SAMPLES_PER_MS)

    @property
    def has_work(self) -> bool:
        """True if a session is needed."""
        return bool(self._marks) or self._audio.end > self._audio.start

    @property
    def is_finished(self) -> bool:
        """True if everything has its final transcript and no more audio follows."""
        return self._is_finishing and not self._marks

    def append(self, pcm: bytes) -> None:
        """Add audio."""
        if self._is_finishing:
            raise ValueError("no audio can be sent after finish()")
        self._audio.append(pcm)
        self._pauses.push(pcm)

    def add_mark(self, kind: Literal["flush", "reset"]) -> Mark:
        """Add a request to finalize or drop the utterance at the end of the audio so far."""
        mark = Mark(self._audio.end, kind)
        self._marks.append(mark)
        return mark

    def finish(self) -> None:
        """End the audio. The audio after the last flush or reset gets a final transcript."""
        if not self._is_finishing and self.has_work:
            last = self._marks[-1].position if self._marks else self._audio.start
            if last < self._audio.end:
                self.add_mark("flush")
        self._is_finishing = True

    def start_session(self, max_audio_seconds: float) -> None:
        """Start to send to a new session, from the end of the last final transcript or reset."""
        self._marks = deque(mark for mark in self._marks if mark.kind != "cut")
        # A reset that precedes all flushes drops the audio before the reset. That audio is not sent
        # again.
        while self._marks and self._marks[0].kind == "reset":
            self._acknowledge_reset(self._marks.popleft())
        self._offset = self._sent = self._audio.start
        self._limit = self._offset + int(max_audio_seconds * SAMPLE_RATE_HZ)
        self._is_cut = False
        self._held = None
        for mark in self._marks:
            mark.is_sent = False

    def next_step(self) -> Step:
        """Return what to send next, and count it as sent."""
        if self._is_cut or self.is_finished:
            return CloseSession()
        mark = next((mark for mark in self._marks if not mark.is_sent), None)
        if any(sent.kind == "cut" for sent in self._marks):
            return WaitForChange()
        ms_end = self._audio.end - (self._audio.end - self._offset) % SAMPLES_PER_MS
        end = min(self._limit, ms_end if mark is None else mark.position)
        if self._may_cut(mark):
            cut = find_cut(self._pauses.pauses(), self._offset, self._sent, self._limit)
            if cut is not None and cut == self._sent:
                mark = Mark(cut, "cut")
                # The cut follows all sent marks, because the service answers in the order of the
                # messages.
                self._marks.insert(sum(sent.is_sent for sent in self._marks), mark)
            elif cut is not None:
                end = min(end, cut)
        if mark is not None and mark.position == self._sent:
            mark.is_sent = True
            return SendMessage("reset" if mark.kind == "reset" else "flush")
        if self._sent < end:
            start, self._sent = self._sent, min(end, self._sent + _SEND_SAMPLES)
            return SendAudio(self._audio.read(start, self._sent), self._sent)
        return WaitForChange()

    def receive(self, event: Event) -> list[Event]:
        """Process an event of the session. Returns the events for the user."""
        if isinstance(event, Final):
            return self._receive_final(event)
        if isinstance(event, ResetAck):
            return self._receive_reset_ack()
        if isinstance(event, Delta):
            end_ms = self._stream_ms(event.audio_end_ms)
            # The service repeats the deltas of audio that was sent again. They are dropped.
            if end_ms <= self._delta_ms:
                return []
            self._delta_ms = end_ms
            return [replace(event, utterance=self._utterance, audio_end_ms=end_ms)]
        if isinstance(event, SpeechStarted | SpeechEnded):
            return self._receive_speech(event)
        return [event]

    def end_session(self, *, continues: bool) -> list[Event]:
        """End the session. Returns the final transcript that the service sent without a request.

        If another session continues, its audio starts at the end of the last complete word, because
        the service may have cut the next word. The returned transcript then ends with this word.
        """
        held, self._held = self._held, None
        if held is None or (continues and self._marks and self._marks[0].kind == "reset"):
            return []
        end_ms, words, text = held.audio_end_ms, held.words, held.text
        if continues:
            end_ms, words = find_restart(words, held.audio_start_ms, end_ms)
            text = " ".join(word.text for word in words)
        final = self._convert(replace(held, audio_end_ms=end_ms, words=words, text=text))
        self._advance(min(self._offset + end_ms * SAMPLES_PER_MS, self._sent))
        return self._emit(final, is_requested=False)

    def _may_cut(self, mark: Mark | None) -> bool:
        """Report whether the audio up to the mark can exceed the session. None means all audio."""
        end = self._total_samples if mark is None else mark.position
        return end is None or end > self._limit

    def _receive_speech(self, event: SpeechStarted | SpeechEnded) -> list[Event]:
        # The service repeats the events of audio that was sent again. They are dropped.
        if self._speech is type(event) or self._speech is SpeechEnded:
            return []
        self._speech = type(event)
        if isinstance(event, SpeechEnded):
            end_ms = self._stream_ms(event.audio_end_ms)
            return [replace(event, utterance=self._utterance, audio_end_ms=end_ms)]
        start_ms = self._stream_ms(event.audio_start_ms)
        return [replace(event, utterance=self._utterance, audio_start_ms=start_ms)]

    def _receive_reset_ack(self) -> list[Event]:
        if not self._marks or self._marks[0].kind != "reset":
            return []
        return [self._acknowledge_reset(self._marks.popleft())]

    def _acknowledge_reset(self, mark: Mark) -> ResetAck:
        self._advance(mark.position)
        self._utterance += 1
        mark.reply = ResetAck(self._utterance)
        return mark.reply

    def _receive_final(self, event: Final) -> list[Event]:
        if event.endpoint:
            final = self._convert(event)
            self._advance(min(self._offset + event.audio_end_ms * SAMPLES_PER_MS, self._sent))
            return self._emit(final, is_requested=True)
        mark = self._marks[0] if self._marks else None
        if (
            mark is None
            or mark.kind == "reset"
            or self._session_ms(mark.position) != event.audio_end_ms
        ):
            self._held = event
            return []
        self._marks.popleft()
        self._is_cut = mark.kind == "cut"
        final = mark.reply = self._convert(event)
        self._advance(mark.position)
        return self._emit(final, is_requested=mark.kind == "flush")

    def _emit(self, final: Final, *, is_requested: bool) -> list[Event]:
        """Return a final transcript for the user. Return nothing if it is empty and unrequested."""
        if not final.words and not final.text and not is_requested:
            return []
        self._utterance += 1
        return [final]

    def _advance(self, position: int) -> None:
        """Release the audio before a position, which has a final transcript or was reset."""
        self._audio.drop_before(position)
        self._pauses.drop_before(position)
        self._delta_ms = position // SAMPLES_PER_MS
        self._speech = None

    def _convert(self, final: Final) -> Final:
        words = (
            replace(
                word,
                start_ms=self._stream_ms(word.start_ms),
                end_ms=self._stream_ms(word.end_ms),
            )
            for word in final.words
        )
        return replace(
            final,
            utterance=self._utterance,
            audio_start_ms=self._stream_ms(final.audio_start_ms),
            audio_end_ms=self._stream_ms(final.audio_end_ms),
            words=tuple(words),
        )

    def _stream_ms(self, session_ms: int) -> int:
        return round(self._offset / SAMPLES_PER_MS) + session_ms

    def _session_ms(self, position: int) -> int:
        return -(-(position - self._offset) // SAMPLES_PER_MS)
