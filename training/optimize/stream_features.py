"""Computes windows of log-mel features in numpy, in the same way as worker/src/features and
worker/src/engine/host/window.ts.
"""

import wave

import numpy as np

from gpu_features import FLOOR, FRAME, HOP, PRE_EMPHASIS, mel_filters, transform

SUBSAMPLING = 8


def read_wav(path):
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16)


class Framing:
    """Divides an utterance into windows, in the same way as worker/src/features/framing.ts."""

    def __init__(self, right):
        self.shift = SUBSAMPLING * (right + 1)
        self.window = self.shift + SUBSAMPLING + 1
        self.lead = 2 * SUBSAMPLING

    def first(self, index):
        return index * self.shift - self.lead

    def lengths(self, samples):
        """Returns the number of frames with audio in each window of a flushed utterance."""
        frames, lengths = samples // HOP, []
        while frames > 0 and frames - self.first(len(lengths)) > self.window - self.shift:
            lengths.append(min(self.window, frames - self.first(len(lengths))))
        return lengths


def log_mel(pcm, mels):
    """Returns the features [mels, frames] of an utterance, computed in 64 bits."""
    x = np.concatenate([[0.0], pcm.astype(np.float64)])
    x = np.pad(x[1:] - PRE_EMPHASIS * x[:-1], FRAME // 2)
    frames = np.stack([x[t * HOP : t * HOP + FRAME] for t in range(len(pcm) // HOP)], 1)
    parts = transform().T @ frames
    real, imaginary = np.split(parts * parts, 2)
    return np.log(mel_filters(mels).astype(np.float64) @ (real + imaginary) + FLOOR).astype(np.float32)


def windows(pcm, right, mels):
    """Yields (features [mels, window], number of frames with audio) for each window of an utterance."""
    framing = Framing(right)
    features = log_mel(pcm, mels)
    for index, length in enumerate(framing.lengths(len(pcm))):
        window = np.zeros((mels, framing.window), np.float32)
        start = framing.first(index)
        from_column = max(0, -start)
        window[:, from_column:length] = features[:, start + from_column : start + length]
        yield window, length
