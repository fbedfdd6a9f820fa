"""The convolutions before the encoder, for windows of a fixed length. The operator Where applies the masks.

The convolutions are computed in 32 bits, because the 16-bit kernels of cuDNN sometimes compute sums in 16 bits too. On
an H200, the transcripts of 320 recordings were compared with those of a graph that computes everything in 32 bits. With
convolutions in 16 bits, 22 transcripts differed. With convolutions in 32 bits, 15 differed.
"""

import numpy as np

F32 = np.float32


def subsample(g, w, x, end, window):
    """x [B, 1, window, mels], end [B, 1] frames with audio -> [C * B, width], and the lengths [B, 1] of the output.

    Frames past the end must be zero before each convolution. The features of these frames are already zero. The first
    two frames of the last convolution belong to the past and are cut off.
    """
    two, one = g.constant([2], np.int32), g.constant([1], np.int32)
    halve = lambda length: g.op("Add", g.op("Div", length, two), one)
    lengths, steps = [halve(end)], [window // 2 + 1]
    for _ in range(2):
        lengths.append(halve(lengths[-1]))
        steps.append(steps[-1] // 2 + 1)
    x = g.op("Relu", conv(g, w, x, 0, stride=2))
    x = cut(g, x, lengths[0], steps[0])
    x = g.op("Relu", conv(g, w, conv(g, w, x, 2, stride=2, depthwise=True), 3))
    x = cut(g, x, lengths[1], steps[1])
    x = g.op("Relu", conv(g, w, conv(g, w, x, 5, stride=2, depthwise=True), 6))
    x = g.op("Slice", x, g.ints(2), g.ints(steps[2]), g.ints(2))

    matrix, scale = w["pre_encode.out.weight"], w.input_scale
    x = g.op("Reshape", g.op("Transpose", x, perm=[2, 0, 1, 3]), g.ints(-1, matrix.shape[0]))
    x = g.op("Cast", x, to=g.dtype) if g.precision != F32 else x
    x = g.affine(x, "pre_encode.out", matrix * scale, w["pre_encode.out.bias"] * scale)
    return x, g.op("Max", g.op("Sub", lengths[2], two), g.constant([0], np.int32))


def conv(g, w, x, number, stride=1, depthwise=False):
    name = f"pre_encode.conv.{number}"
    weight = w[f"{name}.weight"]
    size = weight.shape[2]
    return g.op(
        "Conv", x, g.constant(weight, F32, f"{name}.weight"), g.constant(w[f"{name}.bias"], F32, f"{name}.bias"),
        kernel_shape=[size, size], strides=[stride, stride], pads=[2, 2, 1, 1] if size == 3 else [0, 0, 0, 0],
        group=weight.shape[0] if depthwise else 1,
    )


def cut(g, x, length, steps):
    """Returns x [B, channels, steps, mels] with zeros in all steps from `length` on."""
    inside = g.op("Less", g.counted(1, 1, steps, 1), g.op("Reshape", length, g.ints(-1, 1, 1, 1)))
    return g.op("Where", inside, x, g.constant(0, F32))
