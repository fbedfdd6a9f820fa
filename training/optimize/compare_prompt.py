"""compare_prompt.py RECORDING EXPORT [EXPORT...]: compares graphs with exports, for a model that has language prompts.

Each export is compared at its own context with the GPU graph in 32 and 16 bits. The recording is recognized whole and
cut off early, each with several prompts. A batch contains streams with different prompts. For CTC, the CPU graph is
also compared with the export.
"""

import pathlib
import sys
import tempfile

import numpy as np

from compare import largest_difference, session
from compare_gpu import CUTS, encode, through_gpu
from encoder import build
from gpu import unsupported, write
from stream_features import SUBSAMPLING, read_wav
from weights import read_weights

PROMPTS = 5


def context_of(metadata):
    """Returns the context [left, right] of an export."""
    return [int(metadata["cache_last_channel_dim2"]), int(metadata["chunk_shift"]) // SUBSAMPLING - 1]


def difference(frames, stream):
    """Returns the largest difference of a score (CTC) or an encoded value (transducer), and the number of frames with a
    different best class.
    """
    if not stream.ids:
        return float(np.abs(frames - np.array(stream.encoded, np.float32)).max()), 0
    scores = np.abs(frames.max(-1) - np.array(stream.scores))
    return float(scores.max()), int((frames.argmax(-1) != np.array(stream.ids)).sum())


def compare(name, path, expected, utterances, right, prompts):
    worst, different, count = 0.0, 0, 0
    for frames, stream in zip(expected, through_gpu(path, utterances, right, prompts)):
        assert len(frames) == len(stream.ids or stream.encoded), f"{name}: another number of frames"
        assert np.isfinite(stream.scores or stream.encoded).all(), f"{name}: a stream has read what it must not read"
        value, classes = difference(frames, stream)
        worst, different, count = max(worst, value), different + classes, count + len(frames)
    if stream.ids:
        print(f"{name}: largest difference of a score {worst:.1e}, {different} of {count} frames with another class")
    else:
        print(f"{name}: largest difference of a value {worst:.1e} in {count} frames")


def effect(expected, copies):
    """Returns the largest difference of a value between the first prompt and any other prompt. `expected` has `copies`
    entries per prompt.
    """
    whole = np.stack(expected[::copies])
    return float(np.abs(whole - whole[0]).max())


def compare_export(export, pcm):
    weights = read_weights(export)
    if reason := unsupported(weights):
        sys.exit(f"{export} is not supported: {reason}")
    if weights.prompts == 0:
        sys.exit(f"{export} has no prompts")
    left, right = context_of(weights.metadata)
    cuts = [pcm, *[pcm[: int(len(pcm) * cut) | 1] for cut in CUTS]]
    choice = np.unique(np.linspace(0, weights.prompts - 1, PROMPTS).astype(int)).tolist()
    utterances, prompts = cuts * len(choice), [prompt for prompt in choice for _ in cuts]
    original = session(export)
    expected = [encode(original, one, right, prompt) for one, prompt in zip(utterances, prompts)]
    name = f"{export} [{left},{right}], prompts {choice} of {weights.prompts}"
    print(f"{name}: largest effect of a prompt {effect(expected, len(cuts)):.1e}")
    if weights.ctc:
        rebuilt = build(weights, left, right + 1, weights.metadata).SerializeToString()
        worst = largest_difference(export, rebuilt, range(weights.prompts))
        print(f"{name}, CPU graph: largest difference of a score {worst:.1e}")
    for precision in ("f32", "f16"):
        with tempfile.TemporaryDirectory() as scratch:
            write(pathlib.Path(scratch), weights, [[left, right]], precision)
            path = f"{scratch}/{left}-{right}.onnx"
            compare(f"{name}, GPU graph {precision}", path, expected, utterances, right, prompts)


if __name__ == "__main__":
    for path in sys.argv[2:]:
        compare_export(path, read_wav(sys.argv[1]))
