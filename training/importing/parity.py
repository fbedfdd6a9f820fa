"""Compares the graphs of a folder with the model from which they were built.

The GPU graphs are built a second time in 32 bits. Their transcripts must equal the transcripts of the model, which
shows that the structure of the graphs is right. With 16 bits, a graph may choose a different piece if two pieces are
almost equally likely. Such errors are only counted.
"""

import numpy as np

from evaluate.errors import distance
from importing.folder import ENCODER, JOINT
from importing.paths import encode_on_gpu, encode_windows, search_export, search_on_gpu, session, through_gpu, write_gpu
from importing.source import Unsupported
from model.tokenizer import best_path

# Largest allowed difference between the graph for CPUs and the model, in a log-probability or a value of an encoded
# frame. Correct graphs with 32 bits differ by about 1e-5.
LARGEST_DIFFERENCE = 1e-2
REPORT = "Nothing was written. Please report this model"


def compare(source, folder, recordings, scratch):
    """Returns one entry for each context, with the pieces that the model recognizes in each recording."""
    write_gpu(scratch / "gpu", source.weights, source.contexts, "f32", source.joint)
    encoder = session(str(folder / ENCODER[source.joint is not None]))
    joint = session(str(folder / JOINT)) if source.joint is not None else None
    return [compare_context(source, folder, recordings, context, encoder, joint, scratch) for context in source.contexts]


def compare_context(source, folder, recordings, context, encoder, joint, scratch):
    blank, right = len(source.pieces), context[1]
    expected = [source.reference.transcribe(pcm, right) for pcm in recordings]
    worst, found = 0.0, []
    for pcm in recordings:
        rows = encode_windows(encoder, pcm, right, source.prompt)
        values = source.reference.frames(pcm, right)
        if values.shape != rows.shape:
            raise Unsupported(f"the graph for CPUs returns {len(rows)} frames instead of {len(values)} at {context}")
        worst = max(worst, float(np.abs(values - rows).max(initial=0)))
        found.append(pieces_of(rows, joint, blank))
    if worst > LARGEST_DIFFERENCE or found != expected:
        raise Unsupported(f"the graph for CPUs differs from the model at {context}, by {worst:.1e}. {REPORT}")
    if through_gpu_graphs(source, scratch / "gpu", recordings, context) != expected:
        raise Unsupported(f"the graph for GPUs differs from the model at {context}. {REPORT}")
    on_gpu = through_gpu_graphs(source, folder / "gpu", recordings, context)
    return {
        "context": context, "pieces": expected, "largestDifference": worst,
        "gpuPieceErrors": sum(distance(one, other) for one, other in zip(expected, on_gpu)),
    }


def pieces_of(rows, joint, blank):
    if joint is None:
        return best_path(rows.argmax(-1).tolist(), blank)
    return [piece for piece, _ in search_export(joint, rows, blank)]


def through_gpu_graphs(source, folder, recordings, context):
    """Returns the pieces of each recording. Runs the GPU graphs on the CPU, with several streams in a batch."""
    left, right = context
    path, prompt = str(folder / f"{left}-{right}.onnx"), source.prompt or 0
    if source.joint is not None:
        encoded = encode_on_gpu(path, recordings, right, prompt)
        found = search_on_gpu(folder, encoded, source.weights.width, right).found
        return [[piece for piece, _ in one] for one in found]
    streams = through_gpu(path, recordings, right, [prompt] * len(recordings))
    return [best_path([int(number) for number in stream.ids], len(source.pieces)) for stream in streams]
