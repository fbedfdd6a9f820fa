"""python -m importing.tiny_model KIND FILE: writes a .nemo file with random weights, for tests.

KIND is ctc, transducer or hybrid. The file has the same tensor names and configuration fields as a file that NeMo
writes.
"""

import io
import sys
import tarfile
from dataclasses import dataclass, field

import numpy as np
import sentencepiece
import torch
import yaml

from importing.reference import Reference
from importing.settings import Settings
from model.features import mel_filters


@dataclass
class Tiny:
    """Options of a random model."""

    kind: str = "ctc"  # ctc, transducer or hybrid
    layers: int = 2
    width: int = 32
    heads: int = 4
    channels: int = 8
    kernel: int = 9
    mels: int = 80
    bias: bool = True
    scaled: bool = True
    contexts: list = field(default_factory=lambda: [[56, 13], [56, 3], [56, 0]])
    pieces: int = 30  # pieces of the tokenizer. 0 if the pieces are letters, without a tokenizer
    hidden: int = 24
    predictor_layers: int = 1
    dropout: bool = True
    prompts: int = 0
    seed: int = 1

    @property
    def vocabulary(self):
        return self.pieces or len(LETTERS)


LETTERS = [" ", *"abcdefghij"]
STRENGTH = 2.0  # strength of the effect of the audio on the classes
BLANK = 3.0  # added to the score of a transducer's blank, so that frames stay below the limit of pieces


def tokenizer(count):
    """Trains a tokenizer with `count` pieces and returns the bytes of its file."""
    out = io.BytesIO()
    texts = [f"{a}{b} {b}{a}{a}" for a in "abcdefgh" for b in "ijklmnop"]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=out, vocab_size=count, model_type="bpe", bos_id=-1, eos_id=-1,
        minloglevel=2,
    )
    return out.getvalue()


def config_of(tiny):
    module = lambda name, **fields: {"_target_": f"nemo.collections.asr.modules.{name}", **fields}
    transducer = {
        "decoder": module(
            "RNNTDecoder", blank_as_pad=True,
            prednet={"pred_hidden": tiny.hidden, "pred_rnn_layers": tiny.predictor_layers},
        ),
        "joint": module(
            "RNNTJoint",
            jointnet={"joint_hidden": tiny.hidden, "activation": "relu", "dropout": 0.2 if tiny.dropout else 0.0},
        ),
        "loss": {"loss_name": "default"},
    }
    head = module("ConvASRDecoder", feat_in=tiny.width, num_classes=tiny.vocabulary)
    return {
        "sample_rate": 16000,
        "preprocessor": module(
            "AudioToMelSpectrogramPreprocessor", sample_rate=16000, normalize="NA", window_size=0.025, window_stride=0.01,
            window="hann", features=tiny.mels, n_fft=512, log=True, frame_splicing=1, dither=1e-5, pad_to=0,
        ),
        "encoder": module(
            "ConformerEncoder", feat_in=tiny.mels, feat_out=-1, n_layers=tiny.layers, d_model=tiny.width,
            n_heads=tiny.heads, use_bias=tiny.bias, subsampling="dw_striding", subsampling_factor=8,
            subsampling_conv_channels=tiny.channels, causal_downsampling=True, ff_expansion_factor=4,
            self_attention_model="rel_pos", att_context_size=tiny.contexts, att_context_style="chunked_limited",
            xscaling=tiny.scaled, conv_kernel_size=tiny.kernel, conv_norm_type="layer_norm", conv_context_size="causal",
        ),
        **({"decoder": head} if tiny.kind == "ctc" else transducer),
        **({"aux_ctc": {"decoder": head}} if tiny.kind == "hybrid" else {}),
        **({"tokenizer": {"type": "bpe", "model_path": "nemo:abc_tokenizer.model"}} if tiny.pieces else {"labels": LETTERS}),
        **(
            {"model_defaults": {"num_prompts": tiny.prompts, "prompt_dictionary": {f"x{i}": i for i in range(tiny.prompts)}}}
            if tiny.prompts else {}
        ),
    }


def state_of(tiny):
    """Returns random tensors with NeMo's names. Their values are large enough that the classes depend on the audio."""
    torch.manual_seed(tiny.seed)
    settings = Settings(
        tiny.mels, tiny.layers, tiny.width, tiny.heads, tiny.channels, tiny.kernel, 4, tiny.bias, tiny.scaled,
        [[56, 0]], tiny.hidden, tiny.predictor_layers, tiny.hidden,
    )
    prompts = [(tiny.width + tiny.prompts, 2 * tiny.width), (2 * tiny.width, tiny.width)] if tiny.prompts else None
    state = {}
    for transducer in [False, True] if tiny.kind == "hybrid" else [tiny.kind == "transducer"]:
        model = Reference(settings, tiny.vocabulary, transducer, prompts).eval()
        for parameter in model.parameters():
            parameter.data += torch.randn_like(parameter) * 0.1
        if state:
            model.load_state_dict({name: value for name, value in state.items() if "ctc" not in name}, strict=False)
        follow_audio(model, tiny)
        state.update(model.state_dict())
    names = {name: name for name in state}
    if tiny.kind == "ctc":
        names = {name: name.replace("ctc_decoder.", "decoder.") for name in state}
    if not tiny.dropout:
        names = {name: new.replace("joint_net.2.", "joint_net.1.") for name, new in names.items()}
    filters = torch.from_numpy(mel_filters(tiny.mels))[None]
    return {**{names[name]: value for name, value in state.items()}, "preprocessor.featurizer.fb": filters}


@torch.no_grad()
def follow_audio(model, tiny):
    """Changes the layer after the encoder so that it removes the mean of all frames. The classes then depend on the
    audio.
    """
    random = np.random.default_rng(tiny.seed)
    loudness = np.repeat(random.uniform(0, 6000, 50), 1600)
    scale = tiny.width**0.5 if tiny.scaled else 1.0
    out = model.encoder.pre_encode.out
    out.weight *= scale
    out.bias *= scale
    features, count = model.features(
        torch.from_numpy(random.standard_normal(80000) * loudness / 32768).float()[None], torch.tensor([80000])
    )
    frames = model.encoder(features, count, 0)[0][0]
    out.weight /= scale
    out.bias /= scale
    mean, spread = frames.mean(0), frames.std(0) + 1e-3
    layer = model.joint.enc if model.transducer else model.ctc_decoder.decoder_layers[0]
    if tiny.prompts > 0:
        layer = model.prompt_kernel[0]
    shape = (1, -1, 1) if layer.weight.ndim == 3 else (1, -1)
    part = layer.weight[:, : tiny.width] / spread.view(shape)
    layer.weight[:, : tiny.width] = part * STRENGTH
    layer.bias -= (part * STRENGTH).flatten(1) @ mean
    if model.transducer:
        model.joint.joint_net[2].bias[-1] += BLANK


def write_nemo(path, tiny, config=None, state=None, extra=None, mode="w"):
    """Writes an archive. `extra` adds or replaces files by name. A file whose content is None is omitted."""
    weights = io.BytesIO()
    torch.save(state or state_of(tiny), weights)
    files = {
        "./model_config.yaml": yaml.safe_dump(config or config_of(tiny)).encode(),
        "./model_weights.ckpt": weights.getvalue(),
        **({"./abc_tokenizer.model": tokenizer(tiny.pieces)} if tiny.pieces else {}),
        **(extra or {}),
    }
    with tarfile.open(path, mode) as tar:
        for name, content in files.items():
            if content is not None:
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return path


if __name__ == "__main__":
    write_nemo(sys.argv[2], Tiny(kind=sys.argv[1]))
