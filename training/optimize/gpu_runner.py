"""Runs a GPU graph on the CPU for several streams at once. Entries of the arenas that were not written yet contain NaN,
except for one entry of zeros.
"""

import numpy as np
import onnxruntime

from gpu_features import FRAME, HOP, samples_of
from stream_features import Framing

DTYPES = {"f16": np.float16, "f32": np.float32}


def encoded_frames(length):
    """Returns the number of encoder frames of a window in which `length` feature frames contain audio."""
    for _ in range(3):
        length = length // 2 + 1
    return max(0, length - 2)


class Stream:
    """An utterance with its slot in the arenas. If the graph takes a language prompt, `prompt` is its number."""

    def __init__(self, pcm, right, slot, prompt=0):
        self.pcm, self.slot, self.prompt, self.window = pcm, slot, prompt, 0
        self.lengths = Framing(right).lengths(len(pcm))
        self.ids, self.scores, self.encoded = [], [], []

    @property
    def done(self):
        return self.window == len(self.lengths)


class Runner:
    """Runs windows of streams with a GPU graph.

    In the arenas of keys and values, slot s has `self.pages` pages that start at page 2 + s * self.pages. In the arena
    of tails, the slot has the entry 2 + s. In each arena, entry 0 contains zeros, and entry 1 receives the output of
    padding.
    """

    def __init__(self, path, slots, batch, seed=1):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 3
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        facts = self.session.get_modelmeta().custom_metadata_map
        number = lambda name: int(facts[name])
        self.left, self.chunk, self.width = number("left"), number("right") + 1, number("width")
        self.tail, self.row, self.layers = number("tail"), number("row"), number("layers")
        self.framing, self.batch = Framing(number("right")), batch
        self.takes_prompt = "prompts" in facts
        self.pages = -(-self.left // self.chunk)
        self.random = np.random.default_rng(seed)
        dtype = DTYPES[facts["precision"]]
        self.arenas = {}
        for i in range(self.layers):
            for name, places, size in (
                ("keys", 2 + (slots + 1) * self.pages, self.chunk * self.width),
                ("values", 2 + (slots + 1) * self.pages, self.chunk * self.width),
                ("tails", 2 + slots + 1, self.tail * self.width),
            ):
                arena = np.full((places, size), np.nan, dtype)
                arena[0] = 0
                self.arenas[f"{name}_{i}"] = onnxruntime.OrtValue.ortvalue_from_numpy(arena.reshape(-1, self.row))

    def poison(self, slot):
        """Overwrites the state of a slot with NaN, so that a read by the next stream in this slot is detected."""
        for name, value in self.arenas.items():
            arena = value.numpy().copy()
            size = (self.tail if name.startswith("tails") else self.chunk) * self.width // self.row
            count = 1 if name.startswith("tails") else self.pages
            start = 2 + slot * count
            arena[start * size : (start + count) * size] = np.nan
            value.update_inplace(arena)

    def run(self, streams):
        """Runs the next window of each stream. The remaining rows of the batch are padding with noise."""
        feeds = self.feeds(streams)
        binding = self.session.io_binding()
        for name, value in feeds.items():
            binding.bind_cpu_input(name, value)
        for name, arena in self.arenas.items():
            binding.bind_ortvalue_input(name, arena)
            binding.bind_ortvalue_output(f"{name}_next", arena)
        names = [output.name for output in self.session.get_outputs() if output.name in ("ids", "scores", "encoded")]
        for name in names:
            binding.bind_output(name, "cpu")
        self.session.run_with_iobinding(binding)
        # Outputs are in the order in which they were bound.
        outputs = dict(zip(names, binding.get_outputs()[-len(names) :]))
        for row, stream in enumerate(streams):
            frames = encoded_frames(stream.lengths[stream.window])
            for name, output in outputs.items():
                getattr(stream, name).extend(output.numpy()[row, :frames])
            stream.window += 1

    def feeds(self, streams):
        shape = lambda *dims: np.zeros((self.batch, *dims), np.int32)
        feeds = {
            "pcm": self.random.integers(-9000, 9000, (self.batch, samples_of(self.framing.window)), np.int16),
            "bounds": shape(4), "past": shape(self.pages), "page": shape() + self.chunk, "tail_from": shape(),
            "tail_to": shape() + 1, "filled": shape(),
            **({"prompt": np.zeros(self.batch, np.int64)} if self.takes_prompt else {}),
        }
        for row, stream in enumerate(streams):
            self.fill(feeds, row, stream)
        return feeds

    def fill(self, feeds, row, stream):
        k, length = stream.window, stream.lengths[stream.window]
        start = self.framing.first(k) * HOP - FRAME // 2 - 1
        count = feeds["pcm"].shape[1]
        first, end = max(0, -start), min(count, len(stream.pcm) - start)
        feeds["pcm"][row, first:end] = stream.pcm[start + first : start + end]
        feeds["bounds"][row] = [first, end, max(0, -self.framing.first(k)), length]
        place = lambda n: (2 + stream.slot * self.pages + n % self.pages) * self.chunk
        feeds["past"][row] = [place(n) if n >= 0 else 0 for n in range(k - self.pages, k)]
        feeds["page"][row] = place(k)
        feeds["tail_from"][row] = 2 + stream.slot if k > 0 else 0
        feeds["tail_to"][row] = 2 + stream.slot
        feeds["filled"][row] = min(self.left, k * self.chunk)
        if self.takes_prompt:
            feeds["prompt"][row] = stream.prompt
