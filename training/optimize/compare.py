"""Runs the export and the rebuilt graph on the same random streams, including a short last chunk.

If the model has language prompts, each stream gets one of the given prompts.
"""

import numpy as np
import onnxruntime

STATES = ["cache_last_channel", "cache_last_time", "cache_last_channel_len"]


def session(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def largest_difference(export, rebuilt, prompts=(), streams=4, chunks=8):
    """Returns the largest difference of a log-probability, over all frames within the lengths of the streams."""
    sessions = [session(export), session(rebuilt)]
    about = sessions[0].get_modelmeta().custom_metadata_map
    window, mels = int(about["window_size"]), int(about["feat_dim"])
    dims = lambda name: [int(about[f"{name}_dim{i}"]) for i in (1, 2, 3)]
    empty = [
        np.zeros([streams, *dims("cache_last_channel")], np.float32),
        np.zeros([streams, *dims("cache_last_time")], np.float32),
        np.zeros(streams, np.int64),
    ]
    states = [empty, empty]
    random = np.random.default_rng(1)
    prompt = {"prompt_index": random.choice(np.array(prompts), streams)} if len(prompts) > 0 else {}
    worst = 0.0
    for chunk in range(chunks):
        audio = (random.standard_normal((streams, mels, window)) * 3 - 6).astype(np.float32)
        length = np.full(streams, window, np.int64)
        if chunk == 0:
            audio[:, :, :16] = 0 # padding at the start of a stream
        if chunk == chunks - 1:
            length -= np.arange(streams) * 5 + 1
            for i, n in enumerate(length):
                audio[i, :, n:] = 0
        answers = []
        for i, s in enumerate(sessions):
            feeds = {"audio_signal": audio, "length": length, **dict(zip(STATES, states[i])), **prompt}
            fetch = ["logprobs", "encoded_lengths", *[STATES[0] + "_next", STATES[1] + "_next", "cache_last_channel_next_len"]]
            answer = s.run(fetch, feeds)
            states[i] = answer[2:]
            answers.append(answer)
        assert (answers[0][1] == answers[1][1]).all(), "encoded_lengths differ"
        for i, n in enumerate(answers[0][1]):
            if n == 0:
                continue  # a short last chunk can end before the first encoder frame
            worst = max(worst, float(np.abs(answers[0][0][i, :n] - answers[1][0][i, :n]).max()))
    return worst
