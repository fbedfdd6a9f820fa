"""Builds the encoder, with the CTC head if the model has one. The graph has the same inputs and outputs as the export,
but far fewer nodes.
"""

from onnx import TensorProto

from attention import Skew, attention, sizes_of
from graph import Graph
from prompt import prompted
from subsample import positions, subsample

HIDDEN = -10000.0 # score that NeMo gives to masked keys


def build(w, left, chunk, metadata):
    """Builds an ONNX model with the weights. The batch size is dynamic. So is the length of a chunk, up to `chunk`
    frames.
    """
    g = Graph()
    d, depth, tail = w.width, w.layers, w.conv_context
    mels = int(w.metadata["feat_dim"])
    audio = g.input("audio_signal", ["B", mels, "T"])
    length = g.input("length", ["B"], TensorProto.INT64)
    cache = g.input("cache_last_channel", ["B", depth, left, d])
    times = g.input("cache_last_time", ["B", depth, d, tail])
    filled = g.input("cache_last_channel_len", ["B"], TensorProto.INT64)

    x, lengths = subsample(g, w, audio, length)
    batch = g.op("Shape", length)
    frames = g.op("Div", g.op("Shape", x, start=0, end=1), batch)
    sizes = sizes_of(g, batch, frames, d)
    skew = Skew(g, sizes, w.heads, left, chunk)
    mask = key_mask(g, left, frames, filled, lengths)

    pasts = g.op("Split", cache, outputs=depth, axis=1)
    tails = g.op("Split", g.op("Transpose", times, perm=[0, 1, 3, 2]), outputs=depth, axis=1)
    news, tails_next = [], []
    for i in range(depth):
        layer = f"layers.{i}"
        x = g.op("Add", x, feed_forward(g, w, f"{layer}.feed_forward1", norm(g, w, f"{layer}.norm_feed_forward1", x)))
        normed = norm(g, w, f"{layer}.norm_self_att", x)
        fresh = g.op("Reshape", normed, sizes.image)
        keys = g.op("Concat", pasts[i], fresh, axis=2)
        news.append(fresh)
        x = g.op("Add", x, attention(g, w, layer, normed, keys, mask, left, chunk, sizes, skew))
        mixed, tail_next = convolution(g, w, layer, norm(g, w, f"{layer}.norm_conv", x), tails[i], sizes)
        tails_next.append(tail_next)
        x = g.op("Add", x, mixed)
        x = g.op("Add", x, feed_forward(g, w, f"{layer}.feed_forward2", norm(g, w, f"{layer}.norm_feed_forward2", x)))
        x = norm(g, w, f"{layer}.norm_out", x)

    if w.prompts > 0:
        x = prompted(g, w, x, batch)
    output(g, w, x, batch)
    g.output(lengths, "encoded_lengths", ["B"], TensorProto.INT64)
    kept = g.op("Slice", cache, frames, g.ints(1 << 30), g.ints(2))
    g.output(g.op("Concat", kept, g.op("Concat", *news, axis=1), axis=2), "cache_last_channel_next", ["B", depth, left, d])
    g.output(g.op("Transpose", g.op("Concat", *tails_next, axis=1), perm=[0, 1, 3, 2]), "cache_last_time_next", ["B", depth, d, tail])
    g.output(g.op("Min", g.op("Add", filled, frames), g.ints(left)), "cache_last_channel_next_len", ["B"], TensorProto.INT64)
    return g.model(metadata)


def output(g, w, x, batch):
    """Adds the output of the graph: log-probabilities, or encoded frames for a transducer."""
    rows = lambda values, size: g.op("Reshape", values, g.op("Concat", batch, g.ints(-1, size), axis=0))
    if not w.ctc:
        g.output(g.op("Transpose", rows(x, w.width), perm=[0, 2, 1]), "outputs", ["B", w.width, "T_out"])
        return
    head, bias = w["ctc_decoder.decoder_layers.0.weight"][:, :, 0].T, w["ctc_decoder.decoder_layers.0.bias"]
    logits = rows(g.linear(x, head, bias), head.shape[1])
    g.output(g.op("LogSoftmax", logits, axis=-1), "logprobs", ["B", "T_out", head.shape[1]])


def key_mask(g, left, frames, filled, lengths):
    """Returns [B, 1, 1, left + T] with 0 for keys that exist, and HIDDEN for unused cache entries and for frames after
    the end.
    """
    at = positions(g, g.op("Add", frames, g.ints(left)))
    column = lambda v: g.op("Unsqueeze", v, g.ints(1))
    early = g.op("Less", at, column(g.op("Sub", g.ints(left), filled)))
    late = g.op("Not", g.op("Less", at, column(g.op("Add", lengths, g.ints(left)))))
    hidden = g.op("Cast", g.op("Or", early, late), to=TensorProto.FLOAT)
    return g.op("Unsqueeze", g.op("Mul", hidden, g.constant(HIDDEN)), g.ints(1, 2))


def norm(g, w, name, x):
    return g.norm(x, w[f"{name}.weight"], w[f"{name}.bias"])


def feed_forward(g, w, name, x):
    """Returns half of the output of the feed-forward module, because a layer adds only half of it. The factor 0.5 is
    part of the matrix.
    """
    x = g.silu(g.linear(x, w[f"{name}.linear1.weight"], w[f"{name}.linear1.bias"]))
    return g.linear(x, w[f"{name}.linear2.weight"] / 2, w[f"{name}.linear2.bias"] / 2)


def convolution(g, w, layer, x, tail, sizes):
    """Adds the causal convolution module. It needs no mask, because no frame depends on the frames after it."""
    p = lambda name: w[f"{layer}.conv.{name}"]
    d = w.width
    matrix, bias = p("pointwise_conv1.weight")[:, :, 0].T, p("pointwise_conv1.bias")
    value = g.linear(x, matrix[:, :d], bias[:d])
    gate = g.op("Sigmoid", g.linear(x, matrix[:, d:], bias[d:]))
    gated = g.op("Reshape", g.op("Mul", value, gate), sizes.image)
    series = g.op("Concat", tail, gated, axis=2)  # [B, 1, tail + T, d]
    tail_next = g.op("Slice", series, g.ints(-w.conv_context), g.ints(1 << 30), g.ints(2))
    kernel = p("depthwise_conv.weight")[:, :, None, :]
    # The series becomes an image with one row and `d` channels. The blocked depthwise kernel of the runtime for images
    # is much faster than its 1-D kernel.
    image = g.op("Transpose", series, perm=[0, 3, 1, 2])
    image = g.op(
        "Conv", image, g.constant(kernel), g.constant(p("depthwise_conv.bias")), kernel_shape=list(kernel.shape[2:]), group=d
    )
    x = g.op("Reshape", g.op("Transpose", image, perm=[0, 2, 3, 1]), g.ints(-1, d))
    x = g.silu(norm(g, w, f"{layer}.conv.batch_norm", x))
    return g.linear(x, p("pointwise_conv2.weight")[:, :, 0].T, p("pointwise_conv2.bias")), tail_next
