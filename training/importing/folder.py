"""Writes the model folder: graphs for CPUs and GPUs, tokens.txt and manifest.json."""

import json

import onnx

from importing.paths import build_encoder, build_joint, write_gpu, write_manifest
from importing.source import Unsupported
from model.tokenizer import write_tokens

ENCODER, JOINT = {True: "encoder.onnx", False: "model.onnx"}, "decoder_joint.onnx"
LARGEST_GRAPH = 2**31 - 2**20  # bytes of the weights in one ONNX file


def write_folder(source, folder, model, language, code):
    """Writes the folder and returns the precision of the GPU graphs."""
    (folder / "gpu").mkdir(parents=True)
    write_tokens(folder / "tokens.txt", source.pieces)
    transducer = source.joint is not None
    left, longest = source.contexts[0][0], max(right for _, right in source.contexts) + 1
    facts = {**source.weights.metadata, "contexts": json.dumps(source.contexts)}
    save(build_encoder(source.weights, left, longest, facts), folder / ENCODER[transducer])
    if transducer:
        save(build_joint(source.joint, source.weights.width, {}), folder / JOINT)
    precision = write_gpu_graphs(source, folder / "gpu")
    encoder = lambda left, right: ENCODER[transducer]
    joint = {"decoderJoint": JOINT} if transducer else {}
    write_manifest(folder, model, language, code, source.contexts, encoder, joint, source.prompt)
    return precision


def save(graph, path):
    size = sum(len(tensor.raw_data) for tensor in graph.graph.initializer)
    if size > LARGEST_GRAPH:
        raise Unsupported(f"the model is too large: {path.name} would have {size / 2**30:.1f} GiB, and ONNX allows 2 GiB")
    onnx.checker.check_model(graph)
    onnx.save(graph, path)


def write_gpu_graphs(source, folder):
    """Writes the GPU graphs and returns the precision of their weights: 16 bits if all values fit, otherwise 32 bits.
    """
    try:
        write_gpu(folder, source.weights, source.contexts, "f16", source.joint)
        return "f16"
    except ValueError:
        write_gpu(folder, source.weights, source.contexts, "f32", source.joint)
        return "f32"
