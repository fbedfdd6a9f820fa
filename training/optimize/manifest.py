"""manifest.py FOLDER ID LANGUAGE CODE: writes manifest.json for a folder with model.onnx and tokens.txt.

GPU graphs are listed if the folder has them. gpu.py writes them.
"""

import hashlib
import json
import pathlib
import sys

from contexts import CONTEXTS


def main(folder, model, language, code):
    folder = pathlib.Path(folder)
    ref = lambda name: {"file": name, "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest()}
    weights = "gpu/weights.bin"
    with_gpu = (folder / weights).exists()
    entry = lambda left, right: {
        "context": [left, right],
        "encoder": ref("model.onnx"),
        **({"gpu": ref(f"gpu/{left}-{right}.onnx")} if with_gpu else {}),
    }
    manifest = {
        "format": 1,
        "id": model,
        "language": language,
        "languageCode": code,
        "type": "ctc",
        "tokens": ref("tokens.txt"),
        "contexts": [entry(*context) for context in CONTEXTS],
        **({"weights": [ref(weights)]} if with_gpu else {}),
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
