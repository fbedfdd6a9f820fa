"""A graph whose weights are in a file that all graphs of a model share.

For each batch size, a worker captures a run as a CUDA graph and then repeats the captured run. Some kernels of
onnxruntime 1.30 are not suitable. They copy a table from host memory that is freed after the capture, or use a buffer
that grows with the batch. Graphs must therefore not contain a Concat or Split of unequal parts, or a product that
broadcasts over batches. A Gemm with a bias and an LSTM are not allowed either.
"""

import hashlib
import json

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from graph import Graph

# Constants with fewer elements are stored in the graph and not in the shared file. The runtime must know small
# constants such as shapes and axes while it loads the graph.
SMALLEST = 64
ALIGNMENT = 256
NUMPY = {"f16": np.float16, "f32": np.float32}
FORBIDDEN = {"Gemm", "LSTM", "Shape", "Range"}
# Number of best classes that a run can return for each frame or step.
ALTERNATIVES = 8
ONNX = {"f16": TensorProto.FLOAT16, "f32": TensorProto.FLOAT}


class Store:
    """The file with the weights of all graphs. Tensors with the same content are stored once and have one name."""

    LOCATION = "weights.bin"

    def __init__(self, folder):
        self.file = open(folder / self.LOCATION, "wb")
        self.tensors, self.names = {}, {}

    def add(self, hint, array):
        """Writes an array to the file unless the file contains it already. Returns its name, position and size."""
        content = array.tobytes()
        key = (hashlib.sha256(content).digest(), array.dtype.str, array.shape)
        if key not in self.tensors:
            self.names[hint] = self.names.get(hint, 0) + 1
            name = hint if self.names[hint] == 1 else f"{hint}@{self.names[hint]}"
            self.file.write(bytes(-self.file.tell() % ALIGNMENT))
            self.tensors[key] = (name, self.file.tell(), len(content))
            self.file.write(content)
        return self.tensors[key]

    def close(self):
        self.file.close()


class GpuGraph(Graph):
    """Adds nodes whose floats have the precision of the graph by default. Uses operators of onnxruntime that each
    replace several standard nodes.
    """

    def __init__(self, store, precision):
        super().__init__()
        self.store, self.precision, self.dtype = store, NUMPY[precision], ONNX[precision]
        self.external, self.shapes = {}, []

    def constant(self, value, dtype=None, hint="constant"):
        array = np.ascontiguousarray(value, dtype or self.precision)
        if np.issubdtype(array.dtype, np.floating) and not np.isfinite(array).all():
            raise ValueError(f"{hint} has values that do not fit {array.dtype}")
        if array.size < SMALLEST:
            name = self.fresh("c")
            self.initializers.append(numpy_helper.from_array(array, name))
            return name
        name, offset, length = self.store.add(hint, array)
        if name not in self.external:
            tensor = TensorProto(name=name, dims=array.shape, data_type=helper.np_dtype_to_tensor_dtype(array.dtype))
            tensor.data_location = TensorProto.EXTERNAL
            for key, text in (("location", Store.LOCATION), ("offset", offset), ("length", length)):
                tensor.external_data.add(key=key, value=str(text))
            self.initializers.append(tensor)
            self.external[name] = [name, tensor.data_type, list(array.shape), offset, length]
        return name

    def shaped(self, value, shape):
        """Names the dimensions of a value. The runtime reuses the memory of an input for an output only if both have
        the same dimensions.
        """
        self.shapes.append(helper.make_tensor_value_info(value, self.dtype, shape))
        return value

    def counted(self, *shape):
        """Returns an int32 constant with the values 0, 1, 2 ... in this shape."""
        return self.constant(np.arange(np.prod(shape)).reshape(shape), np.int32, "count")

    def named(self, kind, name, shape, *inputs, dtype=None, **attributes):
        """Adds a node whose output is an output of the graph. This avoids an Identity node, which would copy the
        output.
        """
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        self.outputs.append(helper.make_tensor_value_info(name, dtype or self.dtype, shape))

    def fused(self, kind, *inputs, outputs=("y",), **attributes):
        names = [self.fresh(kind.lower()) if o else "" for o in outputs]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=names[0], domain="com.microsoft", **attributes))
        return [name for name in names if name]

    def product(self, a, b, **transposed):
        """Returns the batched product of two values with the same number of batches."""
        return self.fused("FusedMatMul", a, b, **transposed)[0]

    def matrix(self, x, name, matrix):
        return self.op("MatMul", x, self.constant(matrix, hint=name))

    def affine(self, x, name, matrix, bias, dtype=None):
        """Returns x [N, in] times matrix plus bias. The bias has three dimensions, so that the runtime does not combine
        product and sum into a Gemm.
        """
        x = self.op("MatMul", x, self.constant(matrix, dtype, f"{name}.weight"))
        x = self.op("Add", x, self.constant(np.reshape(bias, (1, 1, -1)), dtype, f"{name}.bias"))
        return self.op("Reshape", x, self.ints(-1, len(bias)))

    def normed(self, x, name, w):
        scale, bias = (self.constant(w[f"{name}.{part}"], hint=f"{name}.{part}") for part in ("weight", "bias"))
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-5)

    def add_normed(self, x, branch, bias, name, w):
        """Adds one node that computes both the sum x + branch + bias and the norm of this sum. Returns the sum and the
        norm.
        """
        scale, shift = (self.constant(w[f"{name}.{part}"], hint=f"{name}.{part}") for part in ("weight", "bias"))
        normed, total = self.fused(
            "SkipLayerNormalization", branch, x, scale, shift, self.constant(bias, hint=f"{name}.skip"),
            outputs=("normed", "", "", "sum"), epsilon=1e-5,
        )
        return total, normed

    def silu(self, x):
        return self.fused("QuickGelu", x, alpha=1.0)[0]

    def best(self, logits, classes):
        """Returns the best classes of each row [N, count] and their log-probabilities, which are NaN if one of the
        logits is NaN.

        Uses TopK, which takes some microseconds. ReduceMax of the CUDA provider would take a millisecond for 13,000
        classes.
        """
        scores, index = self.op(
            "TopK", self.op("LogSoftmax", logits, axis=-1), self.ints(min(ALTERNATIVES, classes)), outputs=2, axis=-1
        )
        return self.op("Cast", index, to=TensorProto.INT32), scores

    def first(self, x):
        """x [N, count] -> first value of each row [N]."""
        return self.op("Reshape", self.op("Slice", x, self.ints(0), self.ints(1), self.ints(1)), self.ints(-1))

    def model(self, metadata):
        if found := FORBIDDEN & {node.op_type for node in self.nodes}:
            raise ValueError(f"a CUDA graph cannot contain {found}")
        model = super().model({**metadata, "external": json.dumps(list(self.external.values()))})
        model.graph.value_info.extend(self.shapes)
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
        return model
