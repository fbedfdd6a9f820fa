"""compare_gpu.py MODEL_FOLDER [EXPORT]: compares GPU graphs with the CPU graph over the evaluation recordings.

With an export, the CPU graph is built from it in 32 bits, and the GPU graphs in 32 and 16 bits. GPU graphs in 32 bits
differ from the CPU graph only in structure. Without an export, the graphs of the folder are compared. Each recording is
recognized three times: whole, and cut off at two places. A batch contains several streams, each at a different window.
Values in the arenas that no stream may read are NaN, except for the output of padding. So a wrong read is detected.
"""

import pathlib
import sys
import tempfile

import numpy as np

from compare import STATES, session
from contexts import CONTEXTS
from encoder import build
from gpu import write
from gpu_runner import Runner, Stream
from stream_features import read_wav, windows
from weights import read_weights

NEXT = ["cache_last_channel_next", "cache_last_time_next", "cache_last_channel_next_len"]
BATCH, SLOTS = 6, 5
CUTS = [0.31, 0.77]


def encode(cpu, pcm, right, prompt=None):
    """Returns the log-probabilities of each frame for a CTC model, or the encoded frames for a transducer."""
    output = cpu.get_outputs()[0].name
    about = cpu.get_modelmeta().custom_metadata_map
    dims = lambda name: [1, *[int(about[f"{name}_dim{i}"]) for i in (1, 2, 3)]]
    state = [np.zeros(dims(name), np.float32) for name in STATES[:2]] + [np.zeros(1, np.int64)]
    given = {} if prompt is None else {"prompt_index": np.array([prompt])}
    frames = []
    for window, length in windows(pcm, right, int(about["feat_dim"])):
        feeds = {"audio_signal": window[None], "length": np.array([length]), **dict(zip(STATES, state)), **given}
        rows, count, *state = cpu.run([output, "encoded_lengths", *NEXT], feeds)
        rows = rows[0] if output == "logprobs" else rows[0].T
        frames.extend(rows[: count[0]])
    return np.array(frames)


def reference(cpu, pcm, right):
    """Returns the best class of each frame according to the CPU graph, and its log-probability."""
    frames = encode(cpu, pcm, right)
    return frames.argmax(-1), frames.max(-1)


def through_gpu(path, utterances, right, prompts=None):
    """Runs all utterances with a few slots. Each batch has randomly chosen streams and at least one padding row."""
    runner = Runner(path, SLOTS, BATCH)
    waiting, active, streams = list(zip(utterances, prompts or [0] * len(utterances))), [], []
    free = list(range(SLOTS))
    while waiting or active:
        while waiting and free:
            pcm, prompt = waiting.pop(0)
            stream = Stream(pcm, right, free.pop(), prompt)
            streams.append(stream)
            active.append(stream)
        count = runner.random.integers(1, len(active) + 1)
        runner.run([active[i] for i in runner.random.permutation(len(active))[:count]])
        for stream in [s for s in active if s.done]:
            active.remove(stream)
            runner.poison(stream.slot)
            free.append(stream.slot)
    return streams


def pieces(ids, blank):
    """Returns the pieces that a greedy CTC search finds."""
    ids = np.asarray(ids)
    changed = np.concatenate([[True], ids[1:] != ids[:-1]])
    return ids[changed & (ids != blank)].tolist()


def compare(name, cpu, path, utterances, right):
    worst, frames, different, transcripts = 0.0, 0, 0, []
    blank = int(cpu.get_modelmeta().custom_metadata_map["vocab_size"])
    for (label, pcm), stream in zip(utterances.items(), through_gpu(path, utterances.values(), right)):
        ids, scores = reference(cpu, pcm, right)
        assert len(ids) == len(stream.ids), f"{label}: {len(stream.ids)} frames instead of {len(ids)}"
        assert np.isfinite(stream.scores).all(), f"{label}: a stream has read what it must not read"
        worst = max(worst, float(np.abs(scores - np.array(stream.scores)).max(initial=0)))
        frames += len(ids)
        different += int((ids != np.array(stream.ids)).sum())
        if pieces(ids, blank) != pieces(stream.ids, blank):
            transcripts.append(label)
    print(
        f"{name}: largest difference of a score {worst:.1e}, {different} of {frames} frames with another class, "
        f"{len(transcripts)} of {len(utterances)} transcripts differ {transcripts or ''}", flush=True,
    )


def main(folder, export=None):
    folder = pathlib.Path(folder)
    utterances = {}
    for path in sorted(folder.glob("eval/*.wav")):
        pcm = read_wav(path)
        utterances[path.stem] = pcm
        utterances.update({f"{path.stem} cut at {cut}": pcm[: int(len(pcm) * cut) | 1] for cut in CUTS})
    if export is None:
        cpu = session(str(folder / "model.onnx"))
        for left, right in CONTEXTS:
            compare(f"{folder.name} [{left},{right}]", cpu, folder / "gpu" / f"{left}-{right}.onnx", utterances, right)
        return
    weights = read_weights(export)
    left, chunk = CONTEXTS[0][0], CONTEXTS[0][1] + 1
    cpu = session(build(weights, left, chunk, weights.metadata).SerializeToString())
    for precision in ("f32", "f16"):
        with tempfile.TemporaryDirectory() as scratch:
            write(pathlib.Path(scratch), weights, CONTEXTS, precision)
            for left, right in CONTEXTS:
                path = f"{scratch}/{left}-{right}.onnx"
                compare(f"{folder.name} [{left},{right}] {precision}", cpu, path, utterances, right)


if __name__ == "__main__":
    main(*sys.argv[1:])
