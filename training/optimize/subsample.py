"""The causal convolutions before the encoder. Three strides of two reduce the frames by a factor of 8."""

import numpy as np
from onnx import TensorProto

# Weight of a mask. It moves masked frames far below any output of a convolution, so that ReLU returns exactly zero.
HIDDEN = -1e6
# Number of channels that the convolutions of ONNX Runtime compute together on CPUs with AVX-512.
BLOCK = 16


def halved(g, length):
    """Returns the number of frames after one stride of two over a causal convolution: n // 2 + 1."""
    return g.op("Add", g.op("Div", length, g.ints(2)), g.ints(1))


def subsample(g, w, audio, length):
    """audio [B, mels, T], length [B] -> frames [B * T', width] without the two frames of history, and lengths [B].

    Frames past the length must be zero before each convolution. Multiplying the large feature maps by a mask would need
    a separate pass over them. The masks are therefore additional channels whose weights drive masked frames below zero,
    where ReLU returns zero. The mask of the second feature map passes through the first convolutions in a separate
    channel.
    """
    d = w.width
    x = g.op("Unsqueeze", g.op("Transpose", audio, perm=[0, 2, 1]), g.ints(1))  # [B, 1, T, mels]
    n1 = halved(g, length)
    n2 = halved(g, n1)
    n3 = halved(g, n2)

    steps = g.op("Shape", audio, start=2, end=3)
    past = beyond(g, g.op("Mul", n1, g.ints(2)), steps)
    mask = g.op("Expand", past, g.op("Shape", x))
    x = g.op("Concat", x, mask, axis=1)
    x = g.op("Relu", conv(g, x, *first_map(w)))
    x = conv(g, x, *second_map(w), depthwise=True)
    x = g.op("Relu", pointwise(g, x, *hidden_past_length(w)))

    x = conv(g, x, w["pre_encode.conv.5.weight"], w["pre_encode.conv.5.bias"], depthwise=True)
    x = g.op("Relu", pointwise(g, x, w["pre_encode.conv.6.weight"], w["pre_encode.conv.6.bias"]))

    x = g.op("Transpose", x, perm=[0, 2, 3, 1])  # [B, T', mels / 8, channels]
    x = g.op("Slice", x, g.ints(2), g.ints(1 << 30), g.ints(1))
    matrix, bias = w["pre_encode.out.weight"], w["pre_encode.out.bias"]
    channels = w["pre_encode.conv.6.bias"].shape[0]
    matrix = matrix.reshape(channels, -1, d).transpose(1, 0, 2).reshape(-1, d)
    scale = w.input_scale
    x = g.op("Reshape", x, g.ints(-1, matrix.shape[0]))
    x = g.linear(x, matrix * scale, bias * scale)
    lengths = g.op("Max", g.op("Sub", n3, g.ints(2)), g.ints(0))
    return x, lengths


def padded(array, axis=0):
    """Appends weights of zero for a block of channels. The mask uses only the first of these channels. The runtime
    computes whole blocks, so the other channels cost nothing.
    """
    shape = list(array.shape)
    shape[axis] = BLOCK
    return np.concatenate([array, np.zeros(shape)], axis)


def first_map(w):
    """Returns weights and bias of the first convolution over features and mask. An additional output channel contains
    the mask itself.
    """
    first, bias = w["pre_encode.conv.0.weight"], w["pre_encode.conv.0.bias"]
    hide = np.zeros_like(first)
    hide[:, :, 2, :] = HIDDEN # weights for the newest frame. At the edges of the mels, one of them is in the padding
    weight = padded(np.concatenate([first, hide], 1))
    weight[len(first), 1, 2, :] = 1
    return weight, padded(bias)


def second_map(w):
    """Returns weights and bias of the depthwise convolution. In the mask channel, a frame is positive if it is past the
    length n2.
    """
    weight, bias = w["pre_encode.conv.2.weight"], w["pre_encode.conv.2.bias"]
    channels = len(weight)
    weight = padded(weight)
    weight[channels, 0, 1, :] = 1 # frame t reads frame 2 t - 1, which is masked from n1 on: t >= n1 // 2 + 1 = n2
    return weight, padded(bias)


def hidden_past_length(w):
    """Returns weights and bias of the pointwise convolution. The mask drives its output below zero in frames past the
    length.
    """
    weight = padded(w["pre_encode.conv.3.weight"], 1)
    weight[:, len(w["pre_encode.conv.2.weight"])] = HIDDEN
    return weight, w["pre_encode.conv.3.bias"]


def conv(g, x, weight, bias, depthwise=False):
    return g.op(
        "Conv", x, g.constant(weight), g.constant(bias),
        kernel_shape=[3, 3], strides=[2, 2], pads=[2, 2, 1, 1], group=weight.shape[0] if depthwise else 1,
    )


def pointwise(g, x, weight, bias):
    return g.op("Conv", x, g.constant(weight), g.constant(bias), kernel_shape=[1, 1])


def positions(g, steps):
    zero, one = g.constant(0, np.int64), g.constant(1, np.int64)
    return g.op("Range", zero, g.op("Squeeze", steps, g.ints(0)), one)


def beyond(g, length, steps):
    """Returns [B, 1, steps, 1] with 1.0 in the frames at and past the length, and 0.0 in the frames before it."""
    column = g.op("Unsqueeze", length, g.ints(1))
    late = g.op("Not", g.op("Less", positions(g, steps), column))
    return g.op("Unsqueeze", g.op("Cast", late, to=TensorProto.FLOAT), g.ints(1, 3))
