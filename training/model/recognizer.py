"""The recognizer: encoder, CTC head and optional transducer head, with the settings that a checkpoint contains."""

from dataclasses import asdict, dataclass, field

import torch
from torch import nn

from model.encoder import Encoder
from model.features import LogMel
from model.transducer import Joint, Predictor

CONTEXTS = [[56, 13], [56, 6], [56, 3], [56, 1], [56, 0]]


@dataclass
class Settings:
    pieces: list = field(default_factory=list)  # without the blank
    mels: int = 80
    layers: int = 8
    width: int = 144
    heads: int = 4
    channels: int = 144
    contexts: list = field(default_factory=lambda: [list(context) for context in CONTEXTS])
    dropout: float = 0.1
    transducer: bool = False

    @property
    def left(self):
        return self.contexts[0][0]

    @property
    def blank(self):
        return len(self.pieces)


class CtcHead(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.decoder_layers = nn.Sequential(nn.Conv1d(width, classes, 1))

    def forward(self, encoded):
        """[B, T, width] -> log-probabilities [B, T, classes]."""
        return torch.log_softmax(self.decoder_layers(encoded.transpose(1, 2)).transpose(1, 2).float(), -1)


class Recognizer(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.settings = settings
        self.features = LogMel(settings.mels)
        self.encoder = Encoder(
            settings.mels, settings.layers, settings.width, settings.heads, settings.channels, settings.left,
            dropout=settings.dropout,
        )
        self.ctc_decoder = CtcHead(settings.width, settings.blank + 1)
        if settings.transducer:
            self.decoder = Predictor(settings.blank, settings.width)
            self.joint = Joint(settings.width, settings.width, settings.width, settings.blank + 1)

    def recognize(self, samples, lengths, right):
        """Returns the log-probabilities of whole utterances and the number of frames of each utterance."""
        features, frames = self.features(samples, lengths)
        encoded, counts = self.encoder(features, frames, right)
        return self.ctc_decoder(encoded), counts


def save(model, path, pack=False):
    """Writes a checkpoint. The file is replaced in one step, so that another process can read it during a training.

    With `pack`, the values of matrices have 8 bits instead of 32, which is precise enough for the start of a training.
    """
    weights = model.state_dict()
    if pack:
        weights = {name: _pack(value) if value.dim() > 1 else value.half() for name, value in weights.items()}
    partial = path.with_suffix(".partial")
    torch.save({"settings": asdict(model.settings), "weights": weights}, partial)
    partial.replace(path)


def load(path):
    """Reads a checkpoint. A checkpoint contains only tensors and settings, so nothing in it is executed."""
    found = torch.load(path, map_location="cpu", weights_only=True)
    model = Recognizer(Settings(**found["settings"]))
    model.load_state_dict({name: _unpack(value) for name, value in found["weights"].items()})
    return model.eval()


def _pack(matrix):
    """Returns the matrix in 8 bits, and the scale of each row."""
    scale = matrix.abs().amax(tuple(range(1, matrix.dim())), keepdim=True).clamp(min=1e-12) / 127
    return {"bytes": torch.round(matrix / scale).to(torch.int8), "scale": scale.float()}


def _unpack(value):
    return value["bytes"] * value["scale"] if isinstance(value, dict) else value.float()
