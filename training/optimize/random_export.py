"""random_export.py FOLDER: creates a NeMo model with language prompts and random weights, and exports it.

Writes LEFT-RIGHT-ctc.onnx and LEFT-RIGHT-encoder.onnx for each context, and tokens.txt. NeMo itself exports the encoder
without the prompt. The exports of this tool have an input prompt_index, like the exports of published multilingual
models. Needs nemo_toolkit[asr].
"""

import argparse
import pathlib
import tempfile

import onnx
import sentencepiece
import torch
from nemo.collections.asr.models import EncDecHybridRNNTCTCBPEModelWithPrompt
from omegaconf import OmegaConf
from onnx import helper

MELS = 80
SUBSAMPLING = 8
CACHES = ["cache_last_channel", "cache_last_time", "cache_last_channel_len"]
INPUTS = ["audio_signal", "length", *CACHES, "prompt_index"]
NEXT = ["encoded_lengths", "cache_last_channel_next", "cache_last_time_next", "cache_last_channel_next_len"]


class Prompted(torch.nn.Module):
    """Runs the encoder and applies the prompt as NeMo's models do. Also runs the CTC head if `ctc` is set."""

    def __init__(self, model, ctc):
        super().__init__()
        self.encoder, self.prompt_kernel, self.prompts = model.encoder, model.prompt_kernel, model.num_prompts
        if ctc:
            self.ctc_decoder = model.ctc_decoder

    def forward(self, audio_signal, length, channel, time, filled, prompt_index):
        encoded, *following = self.encoder.forward_for_export(
            audio_signal=audio_signal, length=length, cache_last_channel=channel, cache_last_time=time,
            cache_last_channel_len=filled,
        )
        encoded = encoded.transpose(1, 2)
        batch, frames, _ = encoded.shape
        prompt = torch.zeros(batch, frames, self.prompts)
        prompt.scatter_(2, prompt_index.view(batch, 1, 1).expand(-1, frames, -1), 1.0)
        encoded = self.prompt_kernel(torch.cat([encoded, prompt], dim=-1)).transpose(1, 2)
        return self.ctc_decoder(encoder_output=encoded) if hasattr(self, "ctc_decoder") else encoded, *following


def tokenizer(folder, pieces):
    """Trains a tokenizer with this number of pieces on generated words. Returns the pieces."""
    text = folder / "text.txt"
    text.write_text("\n".join(f"{a}{b} {b}{a}{a}" for a in "abcdefgh" for b in "ijklmnop"))
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(folder / "tokenizer"), vocab_size=pieces, model_type="bpe", bos_id=-1,
        eos_id=-1, minloglevel=2,
    )
    loaded = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))
    names = [loaded.id_to_piece(i) for i in range(pieces)]
    (folder / "vocab.txt").write_text("\n".join(names))
    return names


def config(options, folder):
    d = options.width
    module = lambda name, **fields: {"_target_": f"nemo.collections.asr.modules.{name}", **fields}
    return OmegaConf.create({
        "sample_rate": 16000,
        "model_defaults": {
            "enc_hidden": d, "pred_hidden": d, "joint_hidden": d, "num_prompts": options.prompts,
            "initialize_prompt_feature": True, "prompt_dictionary": {f"x{i}": i for i in range(options.prompts)},
        },
        "tokenizer": {"dir": str(folder), "type": "bpe"},
        "preprocessor": module("AudioToMelSpectrogramPreprocessor", features=MELS, normalize="NA", dither=0.0),
        "encoder": module(
            "ConformerEncoder", feat_in=MELS, n_layers=options.layers, d_model=d, n_heads=options.heads,
            subsampling="dw_striding", subsampling_factor=SUBSAMPLING, subsampling_conv_channels=options.channels,
            causal_downsampling=True, att_context_size=options.contexts, att_context_style="chunked_limited",
            conv_kernel_size=9, conv_norm_type="layer_norm", conv_context_size="causal", xscaling=options.xscaling,
            pos_emb_max_len=max(left + right for left, right in options.contexts) + SUBSAMPLING,
        ),
        "decoder": module("RNNTDecoder", blank_as_pad=True, prednet={"pred_hidden": d, "pred_rnn_layers": 1}),
        "joint": module("RNNTJoint", jointnet={"joint_hidden": d, "activation": "relu"}),
        "decoding": {"strategy": "greedy_batch", "greedy": {"max_symbols": 10}},
        "aux_ctc": {
            "decoder": module("ConvASRDecoder", feat_in=d, num_classes=-1, vocabulary=[]),
            "decoding": {"strategy": "greedy"},
        },
        "loss": {"loss_name": "default"},
    })


def strengthen(model, factor):
    """Multiplies the weights after the encoder. With larger weights, the classes depend on the audio and on the prompt.
    """
    for layer in (model.prompt_kernel[0], model.prompt_kernel[2], model.ctc_decoder.decoder_layers[0]):
        layer.weight.data *= factor


def export(model, path, context, ctc):
    encoder = model.encoder
    encoder.set_default_att_context_size(context)
    model.set_export_config({"cache_support": True})
    streaming, layers, d = encoder.streaming_cfg, len(encoder.layers), encoder.d_model
    window = streaming.chunk_size[1] + streaming.pre_encode_cache_size[1]
    left, tail = streaming.last_channel_cache_size, encoder.conv_context_size[0]
    inputs = (
        torch.zeros(1, MELS, window), torch.tensor([window]), torch.zeros(1, layers, left, d),
        torch.zeros(1, layers, d, tail), torch.zeros(1, dtype=torch.int64), torch.zeros(1, dtype=torch.int64),
    )
    first = "logprobs" if ctc else "outputs"
    axes = {name: {0: "batch"} for name in [*INPUTS, first, *NEXT]}
    axes["audio_signal"][2], axes[first][1 if ctc else 2] = "time", "frames"
    torch.onnx.export(
        Prompted(model, ctc).eval(), inputs, str(path), input_names=INPUTS, output_names=[first, *NEXT],
        opset_version=17, dynamic_axes=axes, dynamo=False,
    )
    facts = {
        "vocab_size": model.decoder.vocab_size, "window_size": window, "chunk_shift": streaming.chunk_size[1],
        "normalize_type": "", "subsampling_factor": SUBSAMPLING, "feat_dim": MELS,
        **{f"cache_last_channel_dim{i + 1}": n for i, n in enumerate((layers, left, d))},
        **{f"cache_last_time_dim{i + 1}": n for i, n in enumerate((layers, d, tail))},
    }
    graph = onnx.load(path)
    helper.set_model_props(graph, {name: str(value) for name, value in facts.items()})
    onnx.save(graph, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    for name, value in (
        ("layers", 2), ("width", 64), ("heads", 4), ("channels", 16), ("prompts", 8), ("vocabulary", 32), ("seed", 1),
    ):
        parser.add_argument(f"--{name}", type=int, default=value)
    pair = lambda text: [int(n) for n in text.split(",")]
    parser.add_argument("--contexts", type=pair, nargs="+", default=[[56, 13], [56, 3]])
    parser.add_argument("--factor", type=float, default=4.0, help="of the weights after the encoder")
    parser.add_argument("--xscaling", action="store_true", help="frames are multiplied by the root of the width")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    with tempfile.TemporaryDirectory() as scratch, torch.no_grad():
        pieces = tokenizer(pathlib.Path(scratch), options.vocabulary)
        model = EncDecHybridRNNTCTCBPEModelWithPrompt(config(options, scratch)).eval()
        strengthen(model, options.factor)
        for left, right in options.contexts:
            for kind in ("ctc", "encoder"):
                export(model, options.folder / f"{left}-{right}-{kind}.onnx", [left, right], kind == "ctc")
    lines = [f"{piece} {i}" for i, piece in enumerate([*pieces, "<blk>"])]
    (options.folder / "tokens.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
