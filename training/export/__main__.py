"""python -m export CHECKPOINT OUT: writes a checkpoint as ONNX graphs with the interface of a NeMo export.

OUT receives tokens.txt, and LEFT-RIGHT.onnx for each context. These graphs read features and caches, and return
log-probabilities and the next caches. For a model with a transducer head, OUT also receives LEFT-RIGHT-encoder.onnx and
decoder_joint.onnx. The outputs of each graph are compared with those of PyTorch.
"""

import argparse
import pathlib
import sys
import warnings

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper
from torch import nn

from model.encoder import SUBSAMPLING
from model.recognizer import load
from model.tokenizer import write_tokens

CACHES = ["cache_last_channel", "cache_last_time", "cache_last_channel_len"]
INPUTS = ["audio_signal", "length", *CACHES]
NEXT = ["encoded_lengths", "cache_last_channel_next", "cache_last_time_next", "cache_last_channel_next_len"]
LARGEST_DIFFERENCE = 1e-3
_OPSET = 17


class Streaming(nn.Module):
    """Processes one window of a stream. Returns the log-probabilities of the CTC head, or encoded frames."""

    def __init__(self, model, ctc):
        super().__init__()
        self.encoder = model.encoder
        if ctc:
            self.ctc_decoder = model.ctc_decoder

    def forward(self, audio_signal, length, channel, time, filled):
        encoded, *following = self.encoder.step(audio_signal, length, channel, time, filled)
        first = self.ctc_decoder(encoded) if hasattr(self, "ctc_decoder") else encoded.transpose(1, 2)
        return first, *following


class Prediction(nn.Module):
    """Runs the predictor and the joint network for one piece, with the same inputs and outputs as NeMo's export."""

    def __init__(self, model):
        super().__init__()
        self.decoder, self.joint = model.decoder, model.joint

    def forward(self, encoder_outputs, targets, target_length, hidden, cell):
        predicted, (hidden, cell) = self.decoder(targets.long(), (hidden, cell))
        # Returns logits without a softmax, because NeMo's greedy search only needs the largest one.
        return self.joint(encoder_outputs.transpose(1, 2), predicted), target_length + 0, hidden, cell


def window_of(right):
    shift = SUBSAMPLING * (right + 1)
    return shift + SUBSAMPLING + 1, shift


def example(settings, right, batch, seed=1):
    """Returns random inputs with filled caches."""
    random = torch.Generator().manual_seed(seed)
    window, _ = window_of(right)
    noise = lambda *shape: torch.randn(*shape, generator=random)
    return (
        noise(batch, settings.mels, window) * 3 - 6, torch.full((batch,), window),
        noise(batch, settings.layers, settings.left, settings.width), noise(batch, settings.layers, settings.width, 8),
        torch.full((batch,), settings.left),
    )


def facts_of(settings, right):
    window, shift = window_of(right)
    return {
        "vocab_size": settings.blank, "window_size": window, "chunk_shift": shift, "normalize_type": "",
        "subsampling_factor": SUBSAMPLING, "feat_dim": settings.mels,
        **{f"cache_last_channel_dim{i + 1}": n for i, n in enumerate((settings.layers, settings.left, settings.width))},
        **{f"cache_last_time_dim{i + 1}": n for i, n in enumerate((settings.layers, settings.width, 8))},
    }


def write(module, inputs, path, names, axes, facts):
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(), inputs, str(path), input_names=names[0], output_names=names[1], dynamic_axes=axes,
            opset_version=_OPSET, dynamo=False,
        )
    graph = onnx.load(path)
    helper.set_model_props(graph, {name: str(value) for name, value in facts.items()})
    onnx.save(graph, path)


def difference(module, inputs, path):
    """Returns the largest difference between an output of PyTorch and the same output of the graph."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    feeds = {node.name: value.numpy() for node, value in zip(session.get_inputs(), inputs)}
    with torch.no_grad():
        expected = module(*inputs)
    return max(
        float(np.abs(one.numpy().astype(np.float64) - other).max()) for one, other in zip(expected, session.run(None, feeds))
    )


def export_encoder(model, out, right, ctc):
    settings = model.settings
    name = f"{settings.left}-{right}{'' if ctc else '-encoder'}.onnx"
    first = "logprobs" if ctc else "outputs"
    axes = {field: {0: "batch"} for field in [*INPUTS, first, *NEXT]}
    axes["audio_signal"][2], axes[first][1 if ctc else 2] = "time", "frames"
    module, path = Streaming(model, ctc), out / name
    write(module, example(settings, right, 2), path, (INPUTS, [first, *NEXT]), axes, facts_of(settings, right))
    inputs = example(settings, right, 3, seed=2)
    # The last stream of the batch has a shorter window and an empty cache, so that these cases are compared too.
    inputs[1][-1] -= 2 * SUBSAMPLING if right > 2 else 1
    inputs[4][-1] = 0
    return path, difference(module, inputs, path)


def export_joint(model, out):
    settings, path = model.settings, out / "decoder_joint.onnx"
    inputs = lambda batch: (
        torch.randn(batch, settings.width, 1), torch.randint(0, settings.blank, (batch, 1), dtype=torch.int32),
        torch.ones(batch, dtype=torch.int32), torch.randn(1, batch, settings.width), torch.randn(1, batch, settings.width),
    )
    names = (
        ["encoder_outputs", "targets", "target_length", "input_states_1", "input_states_2"],
        ["outputs", "prednet_lengths", "output_states_1", "output_states_2"],
    )
    axes = {field: {1 if "states" in field else 0: "batch"} for field in [*names[0], *names[1]]}
    facts = {"vocab_size": settings.blank, "pred_rnn_layers": 1, "pred_hidden": settings.width}
    module = Prediction(model)
    write(module, inputs(2), path, names, axes, facts)
    return path, difference(module, inputs(3), path)


def export(model, out):
    """Writes all graphs. Returns the path of each graph with its largest difference from PyTorch."""
    out.mkdir(parents=True, exist_ok=True)
    write_tokens(out / "tokens.txt", model.settings.pieces)
    found = [export_encoder(model, out, right, True) for _, right in model.settings.contexts]
    if model.settings.transducer:
        found += [export_encoder(model, out, right, False) for _, right in model.settings.contexts]
        found.append(export_joint(model, out))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    found = export(load(options.checkpoint), options.out)
    for path, worst in found:
        print(f"{path}: largest difference from PyTorch {worst:.1e}")
    if any(worst > LARGEST_DIFFERENCE for _, worst in found):
        sys.exit("a graph differs from PyTorch")


if __name__ == "__main__":
    main()
