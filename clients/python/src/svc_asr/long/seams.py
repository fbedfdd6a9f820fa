"""Positions at which one session ends and the next one starts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..messages import Word
from ..stream.frames import SAMPLE_RATE_HZ, SAMPLES_PER_MS
from .pauses import Pause

_SEARCH_SHARE = 0.1
_MIN_PAUSE_SAMPLES = SAMPLE_RATE_HZ * 4 // 10
_OVERLAP_MS = 2000
_OVERLAP_SHARE = 0.25
# A word that ends this close to the end of the audio may be cut off.
_COMPLETE_MS = 400


def find_cut(pauses: Iterable[Pause], start: int, sent: int, limit: int) -> int | None:
    """Return where to end a session whose audio is limited, or None if there is no pause yet.

    `start` is the position of the first sample of the session. `limit` is the position after the
    last sample that the session accepts. Audio before `sent` was sent. Positions are samples, and
    the session gets whole milliseconds. The cut lies in a pause of at least 400 ms, in the last
    tenth of the session.
    """
    search_start = limit - int((limit - start) * _SEARCH_SHARE)
    for pause in pauses:
        earliest = max(pause.start, sent, search_start)
        latest = min(pause.end, limit)
        cut = min(max((pause.start + pause.end) // 2, earliest), latest)
        cut -= (cut - start) % SAMPLES_PER_MS
        if cut < earliest:
            cut += SAMPLES_PER_MS
        if pause.samples >= _MIN_PAUSE_SAMPLES and earliest <= cut <= latest:
            return cut
    return None


def find_restart(words: Sequence[Word], start_ms: int, end_ms: int) -> tuple[int, tuple[Word, ...]]:
    """Return where to continue after a session was cut off, and the words up to that position.

    The restart is the end of the last complete word, but at most 2 s before `end_ms`. At most a
    quarter of the audio from `start_ms` to `end_ms` is repeated, so a short session advances too.
    """
    overlap_ms = min(_OVERLAP_MS, int((end_ms - start_ms) * _OVERLAP_SHARE))
    earliest_ms = end_ms - overlap_ms
    kept = list(words)
    while kept and kept[-1].end_ms > end_ms - _COMPLETE_MS and kept[-1].start_ms >= earliest_ms:
        kept.pop()
    restart_ms = max(earliest_ms, kept[-1].end_ms if kept else start_ms)
    return min(restart_ms, end_ms), tuple(kept)
