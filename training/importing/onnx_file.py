"""Turns ONNX exports of NeMo into the weights from which training/optimize builds graphs.

A CTC export is one file. A transducer export is a folder with one file for the encoder. The predictor and the joint
network share one file or have one file each. A folder can contain several encoders, one for each context. tokens.txt is
in the same folder as the graphs.
"""

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import helper

from importing.paths import (
    encode_windows, read_joint, read_weights, search_export, session, unsupported_on_gpu, unsupported_prompt,
)
from importing.prompts import choose_prompt
from importing.reference import MAX_SYMBOLS
from importing.source import MOST_FRAMES, Source, Unsupported
from importing.vocabulary import check_pieces
from model.encoder import SUBSAMPLING
from model.tokenizer import best_path, read_tokens

CACHE = "cache_last_channel"
OUTPUTS = {"ctc": "logprobs", "transducer": "outputs"}  # output of an encoder, by the head that it belongs to
NEEDED = ["audio_signal", "length", CACHE, "cache_last_time", "cache_last_channel_len"]


def read_onnx(path, scratch, head=None, language=None, prompt=None, context=None):
    """Reads an export. `context` is [left, right]. It is required if the metadata of the export does not contain it."""
    files = sorted(path.glob("*.onnx")) if path.is_dir() else [path]
    graphs = {file: load(file) for file in files}
    encoders = [file for file in files if "audio_signal" in inputs_of(graphs[file])]
    joints = [file for file in files if "encoder_outputs" in inputs_of(graphs[file])]
    predictors = [file for file in files if "targets" in inputs_of(graphs[file]) and file not in joints]
    wanted = head or ("transducer" if joints else "ctc")
    encoders = choose_encoders(path, graphs, encoders, wanted)
    if wanted == "transducer" and (len(joints) != 1 or len(predictors) > 1):
        raise Unsupported(f"{path} needs one file with predictor and joint network, or two files with one of them each")
    pieces = read_pieces(path if path.is_dir() else path.parent)
    found = [complete(file, graphs[file], scratch, len(pieces), context) for file in encoders]
    check_contexts([pair for _, pair in found], encoders)
    found.sort(key=lambda one: -one[1][1])
    weights = [read_weights(str(file)) for file, _ in found]
    check_encoder(path, weights[0], pieces)
    prompt = choose_prompt(weights[0].prompts, {}, language, prompt)
    joint_files = [str(file) for file in [*predictors, *joints]] if wanted == "transducer" else []
    joint = read_joint(joint_files) if joint_files else None
    if joint is not None:
        check_pieces(pieces, joint.classes, "tokens.txt")
    sessions = {right: session(str(file)) for file, (_, right) in found}
    reference = Export(sessions, [session(file) for file in joint_files], len(pieces), prompt)
    contexts = [pair for _, pair in found]
    return Source(weights[0], joint, pieces, contexts, reference, prompt, [])


def choose_encoders(path, graphs, encoders, head):
    """Returns the encoders that belong to a head."""
    by_head = {
        name: [file for file in encoders if output in [one.name for one in graphs[file].graph.output]]
        for name, output in OUTPUTS.items()
    }
    if found := by_head.pop(head):
        return found
    if not graphs:
        raise Unsupported(f"{path} has no .onnx files")
    if others := [name for name, files in by_head.items() if files]:
        raise Unsupported(f"{path} has no {head} head, only {others[0]}")
    raise Unsupported(f"{path} has no encoder with an output {OUTPUTS[head]}. Export the model with cache_support in NeMo")


def load(file):
    try:
        return onnx.load(file)
    except (DecodeError, OSError, ValueError) as error:
        raise Unsupported(f"{file} is not an ONNX file that can be read: {str(error).splitlines()[0]}") from error


def inputs_of(graph):
    return [one.name for one in graph.graph.input]


def read_pieces(folder):
    if not (folder / "tokens.txt").exists():
        raise Unsupported(f"{folder} has no tokens.txt. Write one line `piece number` for each piece, and <blk> last")
    try:
        return read_tokens(folder / "tokens.txt")
    except ValueError as error:
        raise Unsupported(f"{error}. Write one line `piece number` for each piece, and <blk> last") from error


def complete(file, graph, scratch, vocabulary, context):
    """Writes a copy of the graph with all required metadata, because exports of NeMo lack some of it. Returns the path
    of the copy, and its context.
    """
    if missing := [name for name in NEEDED if name not in inputs_of(graph)]:
        raise Unsupported(f"{file.name} has no input {missing[0]}. Export the model with cache_support in NeMo")
    facts = {one.key: one.value for one in graph.metadata_props}
    sizes = {one.name: [dim.dim_value for dim in one.type.tensor_type.shape.dim] for one in graph.graph.input}
    left, right = choose_context(file, facts, context)
    if left <= 0 or right < 0 or left % (right + 1) != 0:
        raise Unsupported(f"{file.name} has the context [{left}, {right}], but LEFT must be a multiple of RIGHT + 1")
    if facts.get("normalize_type", "") not in ("", "NA"):
        raise Unsupported(f"{file.name} normalizes features by {facts['normalize_type']}, which cannot be streamed")
    _, layers, _, width = sizes[CACHE]
    kernel = next((list(one.dims)[2] for one in graph.graph.initializer if "depthwise_conv.weight" in one.name), 9)
    facts = {
        "vocab_size": vocabulary, "feat_dim": sizes["audio_signal"][1], "subsampling_factor": SUBSAMPLING,
        "normalize_type": "", "window_size": SUBSAMPLING * (right + 2) + 1, f"{CACHE}_dim1": layers,
        f"{CACHE}_dim3": width, "cache_last_time_dim1": layers, "cache_last_time_dim2": width,
        "cache_last_time_dim3": kernel - 1, **facts,
    }
    helper.set_model_props(graph, {name: str(value) for name, value in facts.items()})
    onnx.save(graph, scratch / f"{left}-{right}.onnx")
    return scratch / f"{left}-{right}.onnx", [left, right]


def check_contexts(contexts, files):
    """Refuses encoders with equal or unsuitable contexts. The encoders must be exports of one model."""
    by_context = {}
    for context, file in zip(contexts, files):
        if (other := by_context.setdefault(tuple(context), file)) is not file:
            raise Unsupported(f"{other.name} and {file.name} both have the context {list(context)}. Keep one of them")
    if len({left for left, _ in contexts}) > 1:
        names = ", ".join(f"{file.name} [{left}, {right}]" for (left, right), file in zip(contexts, files))
        raise Unsupported(f"the encoders have different left contexts: {names}. Keep those of one left context")


def choose_context(file, facts, context):
    """Returns the context in the metadata of an export. If the metadata lacks it, adds the context that the user gave."""
    if "chunk_shift" not in facts or f"{CACHE}_dim2" not in facts:
        if context is None:
            raise Unsupported(f"{file.name} has no metadata about its context. Name the context with --context LEFT,RIGHT, for example 70,13")
        facts["chunk_shift"], facts[f"{CACHE}_dim2"] = SUBSAMPLING * (context[1] + 1), context[0]
    left, right = int(facts[f"{CACHE}_dim2"]), int(facts["chunk_shift"]) // SUBSAMPLING - 1
    if context not in (None, [left, right]):
        raise Unsupported(f"{file.name} has the context [{left}, {right}]. Leave out --context")
    if left + right >= MOST_FRAMES:
        raise Unsupported(f"{file.name} has the context [{left}, {right}], supported are less than {MOST_FRAMES:,} frames together")
    return left, right


def check_encoder(path, weights, pieces):
    for name in ("pre_encode.conv.6.weight", "pre_encode.out.weight", "layers.0.self_attn.pos_bias_u", "layers.0.norm_out.weight"):
        if name not in weights.arrays:
            raise Unsupported(f"{path} has no parameter {name}, so it is not the export of a FastConformer with causal downsampling")
    if weights.mels not in (80, 128):
        raise Unsupported(f"{path} has {weights.mels} mels, supported is 80 or 128")
    if reason := unsupported_on_gpu(weights) or unsupported_prompt(weights):
        raise Unsupported(f"{path} is not supported: {reason}")
    if weights.ctc:
        check_pieces(pieces, len(weights["ctc_decoder.decoder_layers.0.bias"]), "tokens.txt")


class Export:
    """Recognizes audio with the original graphs, window by window as in a stream."""

    def __init__(self, encoders, joints, blank, prompt):
        self.encoders, self.joints, self.blank, self.prompt = encoders, joints, blank, prompt

    def frames(self, pcm, right):
        return encode_windows(self.encoders[right], pcm, right, self.prompt)

    def transcribe(self, pcm, right):
        frames = self.frames(pcm, right)
        if not self.joints:
            return best_path(frames.argmax(-1).tolist(), self.blank)
        if len(self.joints) == 1:
            return [piece for piece, _ in search_export(self.joints[0], frames, self.blank)]
        return search_in_two(*self.joints, frames, self.blank)


def search_in_two(predictor, joint, frames, blank):
    """Returns the pieces that a greedy search finds, with the predictor and the joint network in two graphs. The limit
    of pieces per frame is the same as in `search_export`.
    """
    names = [one.name for one in predictor.get_inputs()]
    states = [np.zeros([one.shape[0], 1, one.shape[2]], np.float32) for one in predictor.get_inputs()[2:]]
    step = lambda token: predictor.run(None, dict(zip(names, [np.array([[token]], np.int32), np.ones(1, np.int32), *states])))
    found, (output, _, *following) = [], step(blank)
    for frame in frames:
        for _ in range(MAX_SYMBOLS):
            logits = joint.run(None, {"encoder_outputs": frame[None, :, None], "decoder_outputs": output})[0]
            best = int(logits.argmax())
            if best == blank:
                break
            found.append(best)
            states = following
            output, _, *following = step(best)
    return found
