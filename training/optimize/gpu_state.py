"""State of streams in arenas: rows of keys, values and convolution tails that one run reads and writes in place.

Nothing but data flow orders a write after a read of the same arena. A run therefore writes a slice of the
concatenation of what it has read and what is new.
"""

import numpy as np
from onnx import TensorProto

LARGEST_ROW = 64


def row_of(width):
    """Elements of an arena row: ScatterND copies one row per thread, so that rows are short."""
    return max(n for n in range(1, LARGEST_ROW + 1) if width % n == 0)


class State:
    """The inputs that name arena places, as indices that all layers share."""

    def __init__(self, g, left, chunk, width, tail):
        self.g, self.left, self.chunk, self.width, self.tail = g, left, chunk, width, tail
        self.row = row_of(width)
        pages = -(-left // chunk)
        past = g.input("past", ["B", pages], TensorProto.INT32)
        page = g.input("page", ["B"], TensorProto.INT32)
        self.tail_from = g.input("tail_from", ["B"], TensorProto.INT32)
        tail_to = g.input("tail_to", ["B"], TensorProto.INT32)
        frames = g.op("Add", g.op("Unsqueeze", past, g.ints(2)), g.counted(1, 1, chunk))
        self.past = g.op("Reshape", frames, g.ints(-1, pages * chunk))
        if pages * chunk > left:
            self.past = g.op("Slice", self.past, g.ints(pages * chunk - left), g.ints(pages * chunk), g.ints(1))
        self.page = self.rows(page, width, chunk * width)
        self.tail_to = self.rows(tail_to, tail * width, tail * width)

    def rows(self, start, stride, size):
        """Indices of the arena rows of `size` elements from element start * stride on, as ScatterND expects them."""
        g = self.g
        start = g.op("Mul", g.op("Unsqueeze", start, g.ints(1)), g.constant([stride // self.row], np.int32))
        rows = g.op("Add", start, g.counted(1, size // self.row))
        return g.op("Cast", g.op("Reshape", rows, g.ints(-1, 1)), to=TensorProto.INT64)

    def extend(self, name, new):
        """new [B * C, width] keys or values of a layer. Returns them after the past, [B, left + C, width], and writes
        them to the new page."""
        g, left, chunk = self.g, self.left, self.chunk
        arena = self.arena(name, "frames")
        past = g.op("Gather", g.op("Reshape", arena, g.ints(-1, self.width)), self.past, axis=0)
        both = g.op("Concat", past, g.op("Reshape", new, g.ints(-1, chunk, self.width)), axis=1)
        self.write(name, "frames", self.page, g.op("Slice", both, g.ints(left), g.ints(left + chunk), g.ints(1)))
        return both

    def extend_tail(self, name, new):
        """new [B * C, width] -> [B, tail + C, width]. Writes the last frames as the new tail."""
        g, chunk = self.g, self.chunk
        arena = g.op("Reshape", self.arena(name, "tails"), g.ints(-1, self.tail, self.width))
        past = g.op("Gather", arena, self.tail_from, axis=0)
        both = g.op("Concat", past, g.op("Reshape", new, g.ints(-1, chunk, self.width)), axis=1)
        kept = g.op("Slice", both, g.ints(chunk), g.ints(chunk + self.tail), g.ints(1))
        self.write(name, "tails", self.tail_to, kept)
        return both

    def arena(self, name, rows):
        return self.g.input(name, [f"{rows}_rows", self.row], self.g.dtype)

    def write(self, name, rows, at, x):
        x = self.g.op("Reshape", x, self.g.ints(-1, self.row))
        self.g.named("ScatterND", f"{name}_next", [f"{rows}_rows", self.row], name, at, x)
