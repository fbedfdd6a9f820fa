"""Reads model_config.yaml of NeMo. Fields named _target_ contain names of classes. They are compared as text and never
imported, so that no code of a model runs.
"""

from dataclasses import dataclass

from importing.source import MOST_FRAMES, Unsupported

FILTERS = {"features": (80, 128)}
# Fields of the configuration, each with NeMo's default and the values that the import supports. Other values would need
# a different graph or different features.
PREPROCESSOR = {
    "sample_rate": (16000, [16000]), "window_size": (0.02, [0.025]), "window_stride": (0.01, [0.01]),
    "window": ("hann", ["hann"]), "n_fft": (512, [512]), "normalize": ("per_feature", ["NA", "none", None]),
    "preemph": (0.97, [0.97]), "lowfreq": (0, [0]), "highfreq": (None, [None, 8000]), "log": (True, [True]),
    "log_zero_guard_type": ("add", ["add"]), "log_zero_guard_value": (2**-24, [2**-24]), "mag_power": (2.0, [2.0]),
    "frame_splicing": (1, [1]), "mel_norm": ("slaney", ["slaney"]), "exact_pad": (False, [False]),
}
ENCODER = {
    "subsampling": ("striding", ["dw_striding"]), "subsampling_factor": (4, [8]), "causal_downsampling": (False, [True]),
    "self_attention_model": ("rel_pos", ["rel_pos"]), "att_context_style": ("regular", ["chunked_limited"]),
    "conv_norm_type": ("batch_norm", ["layer_norm"]), "feat_out": (-1, [-1]), "reduction": (None, [None]),
    "global_tokens": (0, [0]),
}
PREDICTOR = {
    "blank_as_pad": (True, [True]), "normalization_mode": (None, [None]), "prednet.t_max": (None, [None]),
}
JOINT = {"jointnet.activation": ("relu", ["relu"]), "num_extra_outputs": (0, [0])}


@dataclass
class Settings:
    """Sizes of a model, as the configuration gives them."""

    mels: int
    layers: int
    width: int
    heads: int
    channels: int
    kernel: int
    expansion: int
    bias: bool
    scaled: bool  # frames are multiplied by the square root of the width
    contexts: list
    hidden: int = 0  # width of the predictor. 0 for CTC
    predictor_layers: int = 0
    joint_hidden: int = 0
    joint_dropout: bool = True  # the joint network has a dropout before its last layer

    @property
    def left(self):
        return self.contexts[0][0]


def class_of(part):
    return str(part.get("_target_", "")).rsplit(".", 1)[-1]


def lookup(part, name, default):
    for key in name.split("."):
        part = part.get(key) if isinstance(part, dict) else None
    return default if part is None else part


def differences(label, part, rules):
    """Returns one sentence for each field whose value is not supported."""
    found = []
    for name, (default, allowed) in rules.items():
        value = lookup(part, name, default)
        close = any(value == one or (isinstance(one, float) and _near(value, one)) for one in allowed)
        if not close:
            wanted = " or ".join(str(one) for one in allowed if one is not None) or "not set"
            found.append(f"{label}.{name} is {value}, supported is {wanted}")
    return found


def _near(value, one):
    return isinstance(value, (int, float)) and abs(value - one) < 1e-9 + 1e-6 * abs(one)


def read_settings(config, transducer):
    """Returns the sizes. Raises Unsupported if a section is missing, or a field is missing or not supported."""
    section = lambda name: config.get(name) if isinstance(config.get(name), dict) else None
    missing = [name for name in ("preprocessor", "encoder", *(["decoder", "joint"] if transducer else [])) if not section(name)]
    if missing:
        raise Unsupported(f"model_config.yaml has no section {' and no section '.join(missing)}")
    encoder, preprocessor = section("encoder"), section("preprocessor")
    if class_of(encoder) != "ConformerEncoder":
        raise Unsupported(
            f"the encoder is a {class_of(encoder) or 'module without a _target_'}, "
            "but only a ConformerEncoder (FastConformer) is supported"
        )
    problems = [
        *differences("preprocessor", preprocessor, PREPROCESSOR), *differences("encoder", encoder, ENCODER),
        *_convolution(encoder),
    ]
    mels = lookup(encoder, "feat_in", 0)
    if mels not in FILTERS["features"] or lookup(preprocessor, "features", 64) != mels:
        problems.append(f"preprocessor.features and encoder.feat_in are {lookup(preprocessor, 'features', 64)} and {mels}, "
                        "supported is 80 or 128 for both")
    contexts, wrong = _contexts(encoder)
    problems += wrong
    if transducer:
        problems += _transducer(section("decoder"), section("joint"), config)
    numbers = {name: lookup(encoder, name, default) for name, default in (
        ("n_layers", 0), ("d_model", 0), ("n_heads", 4), ("subsampling_conv_channels", -1), ("conv_kernel_size", 31),
        ("ff_expansion_factor", 4),
    )}
    problems += [f"encoder.{name} is {value}, which is not a size" for name, value in numbers.items() if not _is_size(value, name)]
    if problems:
        raise Unsupported(
            "the model is not supported: " + "; ".join(problems)
            + ". Only cache-aware streaming FastConformer models can be imported"
        )
    width = numbers["d_model"]
    channels = numbers["subsampling_conv_channels"]
    return Settings(
        mels=mels, layers=numbers["n_layers"], width=width, heads=numbers["n_heads"],
        channels=width if channels == -1 else channels, kernel=numbers["conv_kernel_size"],
        expansion=numbers["ff_expansion_factor"], bias=lookup(encoder, "use_bias", True),
        scaled=lookup(encoder, "xscaling", True), contexts=contexts,
        **(_predictor(section("decoder"), section("joint")) if transducer else {}),
    )


def _is_size(value, name):
    return isinstance(value, int) and (value > 0 or (value == -1 and name == "subsampling_conv_channels"))


def _convolution(encoder):
    size, context = lookup(encoder, "conv_kernel_size", 31), lookup(encoder, "conv_context_size", None)
    if context == "causal" or (isinstance(size, int) and context == [size - 1, 0]):
        return []
    return [f"encoder.conv_context_size is {context}, supported is causal. A convolution that sees later frames cannot be streamed"]


def _contexts(encoder):
    """Returns two lists: the usable contexts, and the problems. The first context of a model is its default. Only
    contexts with the same left context as the default are usable.
    """
    given = lookup(encoder, "att_context_size", None)
    given = [given] if isinstance(given, list) and given and isinstance(given[0], int) else given
    pairs = isinstance(given, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(n, int) for n in pair) for pair in given
    )
    if not pairs or not given:
        return [], [f"encoder.att_context_size is {given}, supported is [LEFT, RIGHT] or a list of such pairs"]
    wrong = [pair for pair in given if pair[0] <= 0 or pair[1] < 0 or pair[0] % (pair[1] + 1) != 0]
    if wrong:
        return [], [f"encoder.att_context_size has {wrong[0]}, but LEFT must be a multiple of RIGHT + 1"]
    if longest := [pair for pair in given if sum(pair) >= MOST_FRAMES]:
        return [], [f"encoder.att_context_size has {longest[0]}, supported are less than {MOST_FRAMES:,} frames together"]
    return [pair for pair in given if pair[0] == given[0][0]], []


def _transducer(decoder, joint, config):
    found = differences("decoder", decoder, PREDICTOR) + differences("joint", joint, JOINT)
    if class_of(decoder) not in ("RNNTDecoder", ""):
        found.append(f"the decoder is a {class_of(decoder)}, supported is RNNTDecoder")
    if class_of(joint) not in ("RNNTJoint", ""):
        found.append(f"the joint network is a {class_of(joint)}, supported is RNNTJoint")
    loss = lookup(config, "loss.loss_name", "default")
    if "tdt" in str(loss) or lookup(config, "model_defaults.tdt_durations", None):
        found.append("the transducer predicts durations (TDT), supported is a plain transducer")
    return found


def _predictor(decoder, joint):
    return {
        "hidden": lookup(decoder, "prednet.pred_hidden", 0), "predictor_layers": lookup(decoder, "prednet.pred_rnn_layers", 1),
        "joint_hidden": lookup(joint, "jointnet.joint_hidden", 0),
        "joint_dropout": bool(lookup(joint, "jointnet.dropout", 0)),
    }
