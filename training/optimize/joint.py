"""Builds decoder_joint.onnx for CPUs: predictor and joint network of a transducer, with the interface of a NeMo export."""

import numpy as np
from onnx import TensorProto

from graph import Graph


def build_joint(w, encoded_width, metadata):
    """Builds an ONNX model with the weights. The batch size and the numbers of frames and pieces are dynamic."""
    g = Graph()
    layers, hidden = len(w.layers), w.hidden
    frames = g.input("encoder_outputs", ["B", encoded_width, "T"])
    targets = g.input("targets", ["B", "U"], TensorProto.INT32)
    length = g.input("target_length", ["B"], TensorProto.INT32)
    states = [g.input(f"input_states_{part}", [layers, "B", hidden]) for part in (1, 2)]
    predicted, following = predict(g, w, g.op("Transpose", targets, perm=[1, 0]), states)
    encoded = affine(g, g.op("Transpose", frames, perm=[0, 2, 1]), w.encoded)
    predicted = affine(g, g.op("Transpose", predicted, perm=[1, 0, 2]), w.predicted)
    both = g.op("Add", g.op("Unsqueeze", encoded, g.ints(2)), g.op("Unsqueeze", predicted, g.ints(1)))
    # The output is logits without a softmax, because a greedy search only needs the largest one.
    g.output(affine(g, g.op("Relu", both), w.output), "outputs", ["B", "T", "U", w.classes])
    g.output(length, "prednet_lengths", ["B"], TensorProto.INT32)
    for part, values in enumerate(following, 1):
        g.output(values, f"output_states_{part}", [layers, "B", hidden])
    facts = {"vocab_size": w.classes - 1, "pred_rnn_layers": layers, "pred_hidden": hidden, **metadata}
    return g.model({name: str(value) for name, value in facts.items()})


def predict(g, w, targets, states):
    """targets [U, B] -> outputs [U, B, hidden], and the hidden and cell states after the last target."""
    layers = len(w.layers)
    split = lambda value: [value] if layers == 1 else g.op("Split", value, outputs=layers, axis=0)
    x, following = g.op("Gather", g.constant(w.embedding), targets, axis=0), []
    for (matrix, recurrent, bias), hidden, cell in zip(w.layers, *map(split, states)):
        both = np.concatenate([bias, np.zeros_like(bias)])
        constants = [g.constant(value[None]) for value in (matrix.T, recurrent.T, both)]
        y, *after = g.op("LSTM", x, *constants, "", hidden, cell, outputs=3, hidden_size=w.hidden)
        x = g.op("Squeeze", y, g.ints(1))
        following.append(after)
    return x, [values[0] if layers == 1 else g.op("Concat", *values, axis=0) for values in zip(*following)]


def affine(g, x, layer):
    matrix, bias = layer
    return g.op("Add", g.op("MatMul", x, g.constant(matrix)), g.constant(bias))
