import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from weights import read_weights

WIDTH = 64


def export():
    """Returns parameters, and a graph that stores them in the same ways as an export of NeMo: under a name, under a
    number, and one parameter under several names.
    """
    random = np.random.default_rng(1)
    values = {
        "encoder.pre_encode.conv.3.weight": random.standard_normal((WIDTH, WIDTH, 1, 1), np.float32),
        "encoder.layers.0.norm_out.weight": random.standard_normal(WIDTH, np.float32),
        "onnx::MatMul_7": random.standard_normal((WIDTH, WIDTH), np.float32),
        "ctc_decoder.decoder_layers.0.weight": random.standard_normal((WIDTH, WIDTH, 1), np.float32),
    }
    nodes = [
        helper.make_node("Identity", ["encoder.layers.0.norm_out.weight"], ["encoder.layers.1.norm_out.weight"]),
        helper.make_node("Identity", ["encoder.pre_encode.conv.3.weight"], ["encoder.pre_encode.conv.6.weight"]),
        helper.make_node("MatMul", ["x", "onnx::MatMul_7"], ["y"], name="/encoder/layers.0/self_attn/linear_q/MatMul"),
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, WIDTH]) for name in "xy"]
    tensors = [numpy_helper.from_array(value, name) for name, value in values.items()]
    return values, helper.make_model(helper.make_graph(nodes, "export", ends[:1], ends[1:], tensors))


def read(model, folder):
    path = folder / "export.onnx"
    onnx.save(model, path)
    return read_weights(str(path))


PARAMETERS = [
    ("pre_encode.conv.3.weight", "encoder.pre_encode.conv.3.weight"),
    ("pre_encode.conv.6.weight", "encoder.pre_encode.conv.3.weight"),
    ("layers.0.self_attn.linear_q.weight", "onnx::MatMul_7"),
    ("ctc_decoder.decoder_layers.0.weight", "ctc_decoder.decoder_layers.0.weight"),
    ("layers.1.norm_out.weight", "encoder.layers.0.norm_out.weight"),
]


@pytest.mark.parametrize("name,stored", PARAMETERS)
def test_read_weights_finds_the_parameters_of_an_export_by_their_names_in_nemo(tmp_path, name, stored):
    values, model = export()
    actual = read(model, tmp_path)[name]
    assert actual.dtype == np.float64
    np.testing.assert_array_equal(actual, values[stored])


def test_read_weights_finds_the_sizes_of_an_export(tmp_path):
    weights = read(export()[1], tmp_path)
    assert (weights.layers, weights.width, weights.ctc) == (2, WIDTH, True)
