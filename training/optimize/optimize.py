"""optimize.py OUT EXPORT [EXPORT...]: builds one fast graph from the exports of a model at several contexts.

The weights come from the first export. Each export is compared with the result. Contexts without an export work too,
because look-ahead only changes the length of a chunk.
"""

import json
import sys

import onnx

from compare import largest_difference
from contexts import CONTEXTS
from encoder import build
from store import store_half
from weights import read_weights


def main(out, exports):
    weights = read_weights(exports[0])
    left, chunk = CONTEXTS[0][0], CONTEXTS[0][1] + 1
    keep = {k: v for k, v in weights.metadata.items() if k not in ("start_fix", "att_context_size")}
    model = build(weights, left, chunk, {**keep, "contexts": json.dumps(CONTEXTS)})
    onnx.checker.check_model(model)
    for export in exports:
        print(f"{export}: largest difference {largest_difference(export, model.SerializeToString()):.1e}")
    store_half(model)
    onnx.checker.check_model(model)
    onnx.save(model, out)
    for export in exports:
        print(f"{export}: with weights stored in 16 bits {largest_difference(export, out):.1e}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
