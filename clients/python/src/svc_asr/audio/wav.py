"""WAV files."""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ..errors import AudioFormatError
from .g711 import decode_alaw, decode_mulaw
from .resampler import Resampler

_CONVERT = "convert it, for example with: ffmpeg -i INPUT -ac 1 -ar 16000 output.wav"
_PCM, _FLOAT, _ALAW, _MULAW, _EXTENSIBLE = 1, 3, 6, 7, 0xFFFE
_UNKNOWN_SIZE = 0xFFFF_FFFF
_MAX_FORMAT_BYTES = 65_536


@dataclass(frozen=True)
class WavFormat:
    """Encoding of the samples in a WAV file."""

    tag: int
    channels: int
    sample_rate_hz: int
    sample_bytes: int


def read_wav(file: BinaryIO) -> tuple[WavFormat, Iterator[bytes], float | None]:
    """Read a WAV file.

    Returns its format, its audio as PCM16 of 16,000 Hz and one channel in pieces of about one
    second, and its duration in seconds. The duration is None if the header does not declare it.
    """
    wav_format, audio_bytes = _read_header(file)
    frame_bytes = wav_format.channels * wav_format.sample_bytes
    duration_s = None
    if audio_bytes is not None:
        duration_s = audio_bytes // frame_bytes / wav_format.sample_rate_hz
    return wav_format, _convert(file, wav_format, audio_bytes), duration_s


def _read_header(file: BinaryIO) -> tuple[WavFormat, int | None]:
    head = file.read(12)
    if len(head) < 12 or head[:4] not in (b"RIFF", b"RF64", b"BW64") or head[8:] != b"WAVE":
        raise AudioFormatError(
            f"the file is empty: {_CONVERT}" if not head else f"this is not a WAV file: {_CONVERT}"
        )
    wav_format: WavFormat | None = None
    long_bytes: int | None = None
    while True:
        chunk = file.read(8)
        if len(chunk) < 8:
            raise AudioFormatError("the WAV file ends before its audio starts")
        name, size = struct.unpack("<4sI", chunk)
        if name == b"data":
            break
        if name in (b"fmt ", b"ds64") and size <= _MAX_FORMAT_BYTES:
            body = file.read(size + size % 2)
            if name == b"fmt ":
                wav_format = _parse_format(body)
            elif len(body) >= 16:
                (long_bytes,) = struct.unpack_from("<Q", body, 8)
        else:
            # Read instead of seek, because the file may be a pipe.
            file.read(size + size % 2)
    if wav_format is None:
        raise AudioFormatError("the WAV file is corrupt: its audio precedes its format")
    # Programs that write to a pipe do not know the size. They write 0 or the largest value instead.
    return wav_format, long_bytes if size == _UNKNOWN_SIZE else size or None


def _parse_format(body: bytes) -> WavFormat:
    if len(body) < 16:
        raise AudioFormatError("the WAV header is corrupt: its format has fewer than 16 bytes")
    tag, channels, rate_hz, _, frame_bytes, bits = struct.unpack_from("<HHIIHH", body)
    if tag == _EXTENSIBLE and len(body) >= 40:
        (tag,) = struct.unpack_from("<H", body, 24)
    if not 1 <= channels <= 256 or not 100 <= rate_hz <= 1_536_000:
        raise AudioFormatError(
            f"the WAV header is corrupt: it declares {channels} channels at {rate_hz} Hz"
        )
    width = frame_bytes // channels if frame_bytes % channels == 0 else 0
    sample_bytes = width if -(-bits // 8) <= width <= 8 else -(-bits // 8)
    if (tag, sample_bytes) not in _DECODERS:
        raise AudioFormatError(
            f"WAV with format {tag:#06x} and {bits} bits is not supported: {_CONVERT}"
        )
    return WavFormat(tag, channels, rate_hz, sample_bytes)


def _convert(file: BinaryIO, wav_format: WavFormat, audio_bytes: int | None) -> Iterator[bytes]:
    channels = wav_format.channels
    frame_bytes = channels * wav_format.sample_bytes
    decode = _DECODERS[wav_format.tag, wav_format.sample_bytes]
    resampler = Resampler(wav_format.sample_rate_hz)
    remaining = audio_bytes
    while remaining is None or remaining >= frame_bytes:
        wanted = wav_format.sample_rate_hz * frame_bytes
        data = file.read(wanted if remaining is None else min(wanted, remaining))
        data = data[: len(data) - len(data) % frame_bytes]
        if not data:
            break
        if remaining is not None:
            remaining -= len(data)
        yield _to_bytes(resampler.push(_mix(decode(data), channels)))
    rest = resampler.end()
    if rest:
        yield _to_bytes(rest)


def _mix(samples: array[int], channels: int) -> Iterable[int]:
    """Return the mean of the channels, which cannot clip."""
    if channels == 1:
        return samples
    parts = [samples[channel::channels] for channel in range(channels)]
    return [sum(values) // channels for values in zip(*parts, strict=True)]


def _to_bytes(samples: array[int]) -> bytes:
    return _swapped(samples).tobytes()


def _swapped(samples: array[int]) -> array[int]:
    """Convert between little-endian order and the order of this machine."""
    if sys.byteorder == "big":
        samples = samples[:]
        samples.byteswap()
    return samples


def _decode_16(data: bytes) -> array[int]:
    return _swapped(array("h", data))


def _decode_high_bytes(width: int) -> Callable[[bytes], array[int]]:
    """Create a decoder of integers that keeps their two highest bytes."""

    def decode(data: bytes) -> array[int]:
        kept = bytearray(len(data) // width * 2)
        kept[0::2], kept[1::2] = data[width - 2 :: width], data[width - 1 :: width]
        return _decode_16(bytes(kept))

    return decode


def _decode_float(code: str, width: int) -> Callable[[bytes], array[int]]:
    def decode(data: bytes) -> array[int]:
        values = struct.unpack(f"<{len(data) // width}{code}", data)
        # The comparison is false for NaN, which becomes silence.
        return array(
            "h",
            [
                round(max(-1.0, min(1.0, value)) * 32_767) if value == value else 0
                for value in values
            ],
        )

    return decode


def _decode_8(data: bytes) -> array[int]:
    return array("h", [(byte - 128) * 256 for byte in data])


_DECODERS: dict[tuple[int, int], Callable[[bytes], array[int]]] = {
    (_PCM, 1): _decode_8,
    (_PCM, 2): _decode_16,
    (_PCM, 3): _decode_high_bytes(3),
    (_PCM, 4): _decode_high_bytes(4),
    (_FLOAT, 4): _decode_float("f", 4),
    (_FLOAT, 8): _decode_float("d", 8),
    (_ALAW, 1): decode_alaw,
    (_MULAW, 1): decode_mulaw,
}
