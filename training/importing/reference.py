"""The imported model in PyTorch, built from the modules of training/model. Its transcripts are the expected results for
the graphs.
"""

import numpy as np
import torch
from torch import nn

from model.encoder import Encoder
from model.features import LogMel
from model.recognizer import CtcHead
from model.tokenizer import best_path
from model.transducer import Joint, Predictor

MAX_SYMBOLS = 10  # limit of pieces per frame, the same as in worker/src/decode/rnnt.ts


class Reference(nn.Module):
    """Recognizes whole utterances. Attention is limited to the same chunks as in a stream."""

    def __init__(self, settings, blank, transducer, prompts=None):
        """`prompts` are the sizes of the two layers for language prompts, as [(inputs, outputs), (inputs, outputs)]."""
        super().__init__()
        self.blank, self.transducer, self.prompt = blank, transducer, None
        self.features = LogMel(settings.mels)
        self.encoder = Encoder(
            settings.mels, settings.layers, settings.width, settings.heads, settings.channels, settings.left,
            kernel=settings.kernel, dropout=0.0, expansion=settings.expansion, bias=settings.bias,
        )
        if prompts is not None:
            self.prompt_kernel = nn.Sequential(nn.Linear(*prompts[0]), nn.ReLU(), nn.Linear(*prompts[1]))
        if transducer:
            self.decoder = Predictor(blank, settings.hidden, settings.predictor_layers)
            self.joint = Joint(settings.width, settings.hidden, settings.joint_hidden, blank + 1)
        else:
            self.ctc_decoder = CtcHead(settings.width, blank + 1)

    @torch.no_grad()
    def frames(self, pcm, right):
        """Returns an array with the log-probabilities of each frame, or with encoded frames for a transducer."""
        samples = torch.from_numpy(pcm.astype(np.float32) / 32768)[None]
        features, frames = self.features(samples, torch.tensor([len(pcm)]))
        encoded, counts = self.encoder(features, frames, right)
        if self.prompt is not None:
            shown = encoded.new_zeros(*encoded.shape[:2], self.prompt_kernel[0].in_features - encoded.shape[2])
            shown[..., self.prompt] = 1
            encoded = self.prompt_kernel(torch.cat([encoded, shown], -1))
        rows = encoded if self.transducer else self.ctc_decoder(encoded)
        return rows[0, : counts[0]].numpy()

    def transcribe(self, pcm, right):
        """Returns the numbers of the pieces in an utterance."""
        frames = self.frames(pcm, right)
        return self._search(frames) if self.transducer else best_path(frames.argmax(-1).tolist(), self.blank)

    @torch.no_grad()
    def _search(self, frames):
        """Returns the numbers of the pieces that the greedy search of a transducer finds."""
        found = []
        predicted, states = self.decoder(torch.tensor([[self.blank]]))
        for frame in torch.from_numpy(frames):
            for _ in range(MAX_SYMBOLS):
                best = int(self.joint(frame[None, None], predicted).argmax())
                if best == self.blank:
                    break
                found.append(best)
                predicted, states = self.decoder(torch.tensor([[best]]), states)
        return found
