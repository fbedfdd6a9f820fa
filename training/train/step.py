"""Runs one step of a training: changes the speech, and computes the loss, the gradients and the new weights.

On a GPU, a model without a transducer head has two CUDA graphs for each length of batches. They replace thousands of
small operations by two calls. They contain all operations except the CTC loss. PyTorch copies the lengths for this loss
to the host and back, which is not possible in a CUDA graph.
"""

import numpy as np
import torch
from torch.nn import functional

from model.encoder import LEAD, encoded_lengths
from model.features import HOP
from model.transducer import transducer_loss
from train.augment import Augment, hide

_LARGEST_NORM = 1.0
_SPEED = 0.16  # largest change of speed and pitch, as a natural logarithm
_ROOM = 1.06  # largest factor by which slower speech exceeds the length of its batch


class Graph:
    """Inputs, outputs and CUDA graphs for batches of one length."""

    def __init__(self):
        self.inputs = self.outputs = self.gradients = self.forward = self.backward = None


class Step:
    def __init__(self, model, corpus, plan, device):
        self.model, self.corpus, self.plan, self.device = model, corpus, plan, device
        self.augment = Augment(device)
        self.parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self.graphs = {} if device.startswith("cuda") and plan.graphs and not model.settings.transducer else None
        self.pool = None
        self.rate = torch.tensor(0.0, device=device)
        self.optimizer = torch.optim.AdamW(
            self.parameters, lr=self.rate, betas=(0.9, 0.98), weight_decay=1e-3, fused=True,
            capturable=device.startswith("cuda"),
        )
        rights = [right for _, right in model.settings.contexts]
        self.rights = np.array([rights[0], *rights])  # The first context is drawn twice as often as any other.
        self.half = max(0, len(model.encoder.layers) // 2 - 1)
        # This step with a learning rate of zero creates the state of the optimizer. A graph that contained the creation
        # would repeat it in each step.
        self._update([torch.zeros_like(parameter) for parameter in self.parameters])
        for bucket, (size, rows) in enumerate(zip(corpus.sizes.tolist(), corpus.rows.tolist())):
            if self.graphs is not None:
                self.graphs[bucket] = self._capture(size, rows)

    def run(self, batch, random, rate, strength):
        """Trains on a batch. Returns the loss, which stays on the device."""
        self.rate.fill_(rate)
        rows, limit = len(batch.starts), batch.size * _ROOM
        speeds = np.exp(random.uniform(-_SPEED, _SPEED, rows) * strength)
        speeds = np.maximum(speeds, (batch.counts - 1) / limit).astype(np.float32)
        lengths = ((batch.counts - 1) / speeds).astype(np.int64)
        whole = torch.from_numpy(np.stack([batch.starts, batch.counts, lengths, random.choice(self.rights, rows)]))
        broken = torch.from_numpy(np.append(speeds, np.float32(strength)))
        frames = encoded_lengths(torch.from_numpy(lengths) // HOP + LEAD)
        pieces = torch.from_numpy(batch.pieces).to(self.device), torch.from_numpy(batch.piece_counts)
        if self.graphs is None:
            return self._run_whole(whole.to(self.device), broken.to(self.device), int(lengths.max()), frames, pieces)
        return self._run_graphs(self.graphs[batch.bucket], whole, broken, frames, pieces)

    def _run_whole(self, whole, broken, size, frames, pieces):
        encoded, *scores = self._forward(whole, broken, size)
        loss = self._loss(scores, frames, pieces)
        if self.model.settings.transducer:
            loss = loss + self._transducer_loss(encoded, frames, pieces)
        self._update(torch.autograd.grad(loss, self.parameters, allow_unused=True))
        return loss.detach()

    def _run_graphs(self, graph, whole, broken, frames, pieces):
        for place, value in zip(graph.inputs, (whole, broken)):
            place.copy_(value)
        graph.forward.replay()
        scores = [output.detach().requires_grad_() for output in graph.outputs]
        loss = self._loss(scores, frames, pieces)
        for place, gradient in zip(graph.gradients, torch.autograd.grad(loss, scores)):
            place.copy_(gradient)
        graph.backward.replay()
        return loss.detach()

    def _capture(self, samples, rows):
        """Captures the two graphs. First runs the model twice on a separate CUDA stream, so that libraries choose their
        algorithms before the capture.
        """
        graph, size = Graph(), int(samples * _ROOM) + 1
        whole = torch.tensor([[0], [samples], [samples - 1], [0]], device=self.device).repeat(1, rows)
        graph.inputs = whole, torch.ones(rows + 1, device=self.device)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(2):
                _, *scores = self._forward(*graph.inputs, size)
                torch.autograd.grad(scores, self.parameters, [torch.zeros_like(score) for score in scores], allow_unused=True)
                del scores
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        self.pool = self.pool or torch.cuda.graph_pool_handle()
        graph.forward, graph.backward = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph.forward, pool=self.pool):
            _, *scores = self._forward(*graph.inputs, size)
        graph.gradients = [torch.zeros_like(score) for score in scores]
        with torch.cuda.graph(graph.backward, pool=self.pool):
            self._update(torch.autograd.grad(scores, self.parameters, graph.gradients, allow_unused=True))
        graph.outputs = [score.detach() for score in scores]
        return graph

    def _forward(self, whole, broken, size):
        """Returns encoded frames, and the scores of the last layer and of the middle layer."""
        model, (starts, counts, lengths, rights), (speeds, strength) = self.model, whole, (broken[:-1], broken[-1])
        with torch.no_grad():
            samples = self.corpus.gather(starts, counts, speeds, lengths, size)
            samples = self.augment(samples, lengths, strength)
            features, frames = model.features(samples, lengths, self.augment.warps(len(starts), strength))
            features = hide(features, frames, self.augment, strength)
        kind = self.device.split(":")[0]
        with torch.autocast(kind, torch.bfloat16, enabled=kind == "cuda"):
            encoded, _, middle = model.encoder(features, frames, rights[:, None, None], collect=self.half)
            return encoded, model.ctc_decoder(encoded), model.ctc_decoder(middle)

    def _loss(self, scores, frames, pieces):
        """Returns the CTC loss of the last layer plus the weighted CTC loss of the middle layer."""
        ctc = lambda found: functional.ctc_loss(
            found.transpose(0, 1), pieces[0], frames, pieces[1], self.model.settings.blank, zero_infinity=True
        )
        return ctc(scores[0]) + self.plan.middle_weight * ctc(scores[1])

    def _transducer_loss(self, encoded, frames, pieces):
        """Returns the transducer loss. It has the same weight as the CTC loss of the last layer."""
        targets, blank = pieces[0], self.model.settings.blank
        predicted, _ = self.model.decoder(functional.pad(targets, (1, 0), value=blank))
        joined = self.model.joint(encoded.float(), predicted)
        return transducer_loss(joined, targets, frames.to(self.device), pieces[1].to(self.device), blank)

    def _update(self, gradients):
        for parameter, gradient in zip(self.parameters, gradients):
            parameter.grad = gradient
        torch.nn.utils.clip_grad_norm_(self.parameters, _LARGEST_NORM)
        self.optimizer.step()
