"""Pauses in speech, by the energy of the audio."""

from __future__ import annotations

import sys
from array import array
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from operator import mul

from ..stream.frames import SAMPLE_RATE_HZ

_FRAME_SAMPLES = SAMPLE_RATE_HZ // 50
# Shorter silence is part of ordinary speech.
_MIN_PAUSE_SAMPLES = SAMPLE_RATE_HZ * 3 // 10
# A frame is silent if it is 22 dB below the loudest recent frame, or near digital silence.
_RELATIVE_LEVEL = 0.08
_SILENT_RMS = 40.0
# With each frame, the level of the loudest recent frame is multiplied by this factor. The level
# halves in about 14 s. Otherwise, after a loud speaker, the speech of a soft one would count as
# silence.
_LEVEL_DECAY = 0.999


@dataclass(frozen=True)
class Pause:
    """Silence between two positions, in samples from the start of the audio."""

    start: int
    end: int

    @property
    def samples(self) -> int:
        """Length of the pause."""
        return self.end - self.start


class PauseFinder:
    """Finds the pauses of audio that arrives in pieces."""

    def __init__(self) -> None:
        self._pauses: deque[Pause] = deque()
        self._partial = b""
        self._position = 0
        self._level = 0.0
        self._silent_since: int | None = None

    def push(self, pcm: bytes) -> None:
        """Search the next audio for pauses."""
        data = self._partial + pcm
        frame_bytes = _FRAME_SAMPLES * 2
        whole = len(data) - len(data) % frame_bytes
        self._partial = data[whole:]
        samples = array("h", data[:whole])
        if sys.byteorder == "big":
            samples.byteswap()
        for at in range(0, len(samples), _FRAME_SAMPLES):
            frame = samples[at : at + _FRAME_SAMPLES]
            self._push_frame((sum(map(mul, frame, frame)) / _FRAME_SAMPLES) ** 0.5)

    def pauses(self) -> Iterable[Pause]:
        """Return the pauses in order. The last one may still continue."""
        yield from self._pauses
        start = self._silent_since
        if start is not None and self._position - start >= _MIN_PAUSE_SAMPLES:
            yield Pause(start, self._position + len(self._partial) // 2)

    def drop_before(self, position: int) -> None:
        """Forget pauses that end before a position."""
        while self._pauses and self._pauses[0].end <= position:
            self._pauses.popleft()

    def _push_frame(self, rms: float) -> None:
        start = self._position
        self._position += _FRAME_SAMPLES
        self._level = max(rms, self._level * _LEVEL_DECAY)
        if rms < max(_SILENT_RMS, self._level * _RELATIVE_LEVEL):
            if self._silent_since is None:
                self._silent_since = start
            return
        if self._silent_since is not None and start - self._silent_since >= _MIN_PAUSE_SAMPLES:
            self._pauses.append(Pause(self._silent_since, start))
        self._silent_since = None
