"""compare_joint.py ENCODER JOINT RECORDING [BIAS...]: compares the greedy search in a GPU graph with the search in an
export.

The recording and two shorter parts of it are recognized in one batch. Predictor states that no stream may read are NaN,
so that a wrong read is detected. Both searches use the encoded frames of the same GPU graph. The comparison runs once
for each BIAS, which is added to the score of the blank. A model with random weights thus produces few or many pieces.
"""

import pathlib
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

from compare import session
from gpu import write
from gpu_joint import MAX_SYMBOLS
from gpu_runner import Runner, Stream
from joint_weights import read_joint
from stream_features import read_wav
from weights import read_weights

CUTS = [1.0, 0.63, 0.29]
CONTEXT = [56, 13]


def reference(export, frames, blank):
    """Returns (piece, frame) of each piece that a greedy search finds in the exported graph. The search is the same as
    in worker/src/decode/rnnt.ts.
    """
    names = [i.name for i in export.get_inputs()]
    states = [np.zeros([i.shape[0], 1, i.shape[2]], np.float32) for i in export.get_inputs()[3:]]
    token, found = blank, []
    for at, frame in enumerate(frames):
        for _ in range(MAX_SYMBOLS):
            feeds = [frame[None, :, None], np.array([[token]], np.int32), np.ones(1, np.int32), *states]
            logits, _, *following = export.run(None, dict(zip(names, feeds)))
            best = int(logits.argmax())
            if best == blank:
                break
            token, states = best, following
            found.append((best, at))
    return found


class JointRunner:
    """Runs joint.onnx chunk by chunk. Predictor slot 0 contains zeros, slot 1 receives the output of padding, and
    stream s has slot 2 + s.
    """

    def __init__(self, path, streams):
        self.session = session(path)
        facts = self.session.get_modelmeta().custom_metadata_map
        self.blank, self.streams = int(facts["blank"]), streams
        arena = np.full((2 + streams, int(facts["hidden"])), np.nan, np.float32)
        arena[0] = 0
        self.arenas = {}
        for i in range(int(facts["predictor_layers"])):
            for part in ("hidden", "cell"):
                value = onnxruntime.OrtValue.ortvalue_from_numpy(arena.reshape(-1, int(facts["jrow"])).copy())
                self.arenas[f"{part}_{i}"] = value
        self.token = np.append(np.full(streams, self.blank), 0).astype(np.int32)
        self.begun, self.runs = False, 0
        self.found = [[] for _ in range(streams)]

    def run(self, encoded, frames, base):
        """encoded [streams + 1, C, width], frames [streams + 1]. The last row is padding."""
        at, symbols = np.zeros_like(frames), np.zeros_like(frames)
        slots = np.append(2 + np.arange(self.streams), 1).astype(np.int32)
        while (at < frames).any():
            feeds = {
                "encoded": encoded, "frames": frames, "token": self.token, "at": at, "symbols": symbols,
                "state_from": slots if self.begun else np.zeros_like(slots), "state_to": slots,
            }
            feeds["state_from"][-1] = 0
            tokens, places, scores, self.token, at, symbols = self.step(feeds)
            self.begun = True
            self.runs += 1
            for row in range(self.streams):
                live = places[row] < frames[row]
                assert np.isfinite(scores[row, live]).all(), "a stream has read what it must not read"
                self.found[row] += [(int(t), base + int(p)) for t, p in zip(tokens[row], places[row]) if t >= 0]

    def step(self, feeds):
        binding = self.session.io_binding()
        for name, value in feeds.items():
            binding.bind_cpu_input(name, value)
        for name, arena in self.arenas.items():
            binding.bind_ortvalue_input(name, arena)
            binding.bind_ortvalue_output(f"{name}_next", arena)
        names = ["tokens", "places", "scores", "token_next", "at_next", "symbols_next"]
        for name in names:
            binding.bind_output(name, "cpu")
        self.session.run_with_iobinding(binding)
        return [value.numpy().copy() for value in binding.get_outputs()[-len(names) :]]


def encode(path, utterances, right=CONTEXT[1], prompt=0):
    """Returns the encoded frames of each utterance."""
    runner = Runner(path, len(utterances), len(utterances) + 1)
    streams = [Stream(pcm, right, slot, prompt) for slot, pcm in enumerate(utterances)]
    while active := [stream for stream in streams if not stream.done]:
        runner.run(active)
    return [np.array(stream.encoded) for stream in streams]


def with_bias(path, bias, out):
    """Writes a copy of an exported graph in which `bias` is added to the score of the blank."""
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        if tensor.name.endswith("joint_net.2.bias"):
            values = numpy_helper.to_array(tensor).copy()
            values[-1] += bias
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
    onnx.save(model, out)


def search(folder, encoded, width, right=CONTEXT[1]):
    """Runs the search of all streams chunk by chunk."""
    runner, chunk = JointRunner(f"{folder}/joint.onnx", len(encoded)), right + 1
    for base in range(0, max(map(len, encoded)), chunk):
        batch = np.zeros((len(encoded) + 1, chunk, width), encoded[0].dtype)
        frames = np.zeros(len(encoded) + 1, np.int32)
        for row, rows in enumerate(encoded):
            part = rows[base : base + chunk]
            batch[row, : len(part)], frames[row] = part, len(part)
        runner.run(batch, frames, base)
    return runner


def main(encoder, joint, recording, *biases):
    pcm = read_wav(recording)
    utterances = [pcm[: int(len(pcm) * cut)] for cut in CUTS]
    weights = read_weights(encoder)
    for bias in biases or ["0"]:
        for precision in ("f32", "f16"):
            with tempfile.TemporaryDirectory() as folder:
                changed = f"{folder}/export.onnx"
                with_bias(joint, float(bias), changed)
                write(pathlib.Path(folder), weights, [CONTEXT], precision, read_joint([changed]))
                encoded = encode(f"{folder}/{CONTEXT[0]}-{CONTEXT[1]}.onnx", utterances)
                runner = search(folder, encoded, weights.width)
                export = session(changed)
                expected = [reference(export, rows.astype(np.float32), runner.blank) for rows in encoded]
            print(
                f"bias {bias}, {precision}: equal {[a == b for a, b in zip(runner.found, expected)]}, "
                f"pieces {[len(found) for found in runner.found]}, {runner.runs} runs"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
