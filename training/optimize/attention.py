"""Self-attention with relative positions, rewritten so that the cache stays what NeMo caches but no key or value is
ever projected.

With q = x Wq + bq per head, NeMo's scores are (q + u) (c Wk + bk)^T + (q + v) (p Wp)^T over keys c. Products of constants
are computed here once:

- (q + u) Wk^T = x (Wq Wk^T) + (bq + u) Wk^T, so the scores need c itself; bk adds the same to a whole row, which softmax cancels.
- (q + v) (p Wp)^T = x (Wq (p Wp)^T) + ...: one matrix for all relative positions that a chunk can meet.
- The rows of the softmax sum to one, so values and output projection are one matrix per head, Wv Wo, and bv joins bo.
"""

import numpy as np


def relative_positions(left, chunk, width):
    """Sinusoids for distances left + chunk - 1 down to -(chunk - 1), as rows."""
    distance = np.arange(left + chunk - 1, -chunk, -1, dtype=np.float64)[:, None]
    rate = np.exp(np.arange(0, width, 2) * -(np.log(10000.0) / width))
    rows = np.zeros((distance.shape[0], width))
    rows[:, 0::2], rows[:, 1::2] = np.sin(distance * rate), np.cos(distance * rate)
    return rows


def attention(g, w, prefix, x, keys, mask, left, chunk):
    """x [N, width] new frames (normed), keys [B, left + T, width], mask [B, 1, left + T] -> [N, width].

    `chunk` is the longest chunk. A shorter one meets a part of its positions at the same offsets, so one graph
    serves every look-ahead.
    """
    d, h = w.width, w.heads
    k = d // h
    p = lambda name: w[f"{prefix}.self_attn.{name}"]
    per_head = lambda matrix: matrix.reshape(d, h, k)
    scale = 1 / np.sqrt(k)
    wq, bq = per_head(p("linear_q.weight")), p("linear_q.bias").reshape(h, k)
    wk, wv = per_head(p("linear_k.weight")), per_head(p("linear_v.weight"))
    wo = p("linear_out.weight").reshape(h, k, d)
    rows = relative_positions(left, chunk, d)
    wp = (rows @ p("linear_pos.weight")).reshape(-1, h, k)
    count = rows.shape[0]

    content = np.einsum("dhk,ehk->dhe", wq, wk).reshape(d, h * d) * scale
    content_bias = np.einsum("hk,ehk->he", bq + p("pos_bias_u"), wk).reshape(-1) * scale
    position = np.einsum("dhk,rhk->dhr", wq, wp).reshape(d, h * count) * scale
    position_bias = np.einsum("hk,rhk->hr", bq + p("pos_bias_v"), wp).reshape(-1) * scale
    # One more column, so that rows read one element shorter still contain every head. This shift by one per row is the
    # skew.
    position = np.concatenate([position, np.zeros((d, 1))], 1)
    position_bias = np.concatenate([position_bias, [0]])

    batch = g.op("Shape", keys, start=0, end=1)
    query = g.linear(x, content, content_bias)
    query = g.op("Reshape", query, g.op("Concat", batch, g.ints(-1, d), axis=0))  # [B, T * h, d]
    scores = g.op("MatMul", query, g.op("Transpose", keys, perm=[0, 2, 1]))
    scores = g.op("Add", scores, skewed(g, g.linear(x, position, position_bias), batch, keys, h, count, chunk))
    weights = g.op("Softmax", g.op("Add", scores, mask), axis=-1)
    mixed = g.op("Reshape", g.op("MatMul", weights, keys), g.ints(-1, h * d))
    output = np.einsum("ehk,hkd->hed", wv, wo).reshape(h * d, d)
    bias = p("linear_out.bias") + p("linear_v.bias") @ p("linear_out.weight")
    return g.linear(mixed, output, bias)


def skewed(g, x, batch, keys, h, count, chunk):
    """x [B * T, h * count + 1], row i of a chunk against distances -> [B, T * h, left + T] against keys.

    Key j of row i has distance column chunk - 1 - i + j: reading the rows as if they were one shorter moves each row
    by one more.
    """
    width = h * count
    flat = g.op("Reshape", x, g.op("Concat", batch, g.ints(-1), axis=0))
    rows = g.op("Div", g.op("Shape", flat, start=1, end=2), g.ints(width + 1))
    flat = g.op("Slice", flat, g.ints(0), g.op("Mul", rows, g.ints(width)), g.ints(1))
    grid = g.op("Reshape", flat, g.op("Concat", batch, g.ints(-1, count), axis=0))
    end = g.op("Add", g.op("Shape", keys, start=1, end=2), g.ints(chunk - 1))
    return g.op("Slice", grid, g.ints(chunk - 1), end, g.ints(2))
