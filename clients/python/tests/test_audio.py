"""Tests of the conversion of audio."""

from __future__ import annotations

import io
import math
import struct
from array import array

import pytest

from svc_asr import AudioFormatError, Resampler, decode_alaw, decode_mulaw
from svc_asr.audio.wav import read_wav


def build_wav(tag: int, channels: int, rate_hz: int, bits: int, audio: bytes) -> bytes:
    frame_bytes = channels * bits // 8
    fmt = struct.pack("<HHIIHH", tag, channels, rate_hz, rate_hz * frame_bytes, frame_bytes, bits)
    chunks = b"LIST" + struct.pack("<I", 3) + b"abc\0"
    chunks += b"fmt " + struct.pack("<I", len(fmt)) + fmt
    chunks += b"data" + struct.pack("<I", len(audio)) + audio
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def samples_of(wav: bytes) -> list[int]:
    _, audio, _ = read_wav(io.BytesIO(wav))
    return list(array("h", b"".join(audio)))


@pytest.mark.parametrize(
    ("byte", "value"), [(0xFF, 0), (0x7F, 0), (0x80, 32_124), (0x00, -32_124), (0xEF, 132)]
)
def test_decode_mulaw_returns_the_values_of_g711(byte: int, value: int) -> None:
    assert list(decode_mulaw(bytes([byte]))) == [value]


@pytest.mark.parametrize(
    ("byte", "value"), [(0xD5, 8), (0x55, -8), (0xAA, 32_256), (0x2A, -32_256)]
)
def test_decode_alaw_returns_the_values_of_g711(byte: int, value: int) -> None:
    assert list(decode_alaw(bytes([byte]))) == [value]


@pytest.mark.parametrize("rate_hz", [8000, 11_025, 44_100, 48_000])
def test_resampler_keeps_a_tone_and_the_duration(rate_hz: int) -> None:
    tone = [round(10_000 * math.sin(2 * math.pi * 700 * n / rate_hz)) for n in range(rate_hz)]
    resampler = Resampler(rate_hz)
    output = array("h")
    for at in range(0, len(tone), 777):
        output += resampler.push(tone[at : at + 777])
    output += resampler.end()
    assert len(output) == 16_000
    expected = [10_000 * math.sin(2 * math.pi * 700 * n / 16_000) for n in range(16_000)]
    middle = range(1000, 15_000)
    assert max(abs(output[n] - expected[n]) for n in middle) < 50


def test_resampler_removes_a_tone_above_the_new_range() -> None:
    tone = [round(10_000 * math.sin(2 * math.pi * 12_000 * n / 48_000)) for n in range(48_000)]
    output = Resampler(48_000).push(tone)
    assert max(abs(value) for value in output[500:-500]) < 20


@pytest.mark.parametrize(
    ("tag", "bits", "audio", "expected"),
    [
        (1, 8, bytes([0, 128, 255]), [-32_768, 0, 32_512]),
        (1, 16, struct.pack("<3h", -5, 0, 7), [-5, 0, 7]),
        (1, 24, b"\x00\x01\x00\xff\xff\xff", [1, -1]),
        (1, 32, struct.pack("<2i", 65_536, -65_536), [1, -1]),
        (3, 32, struct.pack("<3f", 0.5, float("nan"), -2.0), [16_384, 0, -32_767]),
        (3, 64, struct.pack("<2d", 1.0, -1.0), [32_767, -32_767]),
        (7, 8, b"\x80\xff", [32_124, 0]),
        (6, 8, b"\xaa\xd5", [32_256, 8]),
    ],
)
def test_read_wav_decodes_every_supported_encoding(
    tag: int, bits: int, audio: bytes, expected: list[int]
) -> None:
    assert samples_of(build_wav(tag, 1, 16_000, bits, audio)) == expected


def test_read_wav_mixes_channels_and_reports_the_duration() -> None:
    wav = build_wav(1, 2, 16_000, 16, struct.pack("<4h", 100, 300, -100, -300))
    _, audio, duration_s = read_wav(io.BytesIO(wav))
    assert list(array("h", b"".join(audio))) == [200, -200]
    assert duration_s == 2 / 16_000


def test_read_wav_reads_to_the_end_if_the_header_declares_no_size() -> None:
    wav = build_wav(1, 1, 16_000, 16, b"")
    assert samples_of(wav + struct.pack("<2h", 3, 4)) == [3, 4]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"OggS" + bytes(100), "not a WAV file"),
        (build_wav(0x55, 1, 16_000, 16, b""), "format 0x0055"),
        (build_wav(1, 1, 16_000, 16, b"")[:30], "ends before its audio"),
    ],
)
def test_read_wav_describes_a_file_that_it_cannot_read(data: bytes, message: str) -> None:
    with pytest.raises(AudioFormatError, match=message):
        read_wav(io.BytesIO(data))
