"""Builds the graph of one context, which computes the best class of each frame from PCM. Arenas contain the state of
all streams.

The graph of a transducer returns encoded frames instead of classes.
"""

import numpy as np
from onnx import TensorProto

from gpu_attention import attention
from gpu_features import between, features, samples_of
from gpu_graph import ALTERNATIVES, GpuGraph
from gpu_state import State
from gpu_subsample import subsample
from prompt import prompted_chunk

SUBSAMPLING = 8


def build(w, left, right, store, precision):
    """Builds an ONNX model. The batch size and the sizes of the arenas are dynamic. All other sizes are fixed."""
    g = GpuGraph(store, precision)
    chunk, d = right + 1, w.width
    window = SUBSAMPLING * chunk + SUBSAMPLING + 1
    pcm = g.input("pcm", ["B", samples_of(window)], TensorProto.INT16)
    bounds = g.op("Split", g.input("bounds", ["B", 4], TensorProto.INT32), outputs=4, axis=1)
    state = State(g, left, chunk, d, w.conv_context)
    filled = g.input("filled", ["B"], TensorProto.INT32)

    x = features(g, pcm, bounds, window, w.mels)
    x, lengths = subsample(g, w, x, bounds[3], window)
    visible = visible_keys(g, left, chunk, filled, lengths)
    normed = g.normed(x, "layers.0.norm_feed_forward1", w)
    for i in range(w.layers):
        layer = f"layers.{i}"
        x, normed = g.add_normed(x, *feed_forward(g, w, f"{layer}.feed_forward1", normed), f"{layer}.norm_self_att", w)
        x, normed = g.add_normed(x, *attention(g, w, layer, normed, state, visible, i), f"{layer}.norm_conv", w)
        x, normed = g.add_normed(x, *convolution(g, w, layer, normed, state, i), f"{layer}.norm_feed_forward2", w)
        _, x = g.add_normed(x, *feed_forward(g, w, f"{layer}.feed_forward2", normed), f"{layer}.norm_out", w)
        if i + 1 < w.layers:
            normed = g.normed(x, f"layers.{i + 1}.norm_feed_forward1", w)
    if w.prompts > 0:
        x = prompted_chunk(g, w, x, chunk)
    head(g, w, x, chunk)
    return g.model(metadata(w, left, right, state.row, precision))


def metadata(w, left, right, row, precision):
    facts = {
        "gpu_format": 1, "type": "ctc" if w.ctc else "transducer", "left": left, "right": right, "mels": w.mels,
        "layers": w.layers, "width": w.width, "heads": w.heads, "tail": w.conv_context, "row": row,
        "subsampling": SUBSAMPLING, "precision": precision, "classes": w.vocabulary + 1, "blank": w.vocabulary,
        **({"prompts": w.prompts} if w.prompts > 0 else {}),
    }
    return {name: str(value) for name, value in facts.items()}


def visible_keys(g, left, chunk, filled, lengths):
    """Returns [B, 1, 1, left + C], which is true for keys that exist. At the start of a stream, the past is shorter
    than the left context. In the last chunk, frames after the end of the audio do not exist.
    """
    int32 = lambda *values: g.constant(np.array(values), np.int32)
    oldest = g.op("Sub", int32(left), g.op("Unsqueeze", filled, g.ints(1)))
    visible = between(g, g.counted(1, left + chunk), oldest, g.op("Add", lengths, int32(left)))
    return g.op("Unsqueeze", visible, g.ints(1, 2))


def feed_forward(g, w, name, x):
    """Returns half of the output of the module without its bias, and half of the bias. A layer adds only this half."""
    x = g.silu(g.affine(x, f"{name}.linear1", w[f"{name}.linear1.weight"], w[f"{name}.linear1.bias"]))
    return g.matrix(x, f"{name}.linear2.weight", w[f"{name}.linear2.weight"] / 2), w[f"{name}.linear2.bias"] / 2


def convolution(g, w, layer, x, state, number):
    """Returns the output of the causal convolution module without the bias of its last product, and this bias."""
    p = lambda name: w[f"{layer}.conv.{name}"]
    name = f"{layer}.conv.depthwise_conv"
    d = w.width
    both = g.affine(x, f"{layer}.conv.pointwise_conv1", p("pointwise_conv1.weight")[:, :, 0].T, p("pointwise_conv1.bias"))
    value, gate = g.op("Split", both, outputs=2, axis=1)
    gated = g.op("Reshape", g.op("Mul", value, g.op("Sigmoid", gate)), g.ints(state.chunk, -1, d))
    x, tail = g.fused(
        "CausalConvWithState", g.op("Transpose", gated, perm=[1, 2, 0]),
        g.constant(p("depthwise_conv.weight"), hint=f"{name}.weight"),
        g.constant(p("depthwise_conv.bias"), hint=f"{name}.bias"),
        state.read_tail(f"tails_{number}"), outputs=("x", "tail"),
    )
    state.write_tail(f"tails_{number}", tail)
    x = g.op("Reshape", g.op("Transpose", x, perm=[2, 0, 1]), g.ints(-1, d))
    x = g.silu(g.normed(x, f"{layer}.conv.batch_norm", w))
    matrix = p("pointwise_conv2.weight")[:, :, 0].T
    return g.matrix(x, f"{layer}.conv.pointwise_conv2.weight", matrix), p("pointwise_conv2.bias")


def head(g, w, x, chunk):
    """Adds the outputs of the graph: the best classes of each frame with their log-probabilities, or encoded frames for
    a transducer.
    """
    x = g.op("Reshape", x, g.ints(chunk, -1, w.width))
    if not w.ctc:
        g.named("Transpose", "encoded", ["B", chunk, w.width], x, perm=[1, 0, 2])
        return
    x = g.op("Reshape", g.op("Transpose", x, perm=[1, 0, 2]), g.ints(-1, w.width))
    matrix, bias = w["ctc_decoder.decoder_layers.0.weight"][:, :, 0].T, w["ctc_decoder.decoder_layers.0.bias"]
    x = g.op("Cast", x, to=TensorProto.FLOAT) if g.dtype != TensorProto.FLOAT else x
    logits = g.affine(x, "head", matrix, bias, np.float32)
    count = min(ALTERNATIVES, len(bias))
    for name, values, dtype in zip(("ids", "scores"), g.best(logits, len(bias)), (TensorProto.INT32, TensorProto.FLOAT)):
        g.named("Reshape", name, ["B", chunk], g.first(values), g.ints(-1, chunk), dtype=dtype)
        g.named("Reshape", f"top_{name}", ["B", chunk, count], values, g.ints(-1, chunk, count), dtype=dtype)
