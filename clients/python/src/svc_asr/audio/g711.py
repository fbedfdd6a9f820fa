"""Telephone audio, as ITU-T G.711 defines it."""

from __future__ import annotations

from array import array


def _decode_mulaw(byte: int) -> int:
    bits = ~byte & 0xFF
    exponent, mantissa = bits >> 4 & 7, bits & 15
    magnitude: int = (((mantissa << 3) + 0x84) << exponent) - 0x84
    return -magnitude if bits & 0x80 else magnitude


def _decode_alaw(byte: int) -> int:
    bits = byte ^ 0x55
    exponent, mantissa = bits >> 4 & 7, bits & 15
    magnitude = (
        (mantissa << 4) + 8 if exponent == 0 else ((mantissa << 4) + 0x108) << (exponent - 1)
    )
    return magnitude if bits & 0x80 else -magnitude


_MULAW = tuple(map(_decode_mulaw, range(256)))
_ALAW = tuple(map(_decode_alaw, range(256)))


def decode_mulaw(data: bytes) -> array[int]:
    """Decode mu-law bytes to samples of 16 bits, at the same rate."""
    return array("h", [_MULAW[byte] for byte in data])


def decode_alaw(data: bytes) -> array[int]:
    """Decode A-law bytes to samples of 16 bits, at the same rate."""
    return array("h", [_ALAW[byte] for byte in data])
