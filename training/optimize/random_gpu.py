"""random_gpu.py OUT_FOLDER [--layers 24] [--width 1024] ...: builds a model folder with random GPU graphs for benchmarks.

The graphs have the same structure as the graphs that gpu.py builds from an export of the same size. The same options
always give the same weights. The folder has no graphs for a CPU, so only a worker with a GPU can run the model.
"""

import argparse
import pathlib
import zlib

import numpy as np

import manifest
from gpu import arguments, write
from joint_weights import JointWeights
from weights import Weights

KERNEL = 9


class RandomWeights(Weights):
    """Generates a parameter each time it is read. Storing all parameters in 64 bits would need too much memory."""

    def __init__(self, options):
        super().__init__({}, {"feat_dim": str(options.mels), "vocab_size": str(options.vocabulary)})
        self.options = options

    layers = property(lambda self: self.options.layers)
    width = property(lambda self: self.options.width)
    heads = property(lambda self: self.options.heads)
    conv_context = property(lambda self: KERNEL - 1)
    ctc = property(lambda self: not self.options.transducer)

    def __getitem__(self, name):
        random = np.random.default_rng([self.options.seed, zlib.crc32(name.encode())])
        shape = self.shape(name)
        values = random.standard_normal(shape, np.float32)
        if len(shape) == 1:
            return values * 0.1 + 1 if "norm" in name and name.endswith("weight") else np.zeros(shape)
        # Matrices have the shape [in, out], and kernels have the shape [out, in, ...].
        inputs = 0 if len(shape) == 2 else tuple(range(1, len(shape)))
        # The mean over the inputs is removed, so that an offset that all inputs share has no effect. The output then
        # depends on the audio and not only on the weights.
        values -= values.mean(inputs, keepdims=True)
        return values / np.sqrt(values.size / values.shape[1 if inputs == 0 else 0])

    def shape(self, name):
        o = self.options
        d, channels = o.width, o.channels
        bands = o.mels
        for _ in range(3):
            bands = bands // 2 + 1
        part = name.split(".", 2)[2] if name.startswith("layers.") else name
        if "norm" in part:
            return (d,)
        return {
            "pre_encode.out.weight": (channels * bands, d),
            "pre_encode.out.bias": (d,),
            "pre_encode.conv.0.weight": (channels, 1, 3, 3),
            "pre_encode.conv.2.weight": (channels, 1, 3, 3),
            "pre_encode.conv.5.weight": (channels, 1, 3, 3),
            "pre_encode.conv.3.weight": (channels, channels, 1, 1),
            "pre_encode.conv.6.weight": (channels, channels, 1, 1),
            "feed_forward1.linear1.weight": (d, 4 * d),
            "feed_forward2.linear1.weight": (d, 4 * d),
            "feed_forward1.linear1.bias": (4 * d,),
            "feed_forward2.linear1.bias": (4 * d,),
            "feed_forward1.linear2.weight": (4 * d, d),
            "feed_forward2.linear2.weight": (4 * d, d),
            "self_attn.pos_bias_u": (o.heads, d // o.heads),
            "self_attn.pos_bias_v": (o.heads, d // o.heads),
            "conv.pointwise_conv1.weight": (2 * d, d, 1),
            "conv.pointwise_conv1.bias": (2 * d,),
            "conv.depthwise_conv.weight": (d, 1, KERNEL),
            "conv.pointwise_conv2.weight": (d, d, 1),
            "ctc_decoder.decoder_layers.0.weight": (o.vocabulary + 1, d, 1),
            "ctc_decoder.decoder_layers.0.bias": (o.vocabulary + 1,),
        }.get(part) or self.usual(part)

    def usual(self, part):
        d, channels = self.options.width, self.options.channels
        if part.startswith("pre_encode.conv."):
            return (channels,)
        return (d,) if part.endswith("bias") else (d, d)


def random_joint(options):
    """Returns random weights of predictor and joint. The bias of the blank decides how often a frame produces a piece.

    The scales of the matrices are chosen so that a new piece changes the scores as much as a new frame does. Otherwise
    a frame that produces one piece would produce the maximum number of pieces. With a bias of 2.8, speech has about one
    piece for every three frames.
    """
    random = np.random.default_rng([options.seed, 0])
    hidden, classes = options.hidden, options.vocabulary + 1

    def matrix(rows, columns, scale=1.0):
        values = random.standard_normal((rows, columns), np.float32)
        return (values - values.mean(0)) * (scale / np.sqrt(rows))

    def layer(number):
        return matrix(hidden, 4 * hidden, 4.0 if number > 0 else 1.0), matrix(hidden, 4 * hidden), np.zeros(4 * hidden)

    bias = np.zeros(classes)
    bias[-1] = options.blank_bias
    return JointWeights(
        random.standard_normal((classes, hidden), np.float32), [layer(i) for i in range(options.predictor_layers)],
        (matrix(options.width, hidden), np.zeros(hidden)), (matrix(hidden, hidden, 8.0), np.zeros(hidden)),
        (matrix(hidden, classes, 0.66), bias),
    )


def size_arguments(parser):
    for name, value in (
        ("layers", 24), ("width", 1024), ("heads", 8), ("mels", 80), ("vocabulary", 1024), ("channels", 256), ("seed", 1),
        ("hidden", 640), ("predictor-layers", 2),
    ):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--transducer", action="store_true", help="builds predictor and joint instead of a CTC head")
    parser.add_argument("--blank-bias", type=float, default=0.0, help="raises the score of the blank of a transducer")
    arguments(parser)


def write_folder(options):
    """Writes tokens.txt and the manifest. The manifest also names GPU graphs in the required fields for CPU graphs,
    because the folder has no CPU graphs.
    """
    pieces = [f"\u2581w{i} {i}" for i in range(options.vocabulary)] + [f"<blk> {options.vocabulary}"]
    (options.folder / "tokens.txt").write_text("\n".join(pieces) + "\n")
    joint = {"decoderJoint": manifest.GPU_JOINT} if options.transducer else {}
    manifest.write(options.folder, options.folder.name, "None", "xx", options.contexts, manifest.gpu_graph, joint)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    size_arguments(parser)
    options = parser.parse_args()
    joint = random_joint(options) if options.transducer else None
    weights = RandomWeights(options)
    print(write(options.folder / "gpu", weights, options.contexts, options.precision, joint, options.steps))
    write_folder(options)


if __name__ == "__main__":
    main()
