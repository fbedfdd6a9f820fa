"""gpu.py OUT_FOLDER EXPORT [--joint FILE ...] [--contexts LEFT,RIGHT ...]: builds the GPU graphs of a model.

Writes gpu/LEFT-RIGHT.onnx for each context and one gpu/weights.bin for all of them. The export must be a streaming
FastConformer with a CTC head, or the encoder of a transducer. For a transducer, --joint is required. It names the graph
with predictor and joint network, or the two separate graphs. The tool then also writes gpu/joint.onnx.
"""

import argparse
import pathlib

import onnx

from contexts import CONTEXTS, read_context, unsupported_contexts
from gpu_encoder import SUBSAMPLING, build
from gpu_graph import Store
from gpu_joint import build_joint
from joint_weights import read_joint
from prompt import unsupported_prompt
from weights import read_weights

STEPS = 8


def unsupported(weights):
    """Returns the reason why no GPU graph can be built from an export, or None."""
    if int(weights.metadata.get("subsampling_factor", SUBSAMPLING)) != SUBSAMPLING:
        return f"it does not subsample by {SUBSAMPLING}"
    if "layers.0.conv.batch_norm.running_mean" in weights.arrays:
        return "its convolutions have a batch norm instead of a layer norm"
    return unsupported_prompt(weights)


def write(folder, weights, contexts, precision, joint=None, steps=STEPS):
    """Writes the graphs of all contexts into a folder. Returns the number of nodes of each graph."""
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder)
    counts = {}
    for left, right in contexts:
        model = build(weights, left, right, store, precision)
        onnx.save(model, folder / f"{left}-{right}.onnx")
        counts[f"{left}-{right}"] = len(model.graph.node)
    if joint is not None:
        model = build_joint(joint, weights.width, store, precision, steps)
        onnx.save(model, folder / "joint.onnx")
        counts["joint"] = len(model.graph.node)
    store.close()
    return counts


def arguments(parser):
    """Adds the options that gpu.py and random_gpu.py share."""
    parser.add_argument("--contexts", type=read_context, nargs="+", default=CONTEXTS, metavar="LEFT,RIGHT")
    parser.add_argument("--precision", choices=["f16", "f32"], default="f16")
    parser.add_argument("--steps", type=int, default=STEPS, help="greedy steps of a transducer per run")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("export")
    parser.add_argument("--joint", nargs="+", help="predictor and joint of a transducer, in one file or two")
    arguments(parser)
    options = parser.parse_args()
    joint = read_joint(options.joint) if options.joint else None
    weights = read_weights(options.export)
    if reason := unsupported(weights):
        parser.error(f"{options.export} is not supported: {reason}")
    if reason := unsupported_contexts(weights.left, options.contexts):
        parser.error(f"{options.export}: {reason}")
    if weights.ctc == bool(joint):
        parser.error("a transducer needs --joint, and a CTC model has none")
    print(write(options.folder / "gpu", weights, options.contexts, options.precision, joint, options.steps))


if __name__ == "__main__":
    main()
