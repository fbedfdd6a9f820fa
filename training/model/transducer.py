"""Transducer head: a predictor of the next piece, the joint network and its loss. Modules have NeMo's names."""

import torch
from torch import nn
from torch.nn import functional


class Predictor(nn.Module):
    """An LSTM over the pieces that were recognized so far. The first input is the blank, whose embedding is zero."""

    def __init__(self, blank, hidden, layers=1):
        super().__init__()
        self.blank = blank
        self.prediction = nn.ModuleDict({
            "embed": nn.Embedding(blank + 1, hidden, padding_idx=blank),
            "dec_rnn": nn.ModuleDict({"lstm": nn.LSTM(hidden, hidden, layers)}),
        })

    def forward(self, targets, states=None):
        """targets [B, U] -> [B, U, hidden] and states."""
        embedded = self.prediction["embed"](targets).transpose(0, 1)
        found, states = self.prediction["dec_rnn"]["lstm"](embedded, states)
        return found.transpose(0, 1), states


class Joint(nn.Module):
    def __init__(self, encoded, predicted, hidden, classes):
        super().__init__()
        self.enc, self.pred = nn.Linear(encoded, hidden), nn.Linear(predicted, hidden)
        self.joint_net = nn.Sequential(nn.ReLU(), nn.Dropout(0.0), nn.Linear(hidden, classes))

    def forward(self, encoded, predicted):
        """encoded [B, T, E], predicted [B, U, P] -> logits [B, T, U, classes]."""
        return self.joint_net(self.enc(encoded)[:, :, None] + self.pred(predicted)[:, None])


def transducer_loss(logits, targets, frames, counts, blank):
    """Returns the loss per piece, averaged over the utterances. Computes the sum over all alignments along the
    diagonals of the lattice.

    logits [B, T, U + 1, classes], targets [B, U], frames [B], counts [B].
    """
    scores = functional.log_softmax(logits.float(), -1)
    batch, times, states, _ = scores.shape
    empty = scores[..., blank]
    # State u has emitted u pieces. The last state has emitted all pieces, so it cannot emit another one.
    emit = scores[:, :, :-1].gather(3, targets[:, None, :, None].expand(-1, times, -1, -1)).squeeze(3)
    emit = functional.pad(emit, (0, 1), value=-1e9)
    position = torch.arange(states, device=scores.device)
    alpha = torch.full((batch, states), -1e9, device=scores.device)
    alpha[:, 0] = 0.0
    last = frames - 1 + counts
    total = torch.full((batch,), -1e9, device=scores.device)
    for diagonal in range(times + states - 1):
        # State u of this diagonal is at frame diagonal - u.
        at = diagonal - position
        valid = (at >= 0) & (at < times)
        index = at.clamp(0, times - 1)[None, None].expand(batch, 1, -1)
        blanks, emits = empty.gather(1, index).squeeze(1), emit.gather(1, index).squeeze(1)
        ends = alpha.gather(1, counts[:, None]).squeeze(1) + blanks.gather(1, counts[:, None]).squeeze(1)
        total = torch.where(last == diagonal, ends, total)
        stay = torch.where(valid, alpha + blanks, -1e9)
        move = functional.pad(torch.where(valid, alpha + emits, -1e9)[:, :-1], (1, 0), value=-1e9)
        alpha = torch.logaddexp(stay, move)
    return (-total / counts.clamp(min=1)).mean()
