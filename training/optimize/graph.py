"""Helpers around onnx.helper that add nodes in order, generate names and store constants as arrays."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


class Graph:
    def __init__(self):
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []
        self.count = 0

    def fresh(self, hint):
        self.count += 1
        return f"{hint}_{self.count}"

    def constant(self, value, dtype=np.float32):
        name = self.fresh("c")
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(value, dtype), name))
        return name

    def ints(self, *values):
        return self.constant(np.array(values), np.int64)

    def op(self, kind, *inputs, outputs=1, **attributes):
        names = [self.fresh(kind.lower()) for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=names[0], **attributes))
        return names[0] if outputs == 1 else names

    def rename(self, value, name):
        self.nodes.append(helper.make_node("Identity", [value], [name], name=name))

    def input(self, name, shape, dtype=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, value, name, shape, dtype=TensorProto.FLOAT):
        self.rename(value, name)
        self.outputs.append(helper.make_tensor_value_info(name, dtype, shape))

    def linear(self, x, matrix, bias):
        """Returns x [N, in] times matrix [in, out] plus bias. This is one Gemm with a constant matrix, which the
        runtime packs only once.
        """
        return self.op("Gemm", x, self.constant(matrix), self.constant(bias))

    def norm(self, x, scale, bias):
        return self.op("LayerNormalization", x, self.constant(scale), self.constant(bias), axis=-1, epsilon=1e-5)

    def silu(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    def model(self, metadata):
        graph = helper.make_graph(self.nodes, "encoder", self.inputs, self.outputs, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        helper.set_model_props(model, metadata)
        return model
