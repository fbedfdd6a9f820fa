"""`python -m evaluate MODEL MANIFEST...` prints word and character errors by family of voices.

It transcribes clean recordings. With --noise, it also transcribes the same recordings with added noise. MODEL is a
checkpoint (.pt), which transcribes whole utterances, or a graph (.onnx), which transcribes window by window as the
worker does. Without MODEL, --transcripts names a file with existing transcripts, for example from the service. Each
line of this file is a JSON object with text, pred_text and family.
"""

import argparse
import json
import pathlib
import sys

import numpy as np
import torch

from evaluate.errors import report, score_by
from evaluate.recognizers import Graph, Network
from model.features import RATE
from train.data import Audio, read_manifest


def with_noise(pcm, ratio, number):
    """Returns samples with pink noise added. `ratio` is the signal-to-noise ratio in dB. The number of an utterance is
    the seed, so the utterance gets the same noise in each evaluation.
    """
    random = np.random.default_rng([7, number])
    spectrum = np.fft.rfft(random.standard_normal(len(pcm)))
    noise = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.fft.rfftfreq(len(pcm), 1 / RATE), 20)), len(pcm))
    clean = pcm.astype(np.float64)
    gain = np.sqrt((clean**2).mean() / max((noise**2).mean(), 1e-12)) * 10 ** (-ratio / 20)
    mixed = clean + gain * noise
    return np.round(mixed * min(1.0, 32767 / np.abs(mixed).max())).astype(np.int16)


def read_utterances(manifests, noise, limit):
    """Returns the entries of manifests and the samples of each entry."""
    audio, entries, samples = Audio(), [], []
    for path in manifests:
        for number, entry in enumerate(read_manifest(path)[:limit]):
            pcm = audio.read(entry)
            entries.append(entry)
            samples.append(pcm if noise is None else with_noise(pcm, noise, number))
    return entries, samples


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=pathlib.Path, nargs="?")
    parser.add_argument("manifests", type=pathlib.Path, nargs="*")
    parser.add_argument("--transcripts", type=pathlib.Path)
    parser.add_argument("--right", type=int, nargs="+", default=[13], help="look-aheads, in encoder frames")
    parser.add_argument("--noise", type=float, nargs="*", default=[], help="also with noise at these ratios in dB")
    parser.add_argument("--limit", type=int, help="utterances of each manifest")
    parser.add_argument("--by", default="family", help="field of the manifest by which errors are counted")
    parser.add_argument("--json", type=pathlib.Path, help="file for the errors")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    if options.transcripts is not None:
        lines = options.transcripts.read_text(encoding="utf-8").splitlines()
        print(report(str(options.transcripts), score_by([json.loads(line) for line in lines], options.by)))
        return
    if options.model is None or not options.manifests:
        parser.error("give MODEL and MANIFEST, or --transcripts")

    recognizer = Graph(options.model) if options.model.suffix == ".onnx" else Network(options.model, options.device)
    found = []
    for noise in [None, *options.noise]:
        entries, samples = read_utterances(options.manifests, noise, options.limit)
        for right in options.right:
            for entry, text in zip(entries, recognizer.transcribe(samples, right)):
                entry["pred_text"] = text
            scores = score_by(entries, options.by)
            title = f"right {right}, {'clean' if noise is None else f'noise at {noise:g} dB'}: word / character errors in %"
            print(report(title, scores), flush=True)
            found.append({
                "right": right, "noise": noise,
                "errors": {name: [*score.percent(), score.words] for name, score in scores.items()},
            })
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
