"""gpu.py OUT_FOLDER EXPORT [--contexts LEFT,RIGHT ...] [--precision f16|f32]: builds the GPU graphs of a model.

Writes gpu/LEFT-RIGHT.onnx for each context and one gpu/weights.bin for all of them. The export must be a streaming
FastConformer with a CTC head, or the encoder of a transducer.
"""

import argparse
import pathlib

import onnx

from gpu_encoder import build
from gpu_graph import Store
from contexts import CONTEXTS
from weights import read_weights


def write(folder, weights, contexts, precision):
    """Writes the graphs of all contexts into a folder, and returns their numbers of nodes."""
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder)
    counts = {}
    for left, right in contexts:
        model = build(weights, left, right, store, precision)
        onnx.save(model, folder / f"{left}-{right}.onnx")
        counts[f"{left}-{right}"] = len(model.graph.node)
    store.close()
    return counts


def arguments(parser):
    pair = lambda text: [int(n) for n in text.split(",")]
    parser.add_argument("--contexts", type=pair, nargs="+", default=CONTEXTS)
    parser.add_argument("--precision", choices=["f16", "f32"], default="f16")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("export")
    arguments(parser)
    options = parser.parse_args()
    print(write(options.folder / "gpu", read_weights(options.export), options.contexts, options.precision))


if __name__ == "__main__":
    main()
