"""Speech in the memory of the training device, and batches of it. Reads NeMo manifests (JSON lines)."""

import json
import pathlib
import wave

import numpy as np
import torch

from model.features import RATE
from prepare.audio import read_wav

_SEVERAL = {"espeak": 6.0, "klatt": 2.0}
_POOL = 8  # batches that are drawn together, so that utterances of similar length can share one


def find_manifests(paths):
    """Manifests among the paths, and train-*.json of folders."""
    found = []
    for path in map(pathlib.Path, paths):
        found += sorted(path.glob("train-*.json")) if path.is_dir() else [path]
    return found


def read_manifest(path):
    """Entries of a manifest with absolute paths."""
    entries = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        entry = json.loads(line)
        if missing := [name for name in ("audio_filepath", "duration", "text") if name not in entry]:
            raise ValueError(f"{path}, line {number} has no {missing[0]}")
        entries.append({**entry, "audio_filepath": str(path.parent / entry["audio_filepath"])})
    return entries


class Audio:
    """Reads parts of WAV files and keeps the last file, because manifests of shards name it many times."""

    def __init__(self):
        self.path, self.pcm = None, None

    def read(self, entry):
        if entry["audio_filepath"] != self.path:
            self.path, self.pcm = entry["audio_filepath"], _whole(entry["audio_filepath"])
        start = round(entry.get("offset", 0) * RATE)
        return self.pcm[start : start + round(entry["duration"] * RATE)]


def _whole(path):
    try:
        return read_wav(path)
    except (OSError, EOFError, wave.Error) as error:
        raise ValueError(f"{path} is not a WAV file that can be read: {error}") from error


def family_weights(families):
    """Weights of utterances. Families have the same weight, but the synthetic ones of espeak-ng count as several."""
    names = {name: number for number, name in enumerate(dict.fromkeys(families))}
    numbers = np.fromiter((names[name] for name in families), np.int64, len(families))
    sizes, share = np.bincount(numbers), np.array([_SEVERAL.get(name, 1.0) for name in names])
    return (share / share.sum() / sizes)[numbers]


class Corpus:
    """Utterances in one buffer on the device. Manifests can be added during a training."""

    def __init__(self, tokenizer, device, hours, longest=16.0):
        self.tokenizer, self.device, self.longest = tokenizer, device, longest
        self.samples = torch.empty(int(hours * 3600 * RATE), dtype=torch.int16, device=device)
        self.used, self.full, self.loaded, self.audio = 0, False, set(), Audio()
        self.tables = None
        self.starts, self.counts, self.texts, self.families = [], [], [], []

    def add(self, path, without=()):
        """Loads a manifest until the buffer is full.

        Utterances that are too long or have no text are left out, and those of the families in `without`.
        """
        self.loaded.add(path)
        parts = []
        for entry in read_manifest(path):
            pieces = self.tokenizer.encode(entry["text"])
            if entry["duration"] > self.longest or not pieces or entry.get("family") in without:
                continue
            pcm = self.audio.read(entry)
            if self.used + sum(map(len, parts)) + len(pcm) > len(self.samples):
                self.full = True
                break
            self.starts.append(self.used + sum(map(len, parts)))
            self.counts.append(len(pcm))
            self.texts.append(pieces)
            self.families.append(entry.get("family", ""))
            parts.append(pcm)
        self._store(parts)

    def _store(self, parts):
        if parts:
            joined = np.concatenate(parts)
            self.samples[self.used : self.used + len(joined)] = torch.from_numpy(joined).to(self.device)
            self.used += len(joined)

    def _tables(self):
        """Lengths of all utterances and their weights, computed again after a manifest was added."""
        if self.tables is None or len(self.tables[0]) != len(self.counts):
            self.tables = np.array(self.counts), family_weights(self.families)
        return self.tables

    def batches(self, random, seconds, longest):
        """Yields lists of utterances of similar length, with about this many seconds of audio each."""
        counts, weights = self._tables()
        usable = np.flatnonzero(counts <= max(longest * RATE, counts.min()))
        weights = weights[usable]
        mean = float((counts[usable] * weights).sum() / weights.sum()) / RATE
        size = max(1, int(_POOL * seconds / mean))
        drawn = random.choice(usable, size, p=weights / weights.sum())
        drawn = drawn[np.argsort(counts[drawn], kind="stable")]
        batches, current = [], []
        for number in drawn:
            if current and (len(current) + 1) * counts[number] > seconds * RATE:
                batches.append(current)
                current = []
            current.append(int(number))
        batches.append(current)
        for at in random.permutation(len(batches)):
            yield batches[at]

    def gather(self, numbers, speeds):
        """Samples [B, N] between -1 and 1 and their lengths. A speed above 1 makes speech faster and higher."""
        starts = torch.tensor([self.starts[n] for n in numbers], device=self.device)
        counts = torch.tensor([self.counts[n] for n in numbers], device=self.device)
        lengths = ((counts - 1) / speeds).long()
        at = torch.arange(int(lengths.max()), device=self.device)[None] * speeds[:, None].double()
        at = torch.minimum(at, (counts - 2)[:, None].double())
        whole = at.long()
        part = (at - whole).float()
        places = starts[:, None] + whole
        here, following = self.samples[places].float(), self.samples[places + 1].float()
        samples = torch.lerp(here, following, part) / 32768.0
        inside = torch.arange(samples.shape[1], device=self.device) < lengths[:, None]
        return samples * inside, lengths

    def targets(self, numbers):
        """Pieces [B, U], padded with zeros, and their counts."""
        texts = [self.texts[n] for n in numbers]
        padded = np.zeros((len(texts), max(map(len, texts))), np.int64)
        for row, text in enumerate(texts):
            padded[row, : len(text)] = text
        return torch.from_numpy(padded).to(self.device), torch.tensor([len(t) for t in texts], device=self.device)
