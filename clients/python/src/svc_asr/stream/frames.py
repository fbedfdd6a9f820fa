"""Audio frames of the stream."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from typing import Union

PcmAudio = Union[bytes, bytearray, memoryview, "array[int]"]
"""PCM16 samples, as an `array('h')` or as bytes in little-endian order."""

SAMPLE_RATE_HZ = 16_000
SAMPLES_PER_MS = SAMPLE_RATE_HZ // 1000
BYTES_PER_SAMPLE = 2
MAX_FRAME_BYTES = 65_536


def pcm_bytes(pcm: PcmAudio) -> bytes:
    """Copy audio to bytes in the format of the stream."""
    if isinstance(pcm, array):
        if pcm.typecode != "h":
            raise TypeError("an array of audio must have the type code 'h'")
        if sys.byteorder == "big":
            pcm = pcm[:]
            pcm.byteswap()
        return pcm.tobytes()
    return bytes(pcm)


class Framer:
    """Cuts audio into frames of whole samples."""

    def __init__(self) -> None:
        self._half = b""

    def cut(self, data: bytes, max_frame_bytes: int) -> Iterator[bytes]:
        """Return frames. Half a sample at the end is kept for the next call."""
        data = self._half + data
        even = len(data) - len(data) % BYTES_PER_SAMPLE
        self._half = data[even:]
        # The step is at least one sample, because `range` does not accept a step of 0.
        step = max(BYTES_PER_SAMPLE, max_frame_bytes - max_frame_bytes % BYTES_PER_SAMPLE)
        return (data[at : min(at + step, even)] for at in range(0, even, step))

    def drop(self) -> None:
        """Drop half a sample at the end of an utterance."""
        self._half = b""
