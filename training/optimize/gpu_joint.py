"""Builds gpu/joint.onnx, which runs a fixed number of greedy steps of a transducer for each stream of a batch.

The search is the same as in worker/src/decode/rnnt.ts. Each stream is a row of the batch. After a step that produces a
piece, the row stays at its frame. After a blank, or after the maximum number of pieces per frame, the row moves to the
next frame. Rows without a remaining frame do not change.
"""

import numpy as np
from onnx import TensorProto

from gpu_graph import ALTERNATIVES, GpuGraph
from gpu_state import row_of

MAX_SYMBOLS = 10
F32 = np.float32


def build_joint(w, encoded_width, store, precision, steps):
    g = GpuGraph(store, precision)
    ints = lambda name: g.input(name, ["B"], TensorProto.INT32)
    encoded = g.input("encoded", ["B", "C", encoded_width], g.dtype)
    frames, token, at, symbols = (ints(name) for name in ("frames", "token", "at", "symbols"))
    states = States(g, w, ints("state_from"), ints("state_to"))
    search = Search(g, w, encoded, frames)
    results = []
    for _ in range(steps):
        output, following = predict(g, w, token, states.values)
        top, top_scores = search.classify(output, at)
        best, score = g.first(top), g.first(top_scores)
        live = g.op("Less", at, frames)
        emits = g.op("And", live, g.op("Not", g.op("Equal", best, search.blank)))
        results.append((g.op("Where", emits, best, search.int32(-1)), at, score, top, top_scores))
        token = g.op("Where", emits, best, token)
        states.select(emits, following)
        symbols = g.op("Where", emits, g.op("Add", symbols, search.int32(1)), symbols)
        stays = g.op("And", emits, g.op("Less", symbols, search.int32(MAX_SYMBOLS)))
        moves = g.op("And", live, g.op("Not", stays))
        at = g.op("Where", moves, g.op("Add", at, search.int32(1)), at)
        symbols = g.op("Where", moves, search.int32(0), symbols)
    int32, count = TensorProto.INT32, min(ALTERNATIVES, w.classes)
    outputs = (
        ("tokens", [], int32), ("places", [], int32), ("scores", [], TensorProto.FLOAT),
        ("top_ids", [count], int32), ("top_scores", [count], TensorProto.FLOAT),
    )
    for column, (name, dims, dtype) in enumerate(outputs):
        columns = [g.op("Unsqueeze", result[column], g.ints(1)) for result in results]
        g.named("Concat", name, ["B", steps, *dims], *columns, dtype=dtype, axis=1)
    for name, value in (("token", token), ("at", at), ("symbols", symbols)):
        g.named("Identity", f"{name}_next", ["B"], value, dtype=TensorProto.INT32)
    states.write()
    facts = {
        "gpu_format": 1, "type": "joint", "steps": steps, "classes": w.classes, "blank": w.classes - 1,
        "encoded": encoded_width, "hidden": w.hidden, "predictor_layers": len(w.layers), "jrow": states.row,
        "max_symbols": MAX_SYMBOLS, "precision": precision,
    }
    return g.model({name: str(value) for name, value in facts.items()})


class States:
    """Reads and writes the LSTM states of the batch, which are in arenas of 32-bit floats."""

    def __init__(self, g, w, state_from, state_to):
        self.g, self.width, self.row = g, w.hidden, row_of(w.hidden)
        self.to = state_to
        self.names = [f"{part}_{i}" for i in range(len(w.layers)) for part in ("hidden", "cell")]
        self.values = [g.op("Gather", self.arena(name), state_from, axis=0) for name in self.names]

    def arena(self, name):
        arena = self.g.input(name, ["states_rows", self.row], TensorProto.FLOAT)
        return self.g.op("Reshape", arena, self.g.ints(-1, self.width))

    def select(self, emits, following):
        column = self.g.op("Unsqueeze", emits, self.g.ints(1))
        self.values = [self.g.op("Where", column, new, old) for new, old in zip(following, self.values)]

    def write(self):
        g, block = self.g, self.width // self.row
        start = g.op("Mul", g.op("Unsqueeze", self.to, g.ints(1)), g.constant([block], np.int32))
        rows = g.op("Reshape", g.op("Add", start, g.counted(1, block)), g.ints(-1, 1))
        rows = g.op("Cast", rows, to=TensorProto.INT64)
        for name, value in zip(self.names, self.values):
            value = g.op("Reshape", value, g.ints(-1, self.row))
            g.named("ScatterND", f"{name}_next", ["states_rows", self.row], name, rows, value, dtype=TensorProto.FLOAT)


class Search:
    """Runs the joint network on the projected frames of a chunk."""

    def __init__(self, g, w, encoded, frames):
        self.g, self.w = g, w
        self.int32 = lambda value: g.constant([value], np.int32)
        self.blank = self.int32(w.classes - 1)
        self.last = g.op("Sub", frames, self.int32(1))
        matrix, bias = w.encoded
        projected = g.op("MatMul", encoded, g.constant(matrix, hint="joint.enc.weight"))
        # `classify` later adds the projection of the predictor's output, without the bias of that projection. The bias
        # is added here.
        bias = g.constant(np.reshape(bias + w.predicted[1], (1, 1, -1)), F32, "joint.bias")
        self.projected = g.op("Add", floats(g, projected), bias)
        self.columns = g.constant(np.zeros((1, 1, matrix.shape[1])), np.int32, "joint.columns")

    def classify(self, output, at):
        """Returns the best classes at the current frame of each row, and their log-probabilities."""
        g, w = self.g, self.w
        inside = g.op("Max", g.op("Min", at, self.last), self.int32(0))
        index = g.op("Add", g.op("Reshape", inside, g.ints(-1, 1, 1)), self.columns)
        frame = g.op("Squeeze", g.op("GatherElements", self.projected, index, axis=1), g.ints(1))
        predicted = floats(g, g.matrix(states(g, output), "joint.pred.weight", w.predicted[0]))
        logits = g.affine(g.op("Relu", g.op("Add", frame, predicted)), "joint.out", *w.output, F32)
        return g.best(logits, w.classes)


def predict(g, w, token, values):
    """Runs one step of the predictor. Returns the output, and the states after the token. The cells of the LSTM are
    computed in 32 bits.
    """
    following, x = [], None
    for i, (matrix, recurrent, bias) in enumerate(w.layers):
        hidden, cell = values[2 * i], values[2 * i + 1]
        if i == 0:
            # The input of the first layer is always the embedding of a class. The graph therefore contains a table with
            # the products of all embeddings and the input matrix.
            table = g.constant(w.embedding @ matrix + bias, hint="predictor.0.table")
            gates = g.op("Gather", table, token, axis=0)
        else:
            gates = g.affine(states(g, x), f"predictor.{i}", matrix, bias)
        # The runtime would combine a product and a sum directly after it into a Gemm, which is not allowed (see
        # gpu_graph.py). So a Reshape is between them.
        kept = g.matrix(states(g, hidden), f"predictor.{i}.recurrent", recurrent)
        gates = g.op("Add", gates, g.op("Reshape", kept, g.ints(-1, 4 * w.hidden)))
        into, out, forget, candidate = g.op("Split", floats(g, gates), outputs=4, axis=1)
        kept = g.op("Mul", g.op("Sigmoid", forget), cell)
        cell = g.op("Add", kept, g.op("Mul", g.op("Sigmoid", into), g.op("Tanh", candidate)))
        x = g.op("Mul", g.op("Sigmoid", out), g.op("Tanh", cell))
        following += [x, cell]
    return x, following


def floats(g, x):
    return x if g.dtype == TensorProto.FLOAT else g.op("Cast", x, to=TensorProto.FLOAT)


def states(g, x):
    return x if g.dtype == TensorProto.FLOAT else g.op("Cast", x, to=g.dtype)
