"""manifest.py FOLDER ID LANGUAGE CODE: writes manifest.json for a folder with model.onnx and tokens.txt."""

import hashlib
import json
import pathlib
import sys

from optimize import CONTEXTS


def main(folder, model, language, code):
    folder = pathlib.Path(folder)
    ref = lambda name: {"file": name, "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest()}
    manifest = {
        "format": 1,
        "id": model,
        "language": language,
        "languageCode": code,
        "type": "ctc",
        "tokens": ref("tokens.txt"),
        "contexts": [{"context": context, "encoder": ref("model.onnx")} for context in CONTEXTS],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
