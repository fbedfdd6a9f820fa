"""optimize.py OUT RECORDINGS EXPORT [EXPORT...]: builds one fast graph from the exports of a model at several contexts.

The weights come from the first export. Each export is compared with the result. Contexts without an export work too,
because look-ahead only changes the length of a chunk. The WAV files in the folder RECORDINGS determine the scales of
activations.
"""

import json
import pathlib
import sys

import onnx

from calibrate import record
from compare import largest_difference
from contexts import CONTEXTS
from encoder import build
from quantize import products, quantize
from stream_features import read_wav
from weights import read_weights


def main(out, recordings, exports):
    weights = read_weights(exports[0])
    left, chunk = CONTEXTS[0][0], CONTEXTS[0][1] + 1
    keep = {k: v for k, v in weights.metadata.items() if k not in ("start_fix", "att_context_size")}
    model = build(weights, left, chunk, {**keep, "contexts": json.dumps(CONTEXTS)})
    onnx.checker.check_model(model)
    for export in exports:
        print(f"{export}: largest difference {largest_difference(export, model.SerializeToString()):.1e}")
    audio = [read_wav(path) for path in sorted(pathlib.Path(recordings).glob("*.wav"))]
    quantize(model, record(model, list(products(model)), audio, chunk - 1))
    onnx.checker.check_model(model)
    onnx.save(model, out)
    for export in exports:
        print(f"{export}: with products in 8 bits {largest_difference(export, out):.1e}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
