"""Log-mel features as the worker computes them (worker/src/features), for batches on any device."""

import numpy as np
import torch

RATE, HOP, FRAME, TRANSFORM = 16000, 160, 400, 512
BINS = TRANSFORM // 2 + 1
PRE_EMPHASIS = 0.97
FLOOR = 2.0**-24
# Factors by which `mel_filters` can warp frequencies. All filters of one set use the same factor. The factor in the
# middle is 1.
WARPS = np.linspace(0.8, 1.2, 41)


def mel_filters(count, warp=1.0, top=8000.0):
    """Returns Slaney filters [count, BINS]. With a warp above 1, the filters read high formants as if their frequencies
    were lower.
    """
    step, break_hz, log_step = 200 / 3, 1000.0, np.log(6.4) / 27
    mel_top = break_hz / step + np.log(top / break_hz) / log_step
    mels = np.linspace(0, mel_top, count + 2)
    edges = np.where(mels < break_hz / step, mels * step, break_hz * np.exp(log_step * (mels - break_hz / step)))
    hz = top * np.arange(BINS) / (BINS - 1)
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    read = np.minimum(hz / warp, 2 * top)
    height = np.minimum((read - low) / (middle - low), (high - read) / (high - middle))
    return (np.maximum(height, 0) * (2 / (high - low))).astype(np.float32)


class LogMel(torch.nn.Module):
    """Computes features [B, T, mels] of samples [B, N] between -1 and 1. The number of frames T is N // 160."""

    def __init__(self, mels):
        super().__init__()
        filters = np.stack([mel_filters(mels, warp) for warp in WARPS])
        self.register_buffer("filters", torch.from_numpy(filters), persistent=False)
        self.register_buffer("window", torch.hann_window(FRAME, periodic=False), persistent=False)

    def forward(self, samples, lengths, warps=None):
        """Returns features and the number of frames of each row. `warps` contains an index into WARPS for each row.
        Frames past the end of a row are zero.
        """
        before = torch.nn.functional.pad(samples[:, :-1], (1, 0))
        # Samples past the end of a row are silence. The pre-emphasis changes the first of these samples, so `inside`
        # sets it to zero again.
        inside = torch.arange(samples.shape[1], device=samples.device) < lengths[:, None]
        emphasized = (samples - PRE_EMPHASIS * before) * inside
        spectrum = torch.stft(
            emphasized, TRANSFORM, HOP, FRAME, self.window, center=True, pad_mode="constant", return_complex=True
        )
        power = spectrum.real.square() + spectrum.imag.square()
        filters = self.filters[len(WARPS) // 2] if warps is None else self.filters[warps]
        features = torch.log(filters @ power + FLOOR).transpose(1, 2)[:, : samples.shape[1] // HOP]
        frames = lengths // HOP
        valid = torch.arange(features.shape[1], device=samples.device) < frames[:, None]
        return features * valid[:, :, None], frames
