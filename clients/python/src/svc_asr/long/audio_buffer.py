"""Audio that has no final transcript yet."""

from __future__ import annotations

from ..stream.frames import BYTES_PER_SAMPLE


class AudioBuffer:
    """Stores the last part of an audio stream. Positions are samples from the stream's start."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._start = 0

    @property
    def start(self) -> int:
        """Position of the first sample that is stored."""
        return self._start

    @property
    def end(self) -> int:
        """Position after the last whole sample."""
        return self._start + len(self._data) // BYTES_PER_SAMPLE

    def append(self, pcm: bytes) -> None:
        """Add audio. Half a sample at the end is completed by the next call."""
        self._data += pcm

    def read(self, start: int, end: int) -> bytes:
        """Return the audio between two positions."""
        if not self._start <= start <= end <= self.end:
            raise ValueError(f"{start} to {end} is not within {self._start} to {self.end}")
        first = (start - self._start) * BYTES_PER_SAMPLE
        return bytes(self._data[first : first + (end - start) * BYTES_PER_SAMPLE])

    def drop_before(self, position: int) -> None:
        """Release the audio before a position."""
        position = min(max(position, self._start), self.end)
        del self._data[: (position - self._start) * BYTES_PER_SAMPLE]
        self._start = position
