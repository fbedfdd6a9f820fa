"""Change of the sample rate."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Iterable, Sequence
from operator import mul

if sys.version_info >= (3, 12):
    from math import sumprod
else:

    def sumprod(p: Iterable[float], q: Iterable[float], /) -> float:
        """Return the sum of products."""
        return float(sum(map(mul, p, q)))


# The filter of the TypeScript client, but with a shorter sinc, because plain Python is slower.
_ZERO_CROSSINGS = 24
_KAISER_BETA = 8.0
_CUTOFF = 0.99
_MAX_PHASES = 512


class Resampler:
    """Converts samples of 16 bits from one rate to another, piece by piece.

    Uses a polyphase filter with a Kaiser window and at most 512 phases. If the rates need more
    phases, each output uses the nearest of the 512.
    """

    def __init__(self, from_hz: int, to_hz: int = 16_000) -> None:
        if from_hz <= 0 or to_hz <= 0:
            raise ValueError("sample rates must be positive")
        divisor = math.gcd(from_hz, to_hz)
        self._up, self._down = to_hz // divisor, from_hz // divisor
        scale = min(1.0, to_hz / from_hz)
        self._reach = math.ceil(_ZERO_CROSSINGS / scale)
        self._phases = min(self._up, _MAX_PHASES)
        self._rows: Sequence[Sequence[float]] = [
            _build_row(phase / self._phases, scale * _CUTOFF, self._reach)
            for phase in range(self._phases + 1)
        ]
        # The filter reaches before the first sample, where silence is assumed.
        self._held: list[float] = [0.0] * (self._reach - 1)
        self._start = 1 - self._reach
        self._received = 0
        self._produced = 0

    def push(self, samples: Iterable[int]) -> array[int]:
        """Take the next input samples. Returns the output samples that are complete."""
        if self._up == self._down:
            return array("h", samples)
        before = len(self._held)
        self._held.extend(samples)
        self._received += len(self._held) - before
        return self._produce(None)

    def end(self) -> array[int]:
        """Return the last samples. Call it once, at the end."""
        if self._up == self._down:
            return array("h")
        self._held.extend([0.0] * (self._reach + 1))
        return self._produce(-(-self._received * self._up // self._down))

    def _produce(self, limit: int | None) -> array[int]:
        """Return the outputs before `limit` whose input is complete."""
        up, down, reach, phases, rows = (
            self._up,
            self._down,
            self._reach,
            self._phases,
            self._rows,
        )
        end = self._start + len(self._held)
        # Output n lies at input n * down / up and needs `reach` samples after that position.
        last = ((end - reach) * up - 1) // down + 1
        if limit is not None:
            last = min(last, limit)
        output = array("h")
        for n in range(self._produced, last):
            whole, part = divmod(n * down, up)
            first = whole - (reach - 1) - self._start
            row = rows[round(part * phases / up)]
            value = round(sumprod(self._held[first : first + 2 * reach], row))
            output.append(max(-32_768, min(32_767, value)))
        self._produced = max(self._produced, last)
        unused = max(0, self._produced * down // up - (reach - 1) - self._start)
        del self._held[:unused]
        self._start += unused
        return output


def _build_row(offset: float, cutoff: float, reach: int) -> list[float]:
    """Build the taps for outputs that lie `offset` after an input sample."""
    row = []
    for tap in range(2 * reach):
        distance = tap - (reach - 1) - offset
        row.append(_sinc(distance * cutoff) * _kaiser(distance / reach))
    # Each phase leaves a constant signal unchanged. Otherwise the phases would add a tone.
    total = sum(row)
    return [value / total for value in row]


def _sinc(x: float) -> float:
    return 1.0 if x == 0 else math.sin(math.pi * x) / (math.pi * x)


def _kaiser(x: float) -> float:
    return 0.0 if abs(x) >= 1 else _bessel(_KAISER_BETA * math.sqrt(1 - x * x))


def _bessel(x: float) -> float:
    """Return the modified Bessel function of the first kind and order zero."""
    total = term = 1.0
    quarter = x * x / 4
    k = 1
    while term > total * 1e-12:
        term *= quarter / (k * k)
        total += term
        k += 1
    return total
