"""optimize.py OUT RECORDINGS EXPORT [EXPORT...] [--prompt N]: builds one fast graph for all contexts from exports.

The weights come from the first export. Each export is compared with the result. The graph also supports contexts
without an export, because the look-ahead only changes the length of a chunk. The WAV files in the folder RECORDINGS
determine the scales of activations. If the model has prompts, the recordings are recognized with the language prompt N.
"""

import argparse
import json
import pathlib

import onnx

from calibrate import record
from compare import largest_difference
from contexts import CONTEXTS
from encoder import build
from prompt import unsupported_prompt
from quantize import products, quantize
from stream_features import read_wav
from weights import read_weights


def unsupported(weights, prompt):
    """Returns the reason why no graph can be built from an export with this prompt, or None."""
    if not weights.ctc:
        return "it has no CTC head"
    if reason := unsupported_prompt(weights):
        return reason
    if weights.prompts > 0 and prompt not in range(weights.prompts):
        return f"it needs --prompt with a number below {weights.prompts}"
    return "it has no prompts" if weights.prompts == 0 and prompt is not None else None


def optimize(weights, out, recordings, exports, prompt):
    left, chunk = CONTEXTS[0][0], CONTEXTS[0][1] + 1
    keep = {k: v for k, v in weights.metadata.items() if k not in ("start_fix", "att_context_size")}
    model = build(weights, left, chunk, {**keep, "contexts": json.dumps(CONTEXTS)})
    onnx.checker.check_model(model)
    for export in exports:
        worst = largest_difference(export, model.SerializeToString(), range(weights.prompts))
        print(f"{export}: largest difference {worst:.1e}")
    audio = [read_wav(path) for path in sorted(pathlib.Path(recordings).glob("*.wav"))]
    prompts = () if prompt is None else [prompt]
    quantize(model, record(model, list(products(model)), audio, chunk - 1, prompt))
    onnx.checker.check_model(model)
    onnx.save(model, out)
    for export in exports:
        print(f"{export}: with products in 8 bits {largest_difference(export, out, prompts):.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("recordings")
    parser.add_argument("exports", nargs="+")
    parser.add_argument("--prompt", type=int)
    options = parser.parse_args()
    weights = read_weights(options.exports[0])
    if reason := unsupported(weights, options.prompt):
        parser.error(f"{options.exports[0]} is not supported: {reason}")
    optimize(weights, options.out, options.recordings, options.exports, options.prompt)


if __name__ == "__main__":
    main()
