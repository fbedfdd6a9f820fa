"""Turns a .nemo file into the weights from which training/optimize builds graphs."""

import numpy as np
import torch

from importing.archive import Archive
from importing.paths import JointWeights, Weights
from importing.prompts import choose_prompt
from importing.reference import Reference
from importing.settings import lookup, read_settings
from importing.source import Source, Unsupported
from importing.vocabulary import check_pieces, read_pieces
from model.encoder import SUBSAMPLING
from model.features import mel_filters

CTC_HEAD, LAST = "ctc_decoder.decoder_layers.0.weight", "joint.joint_net.2"
PARTS = ("encoder.", "prompt_kernel.")
# Tensors that the import does not read, because they can be computed from the settings or from other tensors.
DERIVED = {"encoder.pos_enc.pe", "encoder.pos_bias_u", "encoder.pos_bias_v"}
FROM_PYTORCH = [0, 3, 1, 2]  # indices of PyTorch's LSTM gates, in the order in which ONNX expects the gates


def read_nemo(path, scratch, head=None, language=None, prompt=None):
    """Reads a .nemo file. `head` selects ctc or transducer if the model has both heads."""
    archive = Archive(path)
    config = archive.config()
    state = renamed(archive.state(scratch))
    heads = {"transducer": "joint.enc.weight" in state, "ctc": CTC_HEAD in state}
    chosen = choose_head(path, heads, head)
    settings = read_settings(config, chosen == "transducer")
    pieces = read_pieces(config, archive)
    check_filters(state, settings.mels)
    model = build_reference(settings, state, pieces, chosen)
    prompts = len(state["prompt_kernel.0.weight"][0]) - settings.width if "prompt_kernel.0.weight" in state else 0
    known = lookup(config, "model_defaults.prompt_dictionary", {})
    model.prompt = choose_prompt(prompts, known, language, prompt)
    notes = ["The model has a CTC head and a transducer head. The import used the " + chosen + " head."] * all(heads.values())
    given = lookup(config, "encoder.att_context_size", [])
    if isinstance(given[0], list) and len(given) > len(settings.contexts):
        notes.append(f"Only contexts with {settings.left} frames before the current one were imported.")
    weights = weights_of(model, settings, len(pieces), prompts)
    joint = joint_of(model) if chosen == "transducer" else None
    if settings.scaled:
        # The original model multiplies subsampled frames by the square root of the width. The graphs get this factor
        # from `weights`. The reference model has no such step, so the factor is applied to its weights here.
        for parameter in (model.encoder.pre_encode.out.weight, model.encoder.pre_encode.out.bias):
            parameter.data *= settings.width**0.5
    return Source(weights, joint, pieces, settings.contexts, model, model.prompt, notes)


def renamed(state):
    """Returns the tensors under the names of a hybrid model. A plain CTC model names its head `decoder` and not
    `ctc_decoder`.
    """
    names = {name: name for name in state}
    if "decoder.decoder_layers.0.weight" in state:
        names = {name: name.replace("decoder.", "ctc_decoder.", 1) if name.startswith("decoder.") else name for name in state}
    if f"{LAST}.weight" not in state:
        names = {name: new.replace("joint.joint_net.1.", f"{LAST}.") for name, new in names.items()}
    return {new: state[name].float() for name, new in names.items() if state[name].is_floating_point()}


def choose_head(path, heads, wanted):
    found = [name for name, has in heads.items() if has]
    if not found:
        raise Unsupported(f"{path} has neither a CTC head nor a transducer head, so it is not a recognizer that can be imported")
    if wanted is not None and wanted not in found:
        raise Unsupported(f"{path} has no {wanted} head, only {found[0]}")
    return wanted or found[0]


def build_reference(settings, state, pieces, head):
    """Returns the reference model with the tensors of `state`. Raises Unsupported if a name or shape does not match the
    configuration.
    """
    check_pieces(pieces, len(state[CTC_HEAD if head == "ctc" else f"{LAST}.weight"]), "the tokenizer")
    shapes = [state[f"prompt_kernel.{n}.weight"].shape[::-1] for n in (0, 2) if f"prompt_kernel.{n}.weight" in state]
    prompts = shapes if len(shapes) == 2 else None
    if settings.width % settings.heads != 0:
        raise Unsupported(f"encoder.d_model is {settings.width}, which encoder.n_heads = {settings.heads} does not divide")
    with torch.device("meta"):
        model = Reference(settings, len(pieces), head == "transducer", prompts)
    wanted = model.state_dict()
    parts = (*PARTS, *(("decoder.", "joint.") if head == "transducer" else ("ctc_decoder.",)))
    found = {name: value for name, value in state.items() if name.startswith(parts) and name not in DERIVED}
    check_shapes(wanted, found)
    model = Reference(settings, len(pieces), head == "transducer", prompts)
    model.load_state_dict(found)
    return model.eval()


def check_shapes(wanted, found):
    if missing := sorted(wanted.keys() - found.keys()):
        others = f", and {len(missing) - 1} other tensors are missing" if len(missing) > 1 else ""
        raise Unsupported(f"model_weights.ckpt has no {missing[0]}{others}")
    if unknown := sorted(found.keys() - wanted.keys()):
        raise Unsupported(
            f"model_weights.ckpt has {unknown[0]}, which is not part of a streaming FastConformer that can be imported"
        )
    for name, value in found.items():
        if value.shape != wanted[name].shape:
            raise Unsupported(
                f"model_weights.ckpt: {name} has the shape {list(value.shape)}, "
                f"but model_config.yaml gives {list(wanted[name].shape)}"
            )


def check_filters(state, mels):
    """Raises Unsupported if the mel filters of the model differ from the filters with which the worker computes
    features.
    """
    filters = state.get("preprocessor.featurizer.fb")
    if filters is None:
        return
    expected = mel_filters(mels)
    if filters.shape[-2:] != expected.shape or np.abs(filters.numpy() - expected).max() > 1e-5:
        raise Unsupported("the mel filters of the model (preprocessor.featurizer.fb) differ from those of the worker")


def weights_of(model, settings, vocabulary, prompts):
    """Returns the parameters with NeMo's names. Matrices have the shape [in, out]."""
    linear = {name for name, module in model.named_modules() if isinstance(module, torch.nn.Linear)}
    arrays = {}
    for name, value in model.state_dict().items():
        if name.startswith((*PARTS, "ctc_decoder.")):
            array = value.numpy().astype(np.float64)
            arrays[name.removeprefix("encoder.")] = array.T if name.removesuffix(".weight") in linear else array
    shift = SUBSAMPLING * (settings.contexts[0][1] + 1)
    facts = {
        "vocab_size": vocabulary, "feat_dim": settings.mels, "subsampling_factor": SUBSAMPLING, "normalize_type": "",
        "window_size": shift + SUBSAMPLING + 1, "chunk_shift": shift,
        **{f"cache_last_channel_dim{i + 1}": n for i, n in enumerate((settings.layers, settings.left, settings.width))},
        **{f"cache_last_time_dim{i + 1}": n for i, n in enumerate((settings.layers, settings.width, settings.kernel - 1))},
    }
    inputs = ("prompt_index",) if prompts > 0 else ()
    return Weights(arrays, {name: str(value) for name, value in facts.items()}, settings.scaled, inputs)


def joint_of(model):
    pair = lambda layer: (layer.weight.detach().double().numpy().T, layer.bias.detach().double().numpy())
    lstm, layers = model.decoder.prediction["dec_rnn"]["lstm"], []
    gates = lambda name: np.concatenate([np.split(getattr(lstm, name).detach().double().numpy(), 4)[i] for i in FROM_PYTORCH])
    for number in range(lstm.num_layers):
        bias = gates(f"bias_ih_l{number}") + gates(f"bias_hh_l{number}")
        layers.append((gates(f"weight_ih_l{number}").T, gates(f"weight_hh_l{number}").T, bias))
    joint = model.joint
    embedding = model.decoder.prediction["embed"].weight.detach().double().numpy()
    return JointWeights(embedding, layers, pair(joint.enc), pair(joint.pred), pair(joint.joint_net[2]))
