"""Self-attention with relative positions over cached keys and values.

With q = x Wq + bq per head, NeMo's scores are (q + u) k^T + (q + v) (p Wp)^T. A single matrix product computes both
queries, the keys and the values. As in attention.py, bk has no effect on the softmax, and bv Wo is added to bo. The
projected positions of all distances that can occur in a chunk are a constant.
"""

import numpy as np

from attention import relative_positions

HIDDEN = -10000.0 # score that NeMo gives to masked keys


def attention(g, w, layer, x, state, visible, number):
    """x [C * B, width] (normed), visible [B, 1, 1, left + C] -> output [C * B, width] without its bias, and the bias.
    """
    d, h, left, chunk = w.width, w.heads, state.left, state.chunk
    k = d // h
    p = lambda name: w[f"{layer}.self_attn.{name}"]
    scale = 1 / np.sqrt(k)
    query, bias = p("linear_q.weight") * scale, p("linear_q.bias")
    matrix = np.concatenate([query, query, p("linear_k.weight"), p("linear_v.weight")], 1)
    biases = [(bias + p(f"pos_bias_{part}").reshape(-1)) * scale for part in "uv"]
    projected = g.affine(x, f"{layer}.self_attn.projections", matrix, np.concatenate([*biases, np.zeros(2 * d)]))
    content, position, keys, values = g.op("Split", projected, outputs=4, axis=1)

    # Time is the first dimension of keys, values and queries. The products can therefore use the streams and heads as
    # batch dimensions (transBatchA, transBatchB), and the tensors are not transposed.
    by_head = lambda y, frames: g.op("Reshape", y, g.ints(frames, -1, h, k))
    keys = by_head(state.extend(f"keys_{number}", keys), left + chunk)
    values = by_head(state.extend(f"values_{number}", values), left + chunk)
    scores = g.product(by_head(content, chunk), keys, transBatchA=1, transBatchB=1, transB=1)
    rows = (relative_positions(left, chunk, d) @ p("linear_pos.weight")).reshape(-1, h, k)
    scores = g.op("Add", scores, skewed(g, position, rows, left, chunk, layer))
    weights = g.op("Softmax", g.op("Where", visible, scores, g.constant(HIDDEN)), axis=-1)
    mixed = g.op("Transpose", g.product(weights, values, transBatchB=1), perm=[2, 0, 1, 3])
    output = p("linear_out.weight")
    mixed = g.matrix(g.op("Reshape", mixed, g.ints(-1, d)), f"{layer}.self_attn.linear_out.weight", output)
    return mixed, p("linear_out.bias") + p("linear_v.bias") @ output


def skewed(g, query, rows, left, chunk, layer):
    """query [C * B, h * k] times rows [distances, h, k] -> scores by key [B, h, C, left + C].

    The score of row i for key j is in distance column C - 1 - i + j.
    """
    count, h, k = rows.shape
    positions = g.constant(rows.transpose(1, 2, 0), hint=f"{layer}.self_attn.positions")
    scores = g.product(g.op("Reshape", query, g.ints(-1, h, k)), positions, transBatchA=1)
    scores = g.op("Transpose", g.op("Reshape", scores, g.ints(h, chunk, -1, count)), perm=[2, 0, 1, 3])
    if chunk == 1:
        return scores
    row, key = np.arange(chunk)[:, None], np.arange(left + chunk)
    at = g.constant(row * count + chunk - 1 - row + key, np.int32, "skew")
    return g.op("Gather", g.op("Reshape", scores, g.ints(-1, h, chunk * count)), at, axis=2)
