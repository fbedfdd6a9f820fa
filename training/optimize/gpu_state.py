"""State of streams in arenas, which are tensors that each run reads and changes in place. They contain keys, values and
convolution tails.

A write to an arena runs after a read of the same arena only if the written data depends on the read. A run therefore
joins the data that it has read and the new data into one tensor, and writes a slice of this tensor.

The frames of a batch are ordered by time and then by stream: [C, B, width].
"""

import numpy as np
from onnx import TensorProto

LARGEST_ROW = 64


def row_of(width):
    """Returns the number of elements in an arena row. Rows are short, because ScatterND copies one row per thread."""
    return max(n for n in range(1, LARGEST_ROW + 1) if width % n == 0)


class State:
    """Computes positions in the arenas from the inputs. The positions are indices that all layers share."""

    def __init__(self, g, left, chunk, width, tail):
        self.g, self.left, self.chunk, self.width, self.tail = g, left, chunk, width, tail
        self.row = row_of(width)
        pages = -(-left // chunk)
        past = g.input("past", ["B", pages], TensorProto.INT32)
        page = g.input("page", ["B"], TensorProto.INT32)
        self.tail_from = g.input("tail_from", ["B"], TensorProto.INT32)
        tail_to = g.input("tail_to", ["B"], TensorProto.INT32)
        # The newest page is gathered a second time, as a placeholder for the new frames. They overwrite this copy of
        # the page.
        starts = g.op("Gather", g.op("Transpose", past, perm=[1, 0]), self.int32([*range(pages), pages - 1]), axis=0)
        frames = g.op("Add", g.op("Unsqueeze", starts, g.ints(1)), g.counted(1, chunk, 1))
        self.frames = g.op("Reshape", frames, g.ints((pages + 1) * chunk, -1))
        if pages * chunk > left:
            cut = pages * chunk - left
            self.frames = g.op("Slice", self.frames, g.ints(cut), g.ints(cut + left + chunk), g.ints(0))
        self.new = self.new_rows(page)
        self.page = self.rows(page, 1, chunk)
        self.tail_to = self.rows(tail_to, tail, 1)

    def int32(self, values):
        return self.g.constant(np.array(values), np.int32)

    def new_rows(self, page):
        """Returns the row numbers of the new frames in the tensor [left + C, B, width] that `extend` builds. The batch
        size is computed on the device.
        """
        g, block = self.g, self.width // self.row
        ones = g.op("Add", g.op("Mul", page, self.int32([0])), self.int32([1]))
        stream = g.op("Reshape", g.op("CumSum", ones, g.constant(0, np.int32), exclusive=1), g.ints(1, -1, 1))
        batch = g.op("ReduceSum", ones, g.ints(0), keepdims=1)
        frame = g.op("Mul", self.int32(np.arange(self.left, self.left + self.chunk)[:, None, None]), batch)
        first = g.op("Mul", g.op("Add", frame, stream), self.int32([block]))
        return self.indices(g.op("Add", first, g.counted(1, 1, block)))

    def indices(self, rows):
        return self.g.op("Cast", self.g.op("Reshape", rows, self.g.ints(-1, 1)), to=TensorProto.INT64)

    def rows(self, start, frames, count):
        """Returns indices of arena rows for ScatterND: `count` blocks of `frames` frames per stream. The first block
        starts at frame start * frames.
        """
        g, block = self.g, frames * self.width // self.row
        start = g.op("Mul", g.op("Reshape", start, g.ints(1, -1, 1)), self.int32([block]))
        return self.indices(g.op("Add", start, g.counted(count, 1, block)))

    def extend(self, name, new):
        """Appends a chunk to the past of a layer. `new` has the keys or values of the chunk, as [C * B, width]. Returns
        [left + C, B, width]: the past, followed by `new`. Also writes `new` to the page of the chunk.
        """
        g, left, chunk = self.g, self.left, self.chunk
        arena = self.arena(name, "frames")
        both = g.op("Gather", g.op("Reshape", arena, g.ints(-1, self.width)), self.frames, axis=0)
        in_rows = lambda x: g.op("Reshape", x, g.ints(-1, self.row))
        shape = ["read_rows", self.row]
        both = g.shaped(g.op("ScatterND", g.shaped(in_rows(both), shape), self.new, in_rows(new)), shape)
        both = g.op("Reshape", both, g.ints(left + chunk, -1, self.width))
        self.write(name, "frames", self.page, g.op("Slice", both, g.ints(left), g.ints(left + chunk), g.ints(0)))
        return both

    def read_tail(self, name):
        """Returns the last frames before the chunk as [B, width, tail]."""
        arena = self.g.op("Reshape", self.arena(name, "tails"), self.g.ints(-1, self.width, self.tail))
        return self.g.op("Gather", arena, self.tail_from, axis=0)

    def write_tail(self, name, tail):
        """Writes the last frames of the chunk to the tail. `tail` is computed from the tail that was read, so the write
        runs after the read.
        """
        self.write(name, "tails", self.tail_to, tail)

    def arena(self, name, rows):
        return self.g.input(name, [f"{rows}_rows", self.row], self.g.dtype)

    def write(self, name, rows, at, x):
        x = self.g.op("Reshape", x, self.g.ints(-1, self.row))
        self.g.named("ScatterND", f"{name}_next", [f"{rows}_rows", self.row], name, at, x)
