"""Keeps speech in the memory of the training device and draws batches from it. Reads NeMo manifests (JSON lines)."""

import json
import math
import pathlib
import wave
from dataclasses import dataclass

import numpy as np
import torch

from model.features import RATE
from prepare.audio import read_wav

# Shares of the families of espeak-ng among the drawn utterances. The other families share the rest equally.
_ESPEAK_SHARES = {"espeak": 0.375, "klatt": 0.125}
# Lengths of batches, as shares of the longest utterance. A batch contains utterances of similar length.
_SHARES = 1.5 ** np.arange(-5.0, 1)
_MOST_ROWS = 256


def find_manifests(paths):
    """Returns the manifests. A path is a manifest, or a folder whose files train-*.json are manifests."""
    found = []
    for path in map(pathlib.Path, paths):
        if not path.exists():
            raise ValueError(f"{path} does not exist")
        found += sorted(path.glob("train-*.json")) if path.is_dir() else [path]
    return found


def read_manifest(path):
    """Returns the entries of a manifest. Relative paths of audio files are relative to the folder of the manifest."""
    entries = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise ValueError(f"{path}, line {number} is not a JSON object: {error.msg}") from error
        if problem := _problem_of(entry):
            raise ValueError(f"{path}, line {number} {problem}")
        entries.append({**entry, "audio_filepath": str(path.parent / entry["audio_filepath"])})
    return entries


def _problem_of(entry):
    """Returns what is wrong with an entry of a manifest, or None."""
    if not isinstance(entry, dict):
        return "is not a JSON object"
    if missing := [name for name in ("audio_filepath", "duration", "text") if name not in entry]:
        return f"has no {missing[0]}"
    for name in ("audio_filepath", "text"):
        if not isinstance(entry[name], str):
            return f"needs a string as {name}"
    if not _is_number(entry["duration"]) or entry["duration"] <= 0:
        return "needs a number above 0 as duration"
    offset = entry.get("offset", 0)
    return None if _is_number(offset) and offset >= 0 else "needs a number of at least 0 as offset"


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


class Audio:
    """Reads parts of WAV files. Keeps the last file in memory, because many entries of a shard are parts of the same
    file.
    """

    def __init__(self):
        self.path, self.pcm = None, None

    def read(self, entry):
        if entry["audio_filepath"] != self.path:
            self.path, self.pcm = entry["audio_filepath"], _whole(entry["audio_filepath"])
        start = round(entry.get("offset", 0) * RATE)
        if start >= len(self.pcm):
            raise ValueError(f"{self.path} ends at {len(self.pcm) / RATE:.2f} s, before the offset of an utterance")
        return self.pcm[start : start + round(entry["duration"] * RATE)]


def _whole(path):
    try:
        return read_wav(path)
    except FileNotFoundError as error:
        raise ValueError(f"{path} does not exist") from error
    except (OSError, EOFError, wave.Error) as error:
        reason = str(error) or "it ends within the header"
        raise ValueError(f"{path} is not a WAV file that can be read: {reason}. Convert it to WAV with 16 bits") from error


def family_weights(families):
    """Returns the weight of each utterance. Each family of espeak-ng has its share, and the other families have equal
    parts of the rest. If families are missing, the remaining ones keep their ratio.
    """
    names, numbers = np.unique(families, return_inverse=True)
    rest = (1 - sum(_ESPEAK_SHARES.values())) / max(1, sum(name not in _ESPEAK_SHARES for name in names.tolist()))
    share = np.array([_ESPEAK_SHARES.get(name, rest) for name in names.tolist()])
    return (share / share.sum() / np.bincount(numbers))[numbers]


@dataclass
class Batch:
    """Utterances that are computed together, padded to `size` samples. `pieces` [B, U] is padded with zeros."""

    bucket: int
    size: int
    starts: np.ndarray
    counts: np.ndarray
    pieces: np.ndarray
    piece_counts: np.ndarray


class Table:
    """A snapshot of the utterances in a corpus, grouped by length."""

    def __init__(self, columns, families, pieces, sizes, rows, shards):
        self.shards = shards
        self.starts, self.counts, self.piece_starts, self.piece_counts = columns
        self.pieces, self.sizes, self.rows = pieces, sizes, rows
        bucket = np.searchsorted(sizes, self.counts)
        weights = family_weights(families)
        self.members = [np.flatnonzero(bucket == number) for number in range(len(sizes))]
        self.sums = [np.cumsum(weights[members]) for members in self.members]
        # A batch of long utterances has fewer rows than a batch of short ones. Batches of long utterances are therefore
        # drawn more often, so that each utterance is drawn equally often.
        self.chances = np.array([sums[-1] / count if len(sums) else 0.0 for sums, count in zip(self.sums, rows)])

    def draw(self, random, longest):
        """Returns a batch of random utterances that have at most `longest` samples. If all utterances are longer,
        returns a batch of the shortest ones.
        """
        usable = self.chances * (self.sizes <= max(longest, self.sizes[np.flatnonzero(self.chances)[0]]))
        bucket = int(np.searchsorted(np.cumsum(usable), random.random() * usable.sum(), side="right"))
        sums = self.sums[bucket]
        found = np.searchsorted(sums, random.random(self.rows[bucket]) * sums[-1], side="right")
        numbers = self.members[bucket][np.minimum(found, len(sums) - 1)]
        lengths = self.piece_counts[numbers]
        at = np.arange(lengths.max())
        places = np.minimum(self.piece_starts[numbers][:, None] + at, len(self.pieces) - 1)
        pieces = np.where(at < lengths[:, None], self.pieces[places], 0)
        size = int(self.sizes[bucket])
        return Batch(bucket, size, self.starts[numbers], self.counts[numbers], pieces.astype(np.int64), lengths)


class Corpus:
    """Utterances in one buffer on the device. Manifests can be added during a training, even by another thread."""

    def __init__(self, tokenizer, device, hours, longest=16.0, batch_seconds=100.0, dropped=0.0, seed=1):
        self.tokenizer, self.device, self.longest, self.dropped = tokenizer, device, longest, dropped
        self.random = np.random.default_rng(seed)
        self.samples = torch.empty(int(hours * 3600 * RATE), dtype=torch.int16, device=device)
        self.used, self.full, self.loaded, self.audio = 0, False, set(), Audio()
        self.sizes = np.ceil(_SHARES * longest * RATE).astype(np.int64)
        self.rows = np.clip(batch_seconds * RATE // self.sizes, 1, _MOST_ROWS).astype(np.int64)
        self.shards, self.pieces_used = [], 0

    def add(self, path, without=()):
        """Loads a manifest until the buffer is full.

        Skips utterances that are too long, have no text, or are of a family in `without`.
        """
        self.loaded.add(path)
        parts, texts, families = [], [], []
        room = len(self.samples) - self.used
        for entry in read_manifest(path):
            pieces = self.tokenizer.encode(entry["text"], self.random, self.dropped)
            if entry["duration"] > self.longest or not pieces or entry.get("family") in without:
                continue
            pcm = self.audio.read(entry)
            room -= len(pcm)
            if room < 0:
                self.full = True
                break
            parts.append(pcm)
            texts.append(pieces)
            families.append(entry.get("family", ""))
        if parts:
            self._store(parts, texts, families)

    def _store(self, parts, texts, families):
        counts, lengths = np.array([len(pcm) for pcm in parts]), np.array([len(pieces) for pieces in texts])
        total = int(counts.sum())
        joined = torch.from_numpy(np.concatenate(parts))
        self.samples[self.used : self.used + total].copy_(joined)
        starts, piece_starts = np.cumsum(counts) - counts, np.cumsum(lengths) - lengths
        columns = np.stack([self.used + starts, counts, self.pieces_used + piece_starts, lengths])
        self.used, self.pieces_used = self.used + total, self.pieces_used + int(lengths.sum())
        self.shards.append((columns, np.array(families), np.concatenate(texts).astype(np.int32)))

    def table(self):
        """Returns all utterances that are loaded at this time."""
        shards = list(self.shards)
        columns, families, pieces = zip(*shards)
        joined = np.concatenate(columns, 1)
        return Table(joined, np.concatenate(families), np.concatenate(pieces), self.sizes, self.rows, len(shards))

    def gather(self, starts, counts, speeds, lengths, size):
        """Returns samples [B, size] between -1 and 1. With a speed above 1, speech is faster and has a higher pitch."""
        at = torch.arange(size, device=self.device)[None] * speeds[:, None].double()
        at = torch.minimum(at, (counts - 2)[:, None].double())
        whole = at.long()
        part = (at - whole).float()
        places = starts[:, None] + whole
        here, following = self.samples[places].float(), self.samples[places + 1].float()
        inside = torch.arange(size, device=self.device) < lengths[:, None]
        return torch.lerp(here, following, part) / 32768.0 * inside
