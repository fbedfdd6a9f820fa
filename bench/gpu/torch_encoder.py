"""The streaming FastConformer in PyTorch, for one context. Its tensors contain the state of all streams of a batch."""

import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "training" / "optimize"))

from attention import relative_positions  # noqa: E402
from gpu_features import FLOOR, HOP, PRE_EMPHASIS, mel_filters, transform  # noqa: E402


def tensor(value):
    return torch.tensor(np.asarray(value, np.float32))


def linear(w, name, change=np.transpose):
    """Creates a layer with the weights of this name. In the export, matrices have the shape [in, out]."""
    weight = tensor(change(w[f"{name}.weight"]))
    layer = nn.Linear(weight.shape[1], weight.shape[0])
    layer.weight.data, layer.bias.data = weight, tensor(w[f"{name}.bias"])
    return layer


def pointwise(w, name):
    return linear(w, name, lambda kernel: kernel[:, :, 0])


def norm(w, name):
    layer = nn.LayerNorm(w.width)
    layer.weight.data, layer.bias.data = tensor(w[f"{name}.weight"]), tensor(w[f"{name}.bias"])
    return layer


def conv(w, name, kind, depthwise=False, **options):
    weight = tensor(w[f"{name}.weight"])
    groups = weight.shape[0] if depthwise else 1
    layer = kind(weight.shape[1] * groups, weight.shape[0], weight.shape[2], groups=groups, **options)
    layer.weight.data, layer.bias.data = weight, tensor(w[f"{name}.bias"])
    return layer


class FeedForward(nn.Module):
    def __init__(self, w, layer, number):
        super().__init__()
        self.norm = norm(w, f"{layer}.norm_feed_forward{number}")
        self.first, self.second = (linear(w, f"{layer}.feed_forward{number}.linear{n}") for n in (1, 2))

    def forward(self, x):
        return self.second(F.silu(self.first(self.norm(x)))) / 2


class Attention(nn.Module):
    """Self-attention over cached keys and values. The projected positions are computed once."""

    def __init__(self, w, layer, left, chunk):
        super().__init__()
        name, d = f"{layer}.self_attn", w.width
        self.heads = w.heads
        self.norm = norm(w, f"{layer}.norm_self_att")
        self.q, self.k, self.v, self.out = (linear(w, f"{name}.linear_{part}") for part in ("q", "k", "v", "out"))
        rows = relative_positions(left, chunk, d) @ w[f"{name}.linear_pos.weight"]
        self.register_buffer("positions", tensor(rows.reshape(-1, w.heads, d // w.heads).transpose(1, 2, 0)))
        for part in "uv":
            self.register_buffer(f"bias_{part}", tensor(w[f"{name}.pos_bias_{part}"])[None, :, None])
        columns = torch.arange(chunk).flip(0)[:, None] + torch.arange(left + chunk)
        self.register_buffer("columns", columns)
        self.left = left

    def start(self, batch):
        self.keys, self.values = (self.out.weight.new_zeros(batch, self.left, self.out.out_features) for _ in "kv")

    def forward(self, x):
        b, c, d = x.shape
        x = self.norm(x)
        split = lambda y: y.view(b, -1, self.heads, d // self.heads).transpose(1, 2)
        keys, values = torch.cat([self.keys, self.k(x)], 1), torch.cat([self.values, self.v(x)], 1)
        self.keys.copy_(keys[:, c:])
        self.values.copy_(values[:, c:])
        q, scale = split(self.q(x)), (d // self.heads) ** -0.5
        position = ((q + self.bias_v) * scale) @ self.positions
        position = position.gather(3, self.columns.expand(b, self.heads, -1, -1))
        mixed = F.scaled_dot_product_attention(q + self.bias_u, split(keys), split(values), attn_mask=position, scale=scale)
        return self.out(mixed.transpose(1, 2).reshape(b, c, d))


class Convolution(nn.Module):
    def __init__(self, w, layer):
        super().__init__()
        name = f"{layer}.conv"
        self.norm, self.inner = norm(w, f"{layer}.norm_conv"), norm(w, f"{name}.batch_norm")
        self.first, self.second = pointwise(w, f"{name}.pointwise_conv1"), pointwise(w, f"{name}.pointwise_conv2")
        self.depthwise = conv(w, f"{name}.depthwise_conv", nn.Conv1d, depthwise=True)
        self.context = w.conv_context

    def start(self, batch):
        self.tail = self.second.weight.new_zeros(batch, self.context, self.second.out_features)

    def forward(self, x):
        series = torch.cat([self.tail, F.glu(self.first(self.norm(x)))], 1)
        self.tail.copy_(series[:, x.shape[1] :])
        x = self.depthwise(series.transpose(1, 2)).transpose(1, 2)
        return self.second(F.silu(self.inner(x)))


class Layer(nn.Module):
    def __init__(self, w, number, left, chunk):
        super().__init__()
        layer = f"layers.{number}"
        self.before, self.after = FeedForward(w, layer, 1), FeedForward(w, layer, 2)
        self.attention, self.convolution = Attention(w, layer, left, chunk), Convolution(w, layer)
        self.norm = norm(w, f"{layer}.norm_out")

    def forward(self, x):
        x = x + self.before(x)
        x = x + self.attention(x)
        x = x + self.convolution(x)
        return self.norm(x + self.after(x))


class Features(nn.Module):
    """Log-mel features in 32 bits."""

    def __init__(self, mels):
        super().__init__()
        self.kernels, self.filters = tensor(transform().T[:, None]), tensor(mel_filters(mels))

    def to(self, device):
        self.kernels, self.filters = self.kernels.to(device), self.filters.to(device)
        return self

    def forward(self, pcm):
        x = pcm.float()
        x = (x[:, 1:] - PRE_EMPHASIS * x[:, :-1])[:, None]
        real, imaginary = F.conv1d(x, self.kernels, stride=HOP).square().chunk(2, 1)
        return torch.log(self.filters @ (real + imaginary) + FLOOR).transpose(1, 2)[:, None]


class Encoder(nn.Module):
    """Computes the best class of each frame and its log-probability from the features of a window."""

    def __init__(self, w, left, right):
        super().__init__()
        self.convs = nn.ModuleList(
            conv(w, f"pre_encode.conv.{n}", nn.Conv2d, stride=2 if n in (0, 2, 5) else 1, depthwise=n in (2, 5))
            for n in (0, 2, 3, 5, 6)
        )
        self.out, self.scale = linear(w, "pre_encode.out"), float(w.input_scale)
        self.layers = nn.ModuleList(Layer(w, i, left, right + 1) for i in range(w.layers))
        self.head = pointwise(w, "ctc_decoder.decoder_layers.0")

    def start(self, batch):
        """Clears the state for this number of streams."""
        for layer in self.layers:
            layer.attention.start(batch)
            layer.convolution.start(batch)

    def subsample(self, x):
        pad = lambda y: F.pad(y, (2, 1, 2, 1))
        x = F.relu(self.convs[0](pad(x)))
        x = F.relu(self.convs[2](self.convs[1](pad(x))))
        x = F.relu(self.convs[4](self.convs[3](pad(x))))
        return self.out(x[:, :, 2:].transpose(1, 2).flatten(2)) * self.scale

    def best(self, x):
        scores, ids = torch.log_softmax(self.head(x).float(), -1).max(-1)
        return ids.int(), scores

    def compile(self):
        """Compiles the parts. All layers share one compiled function, which keeps the compilation short."""
        self.subsample, self.best = torch.compile(self.subsample), torch.compile(self.best)
        for layer in self.layers:
            layer.compile()

    def forward(self, features):
        x = self.subsample(features)
        for layer in self.layers:
            x = layer(x)
        return self.best(x)
