"""Self-attention with relative positions. The cache has the same content as NeMo's cache, but the graph never computes
keys or values from it.

With q = x Wq + bq per head, NeMo's scores are (q + u) (c Wk + bk)^T + (q + v) (p Wp)^T. The rows of c are the cached
and the new frames, and the rows of p are relative positions. Products of constants are computed here once:

- (q + u) Wk^T = x (Wq Wk^T) + (bq + u) Wk^T, so the scores need c itself and not c Wk. bk adds the same value to a
  whole row of scores, which the softmax cancels.
- (q + v) (p Wp)^T = x (Wq (p Wp)^T) + ..., so one matrix contains all relative positions that can occur in a chunk.
- Each row of the softmax sums to one. So the projections of values and output become one matrix per head, Wv Wo, and
  bv Wo is added to bo.
"""

from dataclasses import dataclass

import numpy as np


def relative_positions(left, chunk, width):
    """Returns the sinusoids of the distances left + chunk - 1 down to -(chunk - 1), as rows."""
    distance = np.arange(left + chunk - 1, -chunk, -1, dtype=np.float64)[:, None]
    rate = np.exp(np.arange(0, width, 2) * -(np.log(10000.0) / width))
    rows = np.zeros((distance.shape[0], width))
    rows[:, 0::2], rows[:, 1::2] = np.sin(distance * rate), np.cos(distance * rate)
    return rows


@dataclass
class Sizes:
    """Names of the tensors that contain shapes. All layers share these tensors."""

    batch: str # [B]
    frames: str # frames of a chunk: [T]
    image: str # [B, 1, -1, width]


def sizes_of(g, batch, frames, width):
    return Sizes(batch, frames, g.op("Concat", batch, g.ints(1, -1, width), axis=0))


class Skew:
    """Turns scores by distance into scores by key. All layers share one Skew.

    The score of row i for key j is in distance column chunk - 1 - i + j. Reading the rows as if they were one element
    shorter shifts each row by one more column than the row before it.
    """

    def __init__(self, g, sizes, heads, left, chunk):
        self.g, self.chunk = g, chunk
        self.count = left + 2 * chunk - 1
        self.flat = g.op("Concat", sizes.batch, g.ints(1, -1), axis=0)
        self.rows_end = g.op("Mul", sizes.frames, g.ints(heads * self.count))
        self.grid = g.op("Concat", sizes.batch, g.ints(1, -1, self.count), axis=0)
        self.keys_end = g.op("Add", sizes.frames, g.ints(left + chunk - 1))

    def apply(self, x):
        """x [B * T, heads * count + 1] with scores by distance -> scores by key [B, 1, T * heads, left + T]."""
        g = self.g
        flat = g.op("Slice", g.op("Reshape", x, self.flat), g.ints(0), self.rows_end, g.ints(2))
        return g.op("Slice", g.op("Reshape", flat, self.grid), g.ints(self.chunk - 1), self.keys_end, g.ints(3))


def attention(g, w, prefix, x, keys, mask, left, chunk, sizes, skew):
    """x [N, width] new frames (normed), keys [B, 1, left + T, width], mask [B, 1, 1, left + T] -> [N, width].

    `chunk` is the length of the longest chunk. The relative positions in a shorter chunk are a part of those in the
    longest chunk. One graph therefore serves every look-ahead.
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
    # `skew` reads each row as if it were one element shorter. One more column is added, so that the shorter rows still
    # contain every head.
    position = np.concatenate([position, np.zeros((d, 1))], 1)
    position_bias = np.concatenate([position_bias, [0]])

    query = g.op("Reshape", g.linear(x, content, content_bias), sizes.image)  # [B, 1, T * h, d]
    scores = g.op("MatMul", query, g.op("Transpose", keys, perm=[0, 1, 3, 2]))
    scores = g.op("Add", scores, skew.apply(g.linear(x, position, position_bias)))
    weights = g.op("Softmax", g.op("Add", scores, mask), axis=-1)
    mixed = g.op("Reshape", g.op("MatMul", weights, keys), g.ints(-1, h * d))
    output = np.einsum("ehk,hkd->hed", wv, wo).reshape(h * d, d)
    bias = p("linear_out.bias") + p("linear_v.bias") @ p("linear_out.weight")
    return g.linear(mixed, output, bias)
