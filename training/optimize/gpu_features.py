"""Extends a graph with nodes that compute log-mel features from PCM, in the same way as worker/src/features."""

import numpy as np
from onnx import TensorProto

HOP, FRAME, TRANSFORM = 160, 400, 512
BLOCK = FRAME - 2 * HOP
BINS = TRANSFORM // 2 + 1
PRE_EMPHASIS = 0.97
FLOOR = 2.0**-24
F32 = np.float32


def samples_of(window):
    """Returns the length of an input row in samples. The row contains the samples that the frames of a window cover,
    and one sample before them for the pre-emphasis.
    """
    return (window - 1) * HOP + FRAME + 1


def transform():
    """Returns the matrix of the windowed DFT, with the real and the imaginary parts as columns. Its input is frames of
    16-bit samples.
    """
    n = np.arange(FRAME)
    hann = (0.5 - 0.5 * np.cos(2 * np.pi * n / (FRAME - 1))).astype(F32) / 32768.0
    # The angles are exact, because the product of the indices is reduced modulo TRANSFORM as an integer.
    angle = 2 * np.pi * ((n[:, None] * np.arange(BINS)) % TRANSFORM) / TRANSFORM
    return np.concatenate([np.cos(angle), np.sin(angle)], 1) * hann[:, None]


def mel_filters(count, top=8000.0):
    """Returns Slaney filters [count, BINS], rounded to 32 bits like the filters of NeMo."""
    step, break_hz = 200 / 3, 1000.0
    log_step = np.log(6.4) / 27
    mel_of = lambda hz: hz / step if hz < break_hz else break_hz / step + np.log(hz / break_hz) / log_step
    hz_of = lambda mel: mel * step if mel < break_hz / step else break_hz * np.exp(log_step * (mel - break_hz / step))
    edges = np.array([hz_of(mel_of(top) * i / (count + 1)) for i in range(count + 2)])
    hz = top * np.arange(BINS) / (BINS - 1)
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    height = np.minimum((hz - low) / (middle - low), (high - hz) / (high - middle))
    return (np.maximum(height, 0) * (2 / (high - low))).astype(F32)


def features(g, pcm, bounds, window, mels):
    """pcm [B, N], bounds = four columns [B, 1] -> [B, 1, window, mels]. Frames outside of the bounds are zero.

    All values are computed in 32 bits. Samples outside the bounds are set to zero before the pre-emphasis and again
    after it.
    """
    first, end, first_frame, end_frame = bounds
    count = samples_of(window)
    zero = g.constant(0, F32)
    audio = between(g, g.counted(1, count), first, end)
    x = g.op("Where", audio, g.op("Cast", pcm, to=TensorProto.FLOAT), zero)
    now = g.op("Slice", x, g.ints(1), g.ints(count), g.ints(1))
    before = g.op("Slice", x, g.ints(0), g.ints(count - 1), g.ints(1))
    x = g.op("Sub", now, g.op("Mul", before, g.constant(PRE_EMPHASIS, F32)))
    x = g.op("Where", g.op("Slice", audio, g.ints(1), g.ints(count), g.ints(1)), x, zero)

    # A frame is five blocks of 80 samples, and the next frame starts two blocks later.
    blocks = g.op("Reshape", x, g.ints(-1, (count - 1) // BLOCK, BLOCK))
    of_frame = 2 * np.arange(window)[:, None] + np.arange(FRAME // BLOCK)
    frames = g.op("Gather", blocks, g.constant(of_frame, np.int32, "features.blocks"), axis=1)
    frames = g.op("Reshape", frames, g.ints(-1, FRAME))
    parts = g.op("MatMul", frames, g.constant(transform(), F32, "features.transform"))
    filters = mel_filters(mels).T
    # The filters are repeated for the real and the imaginary parts, so that the product adds both.
    both = g.constant(np.concatenate([filters, filters]), F32, "features.mel")
    power = g.op("MatMul", g.op("Mul", parts, parts), both)
    x = g.op("Log", g.op("Add", power, g.constant(FLOOR, F32)))
    x = g.op("Reshape", x, g.ints(-1, window, mels))
    with_audio = between(g, g.counted(1, window), first_frame, end_frame)
    x = g.op("Where", g.op("Unsqueeze", with_audio, g.ints(2)), x, zero)
    return g.op("Unsqueeze", x, g.ints(1))


def between(g, at, first, end):
    return g.op("And", g.op("GreaterOrEqual", at, first), g.op("Less", at, end))
