"""baseline.py [--export FILE | --layers 24 --width 1024 ...] [--batches 32 64 ...]: measures the encoder in PyTorch.

Runs a CTC model window by window. By default, it uses torch.compile, 16-bit numbers and one CUDA graph per batch size.
Prints one JSON line per context and batch size. A run copies PCM to the device and class ids back. Unlike the engine,
it has no page tables and no masks for short windows, and all audio is available at the start. A complete engine in
PyTorch could not be faster than these figures.
"""

import argparse
import json
import statistics
import time

import torch

from torch_encoder import Encoder, Features
from gpu_features import samples_of
from random_gpu import RandomWeights, size_arguments
from weights import read_weights

FRAME_MS, SUBSAMPLING = 80, 8
DTYPES = {"f16": torch.float16, "f32": torch.float32}


class Step:
    """A batch with one window of each stream."""

    def __init__(self, features, encoder, samples, batch, options):
        self.features, self.encoder, self.dtype = features, encoder, DTYPES[options.precision]
        cuda = options.device == "cuda"
        self.host = torch.randint(-4000, 4000, (batch, samples), dtype=torch.int16)
        self.host = self.host.pin_memory() if cuda else self.host
        self.pcm = self.host.to(options.device)
        encoder.start(batch)
        for _ in range(3):
            self.compute()
        self.graph = self.capture() if cuda else None

    def compute(self):
        self.ids, self.scores = self.encoder(self.features(self.pcm).to(self.dtype))

    def capture(self):
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.compute()
        return graph

    def run(self):
        self.pcm.copy_(self.host, non_blocking=True)
        self.graph.replay() if self.graph else self.compute()
        return self.ids.cpu()


def measure(step, runs):
    """Returns the median and longest time of a run in milliseconds, and the number of different classes it returned."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        ids = step.run()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times), max(times), len(set(ids.flatten().tolist()))


def measure_context(weights, context, options):
    left, right = context
    features = Features(weights.mels).to(options.device)
    encoder = Encoder(weights, left, right).to(options.device, DTYPES[options.precision]).eval()
    if options.compile:
        encoder.compile()
    samples = samples_of(SUBSAMPLING * (right + 1) + SUBSAMPLING + 1)
    for batch in options.batches:
        run_ms, worst_ms, classes = measure(Step(features, encoder, samples, batch, options), options.runs)
        result = {
            "engine": "pytorch", "version": torch.__version__, "device": options.device,
            "precision": options.precision, "compiled": options.compile, "layers": weights.layers,
            "width": weights.width, "context": context, "batch": batch, "runMs": round(run_ms, 3),
            "worstMs": round(worst_ms, 3), "streams": round(batch * (right + 1) * FRAME_MS / run_ms), "classes": classes,
        }
        print(json.dumps(result), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--export")
    parser.add_argument("--batches", type=int, nargs="+", default=[32, 64, 128, 256, 512])
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--no-compile", dest="compile", action="store_false")
    size_arguments(parser)
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    # One compiled function per batch size. A function for all sizes would be slower.
    torch._dynamo.config.automatic_dynamic_shapes = False
    torch._dynamo.config.cache_size_limit = 64
    weights = read_weights(options.export) if options.export else RandomWeights(options)
    with torch.inference_mode():
        for context in options.contexts:
            measure_context(weights, context, options)


if __name__ == "__main__":
    main()
