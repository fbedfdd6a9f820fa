"""Records the inputs of matrix products while a model recognizes recordings."""

import copy

import numpy as np
from onnx import TensorProto, helper

from compare import STATES, session
from stream_features import windows

# Gains of the recordings, each with the level of added noise relative to the recording. A stream may be much quieter or
# louder than the recordings are.
VARIANTS = [(1.0, 0.0), (0.1, 0.0), (2.0, 0.2)]
NEXT = [STATES[0] + "_next", STATES[1] + "_next", "cache_last_channel_next_len"]


def variants(recordings):
    """Yields each recording once for each entry of VARIANTS."""
    random = np.random.default_rng(7)
    for pcm in recordings:
        for gain, noise in VARIANTS:
            x = pcm * gain + random.standard_normal(len(pcm)) * pcm.std() * noise
            yield np.clip(np.round(x), -32768, 32767)


def record(model, names, recordings, right, prompt=None):
    """Returns the rows [frames, values] of each named tensor, over all frames that contain audio. All recordings are
    recognized with the same language prompt.
    """
    probe = copy.deepcopy(model)
    probe.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    runtime = session(probe.SerializeToString())
    about = runtime.get_modelmeta().custom_metadata_map
    dims = lambda name: [1, *[int(about[f"{name}_dim{i}"]) for i in (1, 2, 3)]]
    given = {} if prompt is None else {"prompt_index": np.array([prompt])}
    rows = {name: [] for name in names}
    for pcm in variants(recordings):
        state = [np.zeros(dims(name), np.float32) for name in STATES[:2]] + [np.zeros(1, np.int64)]
        for window, length in windows(pcm, right, int(about["feat_dim"])):
            feeds = {"audio_signal": window[None], "length": np.array([length]), **dict(zip(STATES, state)), **given}
            count, *rest = runtime.run(["encoded_lengths", *NEXT, *names], feeds)
            state = rest[: len(NEXT)]
            for name, values in zip(names, rest[len(NEXT) :]):
                rows[name].append(values.reshape(right + 1, -1)[: count[0]])
    return {name: np.concatenate(rows.pop(name)) for name in names}
