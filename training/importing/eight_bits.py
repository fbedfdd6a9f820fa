"""python -m importing.eight_bits FOLDER SCRATCH: quantizes the CPU graph of an imported model to 8 bits.

FOLDER and SCRATCH are the folders of `python -m importing`. The scales come from the first utterances of the manifest
that was given to the import.
"""

import argparse
import hashlib
import json
import pathlib
import sys

import numpy as np
import onnx

from importing.folder import ENCODER
from importing.paths import products, quantize, record
from importing.source import Unsupported, status_of
from prepare.audio import RATE

LEAST_S, MOST_S = 10, 60  # speech of the manifest that determines the scales, in seconds
SHORTEST_S = 0.5  # shorter utterances are left out


def choose_speech(utterances):
    """Returns the first MOST_S seconds of the utterances. The last one is cut off."""
    chosen, left = [], MOST_S * RATE
    for pcm in utterances:
        if SHORTEST_S * RATE <= min(len(pcm), left):
            chosen.append(pcm[:left])
            left -= len(chosen[-1])
    seconds = sum(map(len, chosen)) / RATE
    if seconds < LEAST_S:
        rounded_down = int(seconds * 10) / 10
        raise Unsupported(
            f"--bits 8 needs at least {LEAST_S} s of speech in the manifest, which has {rounded_down} s. "
            "Add recordings, or import with 32 bits"
        )
    return chosen


def read_samples(scratch, facts):
    """Returns the samples of the utterances in the manifest. They are at the end of audio.pcm."""
    parts = np.split(np.fromfile(scratch / "audio.pcm", np.int16), np.cumsum(facts["samples"])[:-1])
    return parts[len(parts) - len(facts["texts"]) :]


def quantize_folder(folder, scratch):
    facts = json.loads((scratch / "import.json").read_text(encoding="utf-8"))
    speech = choose_speech(read_samples(scratch, facts))
    path = folder / ENCODER[facts["type"] == "transducer"]
    model, longest = onnx.load(path), max(right for _, right in facts["contexts"])
    quantize(model, record(model, list(products(model)), speech, longest, facts.get("prompt")))
    onnx.checker.check_model(model)
    onnx.save(model, path)
    write_checksum(folder / "manifest.json", path)


def write_checksum(path, encoder):
    """Writes the new checksum of the encoder, which all contexts share, to the manifest."""
    manifest = json.loads(path.read_text(encoding="utf-8"))
    for context in manifest["contexts"]:
        context["encoder"]["sha256"] = hashlib.sha256(encoder.read_bytes()).hexdigest()
    path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m importing.eight_bits", description=__doc__)
    for name in ("folder", "scratch"):
        parser.add_argument(name, type=pathlib.Path)
    options = parser.parse_args(arguments)
    return status_of(quantize_folder, options.folder, options.scratch)


if __name__ == "__main__":
    sys.exit(main())
