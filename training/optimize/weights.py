"""Reads a FastConformer export (NeMo style ONNX) back into named arrays."""

from dataclasses import dataclass

import numpy as np
import onnx
from onnx import numpy_helper


@dataclass
class Weights:
    """Parameters by their names in NeMo, with matrices as [in, out]. The properties are sizes that follow from the
    parameters.
    """

    arrays: dict
    metadata: dict
    scaled: bool = True  # the frames that enter the encoder are multiplied by the square root of the width
    inputs: tuple = ()

    def __getitem__(self, name):
        """Returns a parameter. If a model has no bias for a weight, returns a bias of zeros."""
        weight = self.arrays.get(f"{name.removesuffix('.bias')}.weight")
        if name in self.arrays or not name.endswith(".bias") or weight is None:
            return self.arrays[name]
        return np.zeros(weight.shape[1 if weight.ndim == 2 else 0])

    @property
    def layers(self):
        return 1 + max(int(n.split(".")[1]) for n in self.arrays if n.startswith("layers."))

    @property
    def width(self):
        return self["layers.0.norm_out.weight"].shape[0]

    @property
    def heads(self):
        return self["layers.0.self_attn.pos_bias_u"].shape[0]

    @property
    def mels(self):
        return int(self.metadata["feat_dim"])

    @property
    def left(self):
        """Returns the left context of the export in frames."""
        return int(self.metadata["cache_last_channel_dim2"])

    @property
    def input_scale(self):
        return np.sqrt(self.width) if self.scaled else 1.0

    @property
    def vocabulary(self):
        """Returns the number of pieces without the blank, which has the last number."""
        return int(self.metadata["vocab_size"])

    @property
    def ctc(self):
        return "ctc_decoder.decoder_layers.0.weight" in self.arrays

    @property
    def prompts(self):
        """Returns the number of language prompts. 0 if the model has none."""
        return len(self["prompt_kernel.0.weight"]) - self.width if "prompt_kernel.0.weight" in self.arrays else 0

    @property
    def conv_context(self):
        return self["layers.0.conv.depthwise_conv.weight"].shape[2] - 1


def read_weights(path):
    """Reads the weights. In an export, the names of matrices are numbers. Their real names come from the MatMul nodes
    that use them.
    """
    model = onnx.load(path)
    arrays = {}
    for tensor in model.graph.initializer:
        arrays[tensor.name.removeprefix("encoder.")] = numpy_helper.to_array(tensor)
    for node in model.graph.node:
        # An export stores equal parameters once and copies them with Identity nodes.
        if node.op_type == "Identity" and node.input[0].removeprefix("encoder.") in arrays:
            arrays[node.output[0].removeprefix("encoder.")] = arrays[node.input[0].removeprefix("encoder.")]
        if node.op_type == "MatMul" and node.input[1] in arrays:
            arrays[f"{module_of(node)}.weight"] = arrays[node.input[1]]
    return Weights(
        {n: np.asarray(a, np.float64) for n, a in arrays.items() if a.dtype == np.float32},
        {p.key: p.value for p in model.metadata_props},
        any(node.name.removeprefix("/encoder") == "/pos_enc/Mul" for node in model.graph.node),
        tuple(value.name for value in model.graph.input),
    )


def module_of(node):
    """Returns the name of the module that a node belongs to. The path of a part of a sequence contains the name of the
    sequence twice, as in /joint_net/joint_net.2.
    """
    path = node.name.strip("/").removesuffix("/MatMul").split("/")
    parts = [part for part, following in zip(path, [*path[1:], ""]) if not following.startswith(f"{part}.")]
    return ".".join(parts).removeprefix("encoder.")
