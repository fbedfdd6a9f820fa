"""python -m importing SOURCE OUT SCRATCH: turns a .nemo file or an ONNX export into a model folder.

`npm run models -- import` runs this module and then checks the folder with the engine of the worker. SCRATCH receives
import.json with facts about the model, and with the pieces that the model recognizes in the recordings. SCRATCH also
receives audio.pcm with the samples of the recordings and of the utterances in the manifest.
"""

import argparse
import json
import pathlib
import sys

import numpy as np

from importing.eight_bits import choose_speech
from importing.folder import write_folder
from importing.nemo_file import read_nemo
from importing.onnx_file import read_onnx
from importing.parity import compare
from importing.source import Unsupported, status_of
from prepare.audio import read_wav
from train.data import Audio, read_manifest

CUTS = [1.0, 0.31]  # each recording is recognized twice: whole, and cut off after 31 % of its samples
MOST_HOURS = 16  # of speech in a manifest. Their samples must fit into one file of less than 2 GiB
CHECKED = 4  # utterances of a manifest for which the graphs are compared with the original model


def read_source(options, scratch):
    path = options.source
    if not path.exists():
        raise Unsupported(f"{path} does not exist")
    chosen = {"head": options.head, "language": options.code, "prompt": options.prompt}
    if path.is_dir() or path.suffix == ".onnx":
        return read_onnx(path, scratch, **chosen, context=options.context)
    if options.context is not None:
        raise Unsupported("--context is only for ONNX exports, because a .nemo file has its contexts")
    return read_nemo(path, scratch, **chosen)


def read_recordings(paths):
    return [pcm[: int(len(pcm) * cut)] for path in paths for pcm in [read_wav(path)] for cut in CUTS]


def read_utterances(path):
    """Returns the samples and the texts of the utterances in a manifest."""
    if path is None:
        return [], []
    try:
        entries, audio = read_manifest(path), Audio()
        if (hours := sum(entry["duration"] for entry in entries) / 3600) > MOST_HOURS:
            raise Unsupported(f"the manifest {path} has {hours:.1f} hours of speech. Use at most {MOST_HOURS}")
        samples, texts = [audio.read(entry) for entry in entries], [entry["text"] for entry in entries]
    except UnicodeDecodeError as error:
        raise Unsupported(f"the manifest {path} is not UTF-8 text") from error
    except OSError as error:
        raise Unsupported(f"the manifest {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise Unsupported(f"the manifest cannot be used: {error}") from error
    if not entries:
        raise Unsupported(f"the manifest {path} has no recordings")
    if not any(text.split() for text in texts):
        raise Unsupported(f"the manifest {path} has no words, so word errors cannot be counted. Add the text of each recording")
    return samples, texts


def write_facts(scratch, source, precision, parity, samples, texts):
    """Writes import.json and audio.pcm. In `samples`, the audio for the comparison with the original model comes first.
    All utterances of the manifest follow.
    """
    with open(scratch / "audio.pcm", "wb") as out:
        for pcm in samples:
            out.write(np.ascontiguousarray(pcm, np.int16).tobytes())
    facts = {
        "type": "transducer" if source.joint is not None else "ctc", "contexts": source.contexts,
        "layers": source.weights.layers, "width": source.weights.width, "mels": source.weights.mels,
        "pieces": len(source.pieces), "gpuPrecision": precision, "notes": source.notes,
        "parity": parity, "samples": [len(pcm) for pcm in samples], "texts": texts,
        **({} if source.prompt is None else {"prompt": source.prompt}),
    }
    (scratch / "import.json").write_text(json.dumps(facts), encoding="utf-8")


def run(options):
    scratch = options.scratch
    texts_of = read_utterances(options.manifest)
    if options.bits == 8:
        choose_speech(texts_of[0])  # refuses a manifest with too little speech, before the import takes its time
    source = read_source(options, scratch)
    precision = write_folder(source, options.out, options.id, options.language, options.code)
    recordings = [*read_recordings(options.recordings), *texts_of[0][:CHECKED]]
    parity = compare(source, options.out, recordings, scratch)
    write_facts(scratch, source, precision, parity, [*recordings, *texts_of[0]], texts_of[1])


def context(text):
    parts = text.split(",")
    if len(parts) != 2 or not all(part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"{text} is not a context. Write LEFT,RIGHT, for example 70,13")
    return [int(part) for part in parts]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m importing", description=__doc__)
    for name in ("source", "out", "scratch"):
        parser.add_argument(name, type=pathlib.Path)
    for name in ("id", "language", "code"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--manifest", type=pathlib.Path)
    parser.add_argument("--bits", type=int, choices=[8, 32], default=32, help="8: importing.eight_bits will follow")
    parser.add_argument("--head", choices=["ctc", "transducer"])
    parser.add_argument("--prompt", type=int)
    parser.add_argument("--context", type=context)
    parser.add_argument("--recordings", type=pathlib.Path, nargs="+", required=True)
    return status_of(run, parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
