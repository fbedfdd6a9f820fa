"""manifest.py FOLDER ID LANGUAGE CODE [LEFT,RIGHT ...] [--prompt N]: writes manifest.json for a folder with tokens.txt.

A CTC model has model.onnx. A transducer has encoder.onnx and either decoder_joint.onnx, or decoder.onnx and
joiner.onnx. If the folder contains GPU graphs of gpu.py, the manifest lists them. --prompt selects the language prompt,
and is required if the model has prompts.
"""

import argparse
import hashlib
import json
import pathlib

from contexts import CONTEXTS

JOINT = {"decoderJoint": "decoder_joint.onnx", "decoder": "decoder.onnx", "joiner": "joiner.onnx"}
GPU_JOINT = "gpu/joint.onnx"
GPU_WEIGHTS = "gpu/weights.bin"


def gpu_graph(left, right):
    return f"gpu/{left}-{right}.onnx"


def write(folder, model, language, code, contexts, encoder, joint, prompt=None):
    """Writes the manifest. `encoder` returns the file name of a context. `joint` maps fields of the manifest to the
    predictor and joint files of a transducer.
    """
    ref = lambda name: {"file": name, "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest()}
    with_gpu = (folder / GPU_WEIGHTS).exists()
    entry = lambda left, right: {
        "context": [left, right],
        "encoder": ref(encoder(left, right)),
        **({"gpu": ref(gpu_graph(left, right))} if with_gpu else {}),
    }
    manifest = {
        "format": 1,
        "id": model,
        "language": language,
        "languageCode": code,
        "type": "transducer" if joint else "ctc",
        "tokens": ref("tokens.txt"),
        "contexts": [entry(*context) for context in contexts],
        **{field: ref(name) for field, name in joint.items()},
        **({} if prompt is None else {"promptIndex": prompt}),
        **({"gpuJoint": ref(GPU_JOINT)} if (folder / GPU_JOINT).exists() else {}),
        **({"weights": [ref(GPU_WEIGHTS)]} if with_gpu else {}),
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    for name in ("id", "language", "code"):
        parser.add_argument(name)
    pair = lambda text: [int(n) for n in text.split(",")]
    parser.add_argument("contexts", type=pair, nargs="*", default=CONTEXTS)
    parser.add_argument("--prompt", type=int)
    o = parser.parse_args()
    joint = {field: name for field, name in JOINT.items() if (o.folder / name).exists()}
    encoder = "encoder.onnx" if joint else "model.onnx"
    write(o.folder, o.id, o.language, o.code, o.contexts or CONTEXTS, lambda left, right: encoder, joint, o.prompt)


if __name__ == "__main__":
    main()
