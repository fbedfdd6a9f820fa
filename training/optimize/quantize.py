"""Quantizes the matrix products of a model to 8 bits. These are the Gemm nodes, whose matrices are constant. The scales
are constants too.

The scales of activations come from recordings (calibrate.py) and not from the batch. So a transcript does not depend on
the other streams of a batch. The result contains QuantizeLinear and DequantizeLinear around each Gemm. On CPUs, ONNX
Runtime replaces these nodes by integer products. Their sums are exact, so they do not depend on the batch size either.

Activations are unsigned 8-bit integers. Weights are integers within ±63 and have one scale per column. CPUs with AVX2
but without VNNI add two products in 16 bits. With larger weights, such a sum could saturate.
"""

import numpy as np
from onnx import helper, numpy_helper

LARGEST_WEIGHT = 63
LARGEST_ACTIVATION = 255
# Shares of the recorded range of activations that `choose_scale` tries. A smaller range clips outliers, but rounds all
# other values less.
SHARES = [1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6]
# The mean of the diagonal of the curvature matrix, times this share, is added to the diagonal. The matrix then has an
# inverse.
DAMPING = 0.01


class Editor:
    """Finds and changes the constants and nodes of a graph by name."""

    def __init__(self, model):
        self.graph = model.graph
        self.constants = {tensor.name: tensor for tensor in self.graph.initializer}
        self.producers = {name: node for node in self.graph.node for name in node.output}
        self.consumers = {}
        for node in self.graph.node:
            for name in node.input:
                self.consumers.setdefault(name, []).append(node)

    def read(self, name):
        return numpy_helper.to_array(self.constants[name]).astype(np.float64)

    def write(self, name, value):
        self.constants[name].CopyFrom(numpy_helper.from_array(np.asarray(value, np.float32), name))

    def add(self, name, value, dtype):
        self.graph.initializer.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def replace(self, replacements):
        """Replaces nodes by lists of nodes, and removes constants that no node uses any more."""
        nodes = [new for node in self.graph.node for new in replacements.get(node.name, [node])]
        del self.graph.node[:]
        self.graph.node.extend(nodes)
        used = {name for node in nodes for name in node.input}
        kept = [tensor for tensor in self.graph.initializer if tensor.name in used]
        del self.graph.initializer[:]
        self.graph.initializer.extend(kept)


def products(model):
    """Returns the matrix products (Gemm nodes), grouped by the name of their input."""
    by_input = {}
    for node in model.graph.node:
        if node.op_type == "Gemm":
            by_input.setdefault(node.input[0], []).append(node)
    return by_input


def quantize(model, rows):
    """Quantizes the model in place. `rows` contains recorded values for the input of each product, by the name of the
    input. The function empties `rows`, to save memory.
    """
    editor = Editor(model)
    replacements = {}
    for name, nodes in products(model).items():
        x, matrices = rows.pop(name).astype(np.float64), [editor.read(node.input[1]) for node in nodes]
        norm = editor.producers[name]
        if norm.op_type == "LayerNormalization" and len(editor.consumers[name]) == len(nodes):
            x, matrices = equalize(editor, norm, x, matrices)
        scale, zero = choose_scale(x, matrices)
        steps = np.clip(np.round(x / scale) + zero, 0, LARGEST_ACTIVATION) - zero
        pair = [editor.add(f"{name}_scale", scale, np.float32), editor.add(f"{name}_zero", zero, np.uint8)]
        added = [node_of("QuantizeLinear", [name, *pair], f"{name}_int"), node_of("DequantizeLinear", [f"{name}_int", *pair], f"{name}_back")]
        for node, matrix in zip(nodes, matrices):
            added.extend(quantize_product(editor, node, x, steps, scale, matrix))
            replacements[node.name] = []
        replacements[nodes[0].name] = added
    editor.replace(replacements)
    return model


def node_of(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs, [output], name=output, **attributes)


def equalize(editor, norm, x, matrices):
    """Divides the output of a normalization by one factor per channel, so that the channels have similar ranges.
    Multiplies the matrices after it by the same factors.
    """
    factors = np.sqrt(np.abs(x).max(0) / np.max([np.abs(matrix).max(1) for matrix in matrices], 0))
    factors /= np.exp(np.log(factors).mean())
    for name in norm.input[1:3]:
        editor.write(name, editor.read(name) / factors)
    return x / factors, [matrix * factors[:, None] for matrix in matrices]


def choose_scale(x, matrices):
    """Returns the scale and the zero point with the smallest error in the products."""
    low, high = min(x.min(), 0.0), max(x.max(), 0.0)
    best = (np.inf, 1.0, 0)
    for share in SHARES:
        # If the lower limit is small compared with the upper limit, as for the output of SiLU, only the upper limit is
        # lowered. A change of the lower limit would hardly change the scale.
        bottom = low * share if low < -0.2 * high else low
        scale = (high * share - bottom) / LARGEST_ACTIVATION
        zero = int(np.clip(round(-bottom / scale), 0, LARGEST_ACTIVATION))
        error = (np.clip(np.round(x / scale) + zero, 0, LARGEST_ACTIVATION) - zero) * scale - x
        best = min(best, (sum(((error @ matrix) ** 2).sum() for matrix in matrices), scale, zero))
    return best[1:]


def quantize_product(editor, node, x, steps, scale, matrix):
    """Returns the nodes that replace one product. They use an integer matrix and an integer bias."""
    _, weight, bias = node.input
    scales = np.maximum(np.abs(matrix).max(0) / LARGEST_WEIGHT, 1e-9)
    integers = round_matrix(matrix, steps.T @ steps / len(steps), scales)
    sums = scale * scales
    # The new bias also compensates the mean error that rounding causes in the product.
    offset = editor.read(bias) + (x @ matrix).mean(0) - (steps @ integers).mean(0) * sums
    columns = matrix.shape[1]
    constants = [(weight, integers, scales, np.int8), (bias, np.round(offset / sums), sums, np.int32)]
    nodes = []
    for name, values, unit, dtype in constants:
        inputs = [
            editor.add(f"{name}_int", values, dtype),
            editor.add(f"{name}_scale", unit, np.float32),
            editor.add(f"{name}_zero", np.zeros(columns), dtype),
        ]
        nodes.append(node_of("DequantizeLinear", inputs, f"{name}_back", axis=values.ndim - 1))
    gemm = helper.make_node("Gemm", [f"{node.input[0]}_back", f"{weight}_back", f"{bias}_back"], node.output, name=node.name)
    return [*nodes, gemm]


def round_matrix(matrix, curvature, scales):
    """Rounds a matrix row by row. After each row, changes the rows that are not rounded yet to compensate its rounding
    error (GPTQ).

    `curvature` is the mean of x x^T. It determines how well one row can compensate the error of another row.
    """
    matrix, count = matrix.copy(), len(matrix)
    curvature = curvature + np.eye(count) * DAMPING * np.diag(curvature).mean()
    inverse = np.linalg.cholesky(np.linalg.inv(curvature)).T
    integers = np.zeros_like(matrix)
    for row in range(count):
        integers[row] = np.clip(np.round(matrix[row] / scales), -LARGEST_WEIGHT, LARGEST_WEIGHT)
        error = (matrix[row] - integers[row] * scales) / inverse[row, row]
        matrix[row + 1 :] -= np.outer(inverse[row, row + 1 :], error)
    return integers
