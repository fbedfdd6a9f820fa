"""store_export.py OUT EXPORT: stores the weights of an export in 16 bits, for sherpa-onnx in the benchmark
bench/worker.
"""

import sys

import onnx

from store import store_half

if __name__ == "__main__":
    onnx.save(store_half(onnx.load(sys.argv[2])), sys.argv[1])
