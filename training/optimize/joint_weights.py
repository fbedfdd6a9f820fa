"""Reads predictor and joint of a transducer export (one graph or two) into arrays."""

from dataclasses import dataclass

import numpy as np
import onnx
from onnx import numpy_helper

from weights import read_weights


@dataclass
class JointWeights:
    """Weights of predictor and joint network. Matrices have the shape [in, out]. The gates of an LSTM have the order of
    ONNX: input, output, forget, cell.
    """

    embedding: np.ndarray # [classes, hidden]
    layers: list # (input matrix, recurrent matrix, bias) of each layer, with the gates side by side
    encoded: tuple # (matrix, bias) of the projection of encoder frames
    predicted: tuple # (matrix, bias) of the projection of the predictor's output
    output: tuple # (matrix, bias) of the classes

    @property
    def hidden(self):
        return self.layers[0][1].shape[0]

    @property
    def classes(self):
        return self.output[0].shape[1]


def read_joint(paths):
    arrays, layers = {}, []
    for path in paths:
        # In a graph that contains both predictor and joint, the name of each array starts with the name of its module.
        found = read_weights(path).arrays
        arrays.update({name.removeprefix("decoder.").removeprefix("joint."): array for name, array in found.items()})
        layers += read_lstm(onnx.load(path))
    pair = lambda name: (arrays[f"{name}.weight"], arrays[f"{name}.bias"])
    return JointWeights(arrays["prediction.embed.weight"], layers, pair("enc"), pair("pred"), pair(output_layer(arrays)))


def output_layer(names):
    """Returns the name of the last layer of the joint network. Its number is 2 if the model has a dropout before it,
    and otherwise 1.
    """
    return "joint_net.2" if "joint_net.2.weight" in names else "joint_net.1"


def read_lstm(model):
    """Returns (input matrix, recurrent matrix, bias) of each LSTM, in the order of the graph."""
    arrays = {t.name: numpy_helper.to_array(t).astype(np.float64) for t in model.graph.initializer}
    layers = []
    for node in model.graph.node:
        if node.op_type == "LSTM":
            w, r, b = (arrays[name][0] for name in node.input[1:4])
            layers.append((w.T, r.T, b[: len(b) // 2] + b[len(b) // 2 :]))
    return layers
