import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from store import SMALLEST, store_half
from weights import read_weights

WIDTH = 64
assert WIDTH * WIDTH >= SMALLEST


def export():
    """Returns a graph that stores parameters in the same ways as an export of NeMo: under a name, under a number, and one
    parameter under several names.
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
    return helper.make_model(helper.make_graph(nodes, "export", ends[:1], ends[1:], tensors))


def read(model, folder):
    path = folder / "export.onnx"
    onnx.save(model, path)
    return read_weights(str(path))


PARAMETERS = [
    ("pre_encode.conv.3.weight", np.float16),
    ("pre_encode.conv.6.weight", np.float16),
    ("layers.0.self_attn.linear_q.weight", np.float16),
    ("ctc_decoder.decoder_layers.0.weight", np.float16),
    ("layers.0.norm_out.weight", np.float32),
    ("layers.1.norm_out.weight", np.float32),
]


@pytest.mark.parametrize("name,stored", PARAMETERS)
def test_read_weights_reads_parameters_that_are_stored_in_16_bits(tmp_path, name, stored):
    expected = read(export(), tmp_path)[name]
    actual = read(store_half(export()), tmp_path)[name]
    assert actual.dtype == np.float64
    np.testing.assert_array_equal(actual, expected.astype(stored))


def test_read_weights_finds_the_sizes_of_an_export_in_16_bits(tmp_path):
    weights = read(store_half(export()), tmp_path)
    assert (weights.layers, weights.width, weights.ctc) == (2, WIDTH, True)
