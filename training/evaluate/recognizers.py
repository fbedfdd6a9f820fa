"""Two ways to transcribe: whole utterances in PyTorch, or streams through an ONNX graph."""

import pathlib
import sys

import numpy as np
import torch

from model.recognizer import load
from model.tokenizer import Tokenizer, best_path, read_tokens

sys.path.append(str(pathlib.Path(__file__).parents[1] / "optimize"))

_BATCH = 64


class Network:
    """Transcribes with a checkpoint of the training."""

    def __init__(self, path, device):
        self.device, self.model = device, load(path).to(device)
        self.tokenizer = Tokenizer(self.model.settings.pieces)

    @torch.no_grad()
    def transcribe(self, utterances, right):
        """Returns the transcripts of whole utterances. `right` is the look-ahead in encoder frames. Utterances of
        similar length share a batch.
        """
        texts, order = [""] * len(utterances), np.argsort([len(pcm) for pcm in utterances])
        for at in range(0, len(order), _BATCH):
            numbers = order[at : at + _BATCH]
            lengths = torch.tensor([len(utterances[n]) for n in numbers])
            samples = torch.zeros(len(numbers), int(lengths.max()))
            for row, number in enumerate(numbers):
                samples[row, : lengths[row]] = torch.from_numpy(utterances[number].astype(np.float32) / 32768)
            scores, counts = self.model.recognize(samples.to(self.device), lengths.to(self.device), right)
            best = scores.argmax(-1).tolist()
            for number, path, count in zip(numbers, best, counts.tolist()):
                texts[number] = self.tokenizer.decode(best_path(path[:count], self.model.settings.blank))
        return texts


class Graph:
    """Transcribes with an ONNX graph from an export or a model folder. Its folder must also contain tokens.txt."""

    def __init__(self, path):
        # Both functions are in training/optimize. `encode` computes features and runs windows as the worker does.
        from compare import session
        from compare_gpu import encode

        self.session, self.encode = session(str(path)), encode
        self.tokenizer = Tokenizer(read_tokens(path.parent / "tokens.txt"))

    def transcribe(self, utterances, right):
        blank = len(self.tokenizer.pieces)
        paths = [self.encode(self.session, pcm, right).argmax(-1).tolist() for pcm in utterances]
        return [self.tokenizer.decode(best_path(path, blank)) for path in paths]
