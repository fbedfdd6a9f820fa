"""Halves the size of an export. Large constants are stored as 16-bit floats. The runtime converts them to 32 bits once,
when it loads the graph.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

# Constants with at least this number of elements are stored in 16 bits. Smaller constants (norms, biases, masks) keep
# full precision, because they hardly add to the size.
SMALLEST = 4096


def store_half(model):
    """Changes the model in place. Computation stays in 32 bits."""
    graph = model.graph
    casts = []
    for tensor in graph.initializer:
        if tensor.data_type != TensorProto.FLOAT or np.prod(tensor.dims) < SMALLEST:
            continue
        name = tensor.name
        half = numpy_helper.to_array(tensor).astype(np.float16)
        tensor.CopyFrom(numpy_helper.from_array(half, f"{name}_half"))
        casts.append(helper.make_node("Cast", [f"{name}_half"], [name], name=f"{name}_cast", to=TensorProto.FLOAT))
    for at, node in enumerate(casts):
        graph.node.insert(at, node)
    return model
