"""Cache-aware streaming FastConformer. Modules have NeMo's names, so that training/optimize can read an export of the
model.

All convolutions are causal, and attention is limited to chunks. The output for a whole utterance is therefore the same
as if the utterance were processed chunk by chunk.
"""

import math

import torch
from torch import nn
from torch.nn import functional

SUBSAMPLING = 8
LEAD = 2 * SUBSAMPLING  # feature frames of zeros before an utterance
DROPPED = 2  # encoder frames that result from these zeros
HIDDEN = -10000.0  # score of keys that a frame must not see
_CAUSAL_PADDING = (2, 1, 2, 1)  # of causal convolutions of size 3 with a stride of two, in both dimensions


def encoded_lengths(frames):
    """Returns the numbers of encoder frames for numbers of feature frames. `frames` includes the history before a
    window. The result does not.
    """
    for _ in range(3):
        frames = torch.div(frames, 2, rounding_mode="floor") + 1
    return (frames - DROPPED).clamp(min=0)


class Subsampling(nn.Module):
    """Applies three causal convolutions with a stride of two. Except in training, frames past the end of an utterance
    are set to zero before each convolution.
    """

    def __init__(self, mels, channels, width):
        super().__init__()
        convolution = lambda inputs, groups: nn.Conv2d(inputs, channels, 3, stride=2, groups=groups)
        point = lambda: nn.Conv2d(channels, channels, 1)
        self.conv = nn.Sequential(
            convolution(1, 1), nn.ReLU(), convolution(channels, channels), point(), nn.ReLU(),
            convolution(channels, channels), point(), nn.ReLU(),
        )
        columns = mels
        for _ in range(3):
            columns = columns // 2 + 1
        self.out = nn.Linear(channels * columns, width)

    def forward(self, features, lengths):
        x = features.unsqueeze(1)
        if self.training:
            return self.out(self._fast(x)[:, DROPPED:]), encoded_lengths(lengths)
        for module in self.conv:
            if isinstance(module, nn.Conv2d) and module.kernel_size == (3, 3):
                at = torch.arange(x.shape[2], device=x.device)
                x = x * (at[None, :] < lengths[:, None])[:, None, :, None].to(x.dtype)
                x = functional.pad(x, _CAUSAL_PADDING)
                lengths = torch.div(lengths, 2, rounding_mode="floor") + 1
            x = module(x)
        return self.out(x.transpose(1, 2).flatten(2)[:, DROPPED:]), (lengths - DROPPED).clamp(min=0)

    def _fast(self, x):
        """Computes the convolutions without masks. Masks would change only the last frame of an utterance.

        [B, 1, T, mels] -> [B, T', channels * columns].

        The first convolution is computed as a linear layer, because cuDNN is slow for convolutions with one input
        channel. A depthwise convolution directly followed by a pointwise one is computed as one dense convolution,
        which is much faster on GPUs.
        """
        first, second, point2, third, point3 = (self.conv[i] for i in (0, 2, 3, 5, 6))
        patches = functional.pad(x[:, 0], _CAUSAL_PADDING).unfold(1, 3, 2).unfold(2, 3, 2).flatten(3)
        x = functional.relu(functional.linear(patches, first.weight.flatten(1), first.bias)).permute(0, 3, 1, 2)
        for depth, point in ((second, point2), (third, point3)):
            weight = (point.weight * depth.weight.transpose(0, 1)).contiguous(memory_format=torch.channels_last)
            bias = point.bias + point.weight[:, :, 0, 0] @ depth.bias
            x = functional.relu(functional.conv2d(functional.pad(x, _CAUSAL_PADDING), weight, bias, stride=2))
        return x.transpose(1, 2).flatten(2)


class Attention(nn.Module):
    """Self-attention with relative positions (Transformer-XL)."""

    def __init__(self, width, heads, bias):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.linear_q, self.linear_k, self.linear_v = (nn.Linear(width, width, bias) for _ in range(3))
        self.linear_out = nn.Linear(width, width, bias)
        self.linear_pos = nn.Linear(width, width, bias=False)
        self.pos_bias_u = nn.Parameter(torch.zeros(heads, self.size))
        self.pos_bias_v = nn.Parameter(torch.zeros(heads, self.size))

    def forward(self, x, keys, positions, mask):
        """x [B, T, width], keys [B, K, width], positions [1, T + K - 1, width] from far to near, mask [B or 1, 1, T, K]."""
        split = lambda y: y.unflatten(-1, (self.heads, self.size))
        query, key, value = split(self.linear_q(x)), split(self.linear_k(keys)), split(self.linear_v(keys))
        key, value = key.transpose(1, 2), value.transpose(1, 2)
        position = split(self.linear_pos(positions)).transpose(1, 2)
        by_position = (query + self.pos_bias_v).transpose(1, 2) @ position.transpose(-2, -1)
        by_position = shift(by_position)[..., : keys.shape[1]]
        scale = 1 / math.sqrt(self.size)
        scores = ((query + self.pos_bias_u).transpose(1, 2) @ key.transpose(-2, -1) + by_position) * scale + mask
        mixed = torch.softmax(scores, -1) @ value
        return self.linear_out(mixed.transpose(1, 2).flatten(2))


def shift(x):
    """Moves row i of [B, H, T, P] so that its column j has the score for the distance between query i and key j."""
    _, heads, rows, columns = x.shape
    x = functional.pad(x, (1, 0)).reshape(-1, heads, columns + 1, rows)
    return x[:, :, 1:].reshape(-1, heads, rows, columns)


class FeedForward(nn.Module):
    def __init__(self, width, dropout, expansion, bias):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(width, expansion * width, bias), nn.Linear(expansion * width, width, bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.linear2(self.dropout(functional.silu(self.linear1(x))))


class Convolution(nn.Module):
    def __init__(self, width, kernel, bias):
        super().__init__()
        self.pointwise_conv1 = nn.Conv1d(width, 2 * width, 1, bias=bias)
        self.depthwise_conv = nn.Conv1d(width, width, kernel, groups=width, bias=bias)
        self.batch_norm = nn.LayerNorm(width)  # NeMo uses this name for every kind of norm
        self.pointwise_conv2 = nn.Conv1d(width, width, 1, bias=bias)

    def forward(self, x, tail):
        """x [B, T, width], tail [B, width, kernel - 1] -> output and next tail."""
        if self.training:
            return self._fast(x), tail
        x = functional.glu(self.pointwise_conv1(x.transpose(1, 2)), 1)
        x = torch.cat([tail.to(x.dtype), x], 2)
        following = x[:, :, x.shape[2] - tail.shape[2] :]
        x = self.batch_norm(self.depthwise_conv(x).transpose(1, 2))
        return self.pointwise_conv2(functional.silu(x).transpose(1, 2)).transpose(1, 2), following

    def _fast(self, x):
        """Computes the output of whole utterances, without a tail. Uses linear layers for the pointwise convolutions,
        because linear layers copy less data.
        """
        first, depth, last = self.pointwise_conv1, self.depthwise_conv, self.pointwise_conv2
        x = functional.glu(functional.linear(x, first.weight[:, :, 0], first.bias), -1)
        x = functional.pad(x, (0, 0, depth.kernel_size[0] - 1, 0))
        x = depth(x.transpose(1, 2)).transpose(1, 2)
        return functional.linear(functional.silu(self.batch_norm(x)), last.weight[:, :, 0], last.bias)


class Layer(nn.Module):
    def __init__(self, width, heads, kernel, dropout, expansion, bias):
        super().__init__()
        self.norm_feed_forward1, self.feed_forward1 = nn.LayerNorm(width), FeedForward(width, dropout, expansion, bias)
        self.norm_self_att, self.self_attn = nn.LayerNorm(width), Attention(width, heads, bias)
        self.norm_conv, self.conv = nn.LayerNorm(width), Convolution(width, kernel, bias)
        self.norm_feed_forward2, self.feed_forward2 = nn.LayerNorm(width), FeedForward(width, dropout, expansion, bias)
        self.norm_out, self.dropout = nn.LayerNorm(width), nn.Dropout(dropout)

    def forward(self, x, past, tail, positions, mask):
        """`past` [B, 0 or more, width] contains the normed frames before x. Returns the output, the normed frames of
        both `past` and x, and the next tail.
        """
        x = x + 0.5 * self.dropout(self.feed_forward1(self.norm_feed_forward1(x)))
        normed = self.norm_self_att(x)
        keys = torch.cat([past.to(normed.dtype), normed], 1)
        x = x + self.dropout(self.self_attn(normed, keys, positions, mask))
        mixed, tail = self.conv(self.norm_conv(x), tail)
        x = x + self.dropout(mixed)
        x = x + 0.5 * self.dropout(self.feed_forward2(self.norm_feed_forward2(x)))
        return self.norm_out(x), keys, tail


class Encoder(nn.Module):
    def __init__(self, mels, layers, width, heads, channels, left, kernel=9, dropout=0.1, expansion=4, bias=True):
        super().__init__()
        self.width, self.left, self.kernel = width, left, kernel
        self.pre_encode = Subsampling(mels, channels, width)
        self.layers = nn.ModuleList(Layer(width, heads, kernel, dropout, expansion, bias) for _ in range(layers))

    def positions(self, farthest, nearest, like):
        """Returns sinusoids of the distances from `farthest` down to -`nearest`."""
        distance = torch.arange(farthest, -nearest - 1, -1, device=like.device).float()[:, None]
        rate = torch.exp(torch.arange(0, self.width, 2, device=like.device).float() * -(math.log(10000.0) / self.width))
        return torch.stack([torch.sin(distance * rate), torch.cos(distance * rate)], -1).flatten(1)[None].to(like.dtype)

    def forward(self, features, frames, right, collect=None):
        """Encodes whole utterances [B, T, mels] with chunks of right + 1 frames. Returns [B, T', width] and lengths.

        `right` is a number, or a tensor [B, 1, 1] with a number per utterance. If `collect` is the number of a layer,
        the output of that layer is returned too.
        """
        x, lengths = self.pre_encode(functional.pad(features, (0, 0, LEAD, 0)), frames + LEAD)
        count = x.shape[1]
        at = torch.arange(count, device=x.device)
        distance = at[:, None] // (right + 1) - at // (right + 1)
        seen = (distance >= 0) & (distance <= self.left // (right + 1))
        visible = seen & (at < lengths[:, None, None])
        mask = torch.zeros(visible.shape, device=x.device, dtype=x.dtype).masked_fill(~visible, HIDDEN)[:, None]
        positions = self.positions(count - 1, count - 1, x)
        past, tail = x[:, :0], x.new_zeros(len(x), self.width, self.kernel - 1)
        middle = None
        for number, layer in enumerate(self.layers):
            x, _, _ = layer(x, past, tail, positions, mask)
            middle = x if number == collect else middle
        return (x, lengths) if collect is None else (x, lengths, middle)

    def step(self, features, length, channel, time, filled):
        """Encodes one window [B, mels, T] with NeMo's caches. Returns frames, lengths and the next caches."""
        x, lengths = self.pre_encode(features.transpose(1, 2), length)
        count = x.shape[1]
        at = torch.arange(self.left + count, device=x.device)
        early = at[None, :] < (self.left - filled)[:, None]
        late = at[None, :] >= (lengths + self.left)[:, None]
        mask = ((early | late).to(x.dtype) * HIDDEN)[:, None, None, :]
        positions = self.positions(self.left + count - 1, count - 1, x)
        channels, times = [], []
        for number, layer in enumerate(self.layers):
            x, keys, tail = layer(x, channel[:, number], time[:, number], positions, mask)
            channels.append(keys[:, keys.shape[1] - self.left :])
            times.append(tail)
        following = torch.clamp(filled + count, max=self.left)
        return x, lengths, torch.stack(channels, 1), torch.stack(times, 1), following
