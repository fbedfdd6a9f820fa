"""Self-attention with relative positions over cached keys and values.

With q = x Wq + bq per head, NeMo's scores are (q + u) k^T + (q + v) (p Wp)^T. Both queries come from the product that
also computes keys and values. As in attention.py, bk has no effect on the softmax, bv joins bo, and the projected
positions of all distances that a chunk can meet are a constant.
"""

import numpy as np

from attention import relative_positions

HIDDEN = -10000.0 # score that NeMo gives to masked keys


def attention(g, w, layer, x, state, visible, number):
    """x [B * C, width] (normed), visible [B, 1, 1, left + C] -> [B * C, width] without the bias, and the bias."""
    d, h, left, chunk = w.width, w.heads, state.left, state.chunk
    k = d // h
    p = lambda name: w[f"{layer}.self_attn.{name}"]
    scale = 1 / np.sqrt(k)
    query, bias = p("linear_q.weight") * scale, p("linear_q.bias")
    matrix = np.concatenate([query, query, p("linear_k.weight"), p("linear_v.weight")], 1)
    biases = [(bias + p(f"pos_bias_{part}").reshape(-1)) * scale for part in "uv"]
    projected = g.affine(x, f"{layer}.self_attn.projections", matrix, np.concatenate([*biases, np.zeros(2 * d)]))
    content, position, keys, values = g.op("Split", projected, outputs=4, axis=1)

    keys = state.extend(f"keys_{number}", keys)
    values = state.extend(f"values_{number}", values)
    per_head = lambda y, frames, perm: g.op("Transpose", g.op("Reshape", y, g.ints(-1, frames, h, k)), perm=perm)
    scores = g.op("MatMul", per_head(content, chunk, [0, 2, 1, 3]), per_head(keys, left + chunk, [0, 2, 3, 1]))
    rows = relative_positions(left, chunk, d) @ p("linear_pos.weight")
    positions = skewed(g, per_head(position, chunk, [0, 2, 1, 3]), rows.reshape(-1, h, k), left, chunk, layer)
    scores = g.op("Where", visible, g.op("Add", scores, positions), g.constant(HIDDEN))
    mixed = g.op("MatMul", g.op("Softmax", scores, axis=-1), per_head(values, left + chunk, [0, 2, 1, 3]))
    mixed = g.op("Reshape", g.op("Transpose", mixed, perm=[0, 2, 1, 3]), g.ints(-1, d))
    output = p("linear_out.weight")
    return g.matrix(mixed, f"{layer}.self_attn.linear_out.weight", output), p("linear_out.bias") + p("linear_v.bias") @ output


def skewed(g, query, rows, left, chunk, layer):
    """query [B, h, C, k] times rows [distances, h, k] -> [B, h, C, left + C] against keys.

    Key j of row i has distance column C - 1 - i + j. One more column lets rows be read one element shorter, which
    moves each row by one more.
    """
    count, h, k = rows.shape
    matrix = rows.transpose(1, 2, 0)
    if chunk > 1:
        matrix = np.concatenate([matrix, np.zeros((h, k, 1))], 2)
    scores = g.op("MatMul", query, g.constant(matrix, hint=f"{layer}.self_attn.positions"))
    if chunk == 1:
        return scores
    flat = g.op("Reshape", scores, g.ints(-1, h, chunk * (count + 1)))
    grid = g.op("Reshape", g.op("Slice", flat, g.ints(0), g.ints(chunk * count), g.ints(2)), g.ints(-1, h, chunk, count))
    return g.op("Slice", grid, g.ints(chunk - 1), g.ints(chunk - 1 + left + chunk), g.ints(3))
