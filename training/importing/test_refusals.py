"""Tests that the import of an unsupported file ends with one message that contains the reason and what to do."""

import io
import json
import pathlib
import pickle
import tarfile

import numpy as np
import onnx
import pytest
import torch

from importing.archive import Archive
from importing.onnx_file import NEEDED, check_contexts
from importing.settings import read_settings
from importing.source import Unsupported
from importing.test_import import RECORDING, run
from importing.tiny_model import Tiny, config_of, state_of, write_nemo

TINY = Tiny(contexts=[[56, 1]])


def refused(path, tmp_path, capfd, *options):
    """Runs an import that must fail and returns its message."""
    status, facts = run(path, tmp_path, *options)
    assert (status, facts) == (3, None)
    message = capfd.readouterr().err.strip()
    assert "\n" not in message and "Traceback" not in message
    return message


def changed(section, **fields):
    config = config_of(TINY)
    config[section].update(fields)
    return config


def test_import_refuses_a_file_that_does_not_exist(tmp_path, capfd):
    assert refused(tmp_path / "no.nemo", tmp_path, capfd).endswith("no.nemo does not exist")


def test_import_of_a_checkpoint_advises_to_export_it(tmp_path, capfd):
    (tmp_path / "model.pt").write_bytes(b"no archive" * 100)
    assert "with python -m export" in refused(tmp_path / "model.pt", tmp_path, capfd)


def test_import_refuses_a_file_that_is_no_archive(tmp_path, capfd):
    (tmp_path / "tiny.nemo").write_bytes(b"no archive" * 100)
    assert "it is no tar archive. Save the model again" in refused(tmp_path / "tiny.nemo", tmp_path, capfd)


def test_import_refuses_an_archive_that_was_cut_off(tmp_path, capfd):
    path = write_nemo(tmp_path / "tiny.nemo", TINY)
    path.write_bytes(path.read_bytes()[:20_000])
    assert "damaged or incomplete" in refused(path, tmp_path, capfd)


@pytest.mark.parametrize("name,message", [
    ("./model_config.yaml", "has no model_config.yaml"),
    ("./model_weights.ckpt", "it has no model_weights.ckpt"),
    ("./abc_tokenizer.model", "has no tokenizer.model"),
])
def test_import_names_the_file_that_is_missing(tmp_path, capfd, name, message):
    path = write_nemo(tmp_path / "tiny.nemo", TINY, extra={name: None})
    assert message in refused(path, tmp_path, capfd)


@pytest.mark.parametrize("content,message", [
    (b"a: [", "is not plain YAML"),
    (b"!!python/object/apply:os.system ['true']", "is not plain YAML"),
    (b"text", "has no fields"),
    (b"encoder: {}", "has no section preprocessor and no section encoder"),
])
def test_import_refuses_a_broken_configuration(tmp_path, capfd, content, message):
    path = write_nemo(tmp_path / "tiny.nemo", TINY, extra={"./model_config.yaml": content})
    assert message in refused(path, tmp_path, capfd)


@pytest.mark.parametrize("section,fields,message", [
    ("encoder", {"_target_": "nemo.collections.asr.modules.SqueezeformerEncoder"}, "the encoder is a SqueezeformerEncoder"),
    ("encoder", {"conv_context_size": None}, "A convolution that sees later frames cannot be streamed"),
    ("encoder", {"causal_downsampling": False}, "encoder.causal_downsampling is False, supported is True"),
    ("encoder", {"att_context_style": "regular"}, "supported is chunked_limited"),
    ("encoder", {"att_context_size": [-1, -1]}, "encoder.att_context_size has [-1, -1]"),
    ("encoder", {"att_context_size": [56, 12]}, "LEFT must be a multiple of RIGHT + 1"),
    ("encoder", {"att_context_size": [4998, 2]}, "has [4998, 2], supported are less than 5,000 frames together"),
    ("encoder", {"conv_norm_type": "batch_norm"}, "encoder.conv_norm_type is batch_norm, supported is layer_norm"),
    ("encoder", {"subsampling_factor": 4}, "encoder.subsampling_factor is 4, supported is 8"),
    ("encoder", {"d_model": "wide"}, "encoder.d_model is wide, which is not a size"),
    ("preprocessor", {"normalize": "per_feature"}, "preprocessor.normalize is per_feature, supported is NA"),
    ("preprocessor", {"sample_rate": 8000}, "preprocessor.sample_rate is 8000"),
    ("preprocessor", {"features": 64}, "supported is 80 or 128"),
    ("tokenizer", {"type": "wpe"}, "the tokenizer has the type wpe"),
])
def test_import_names_the_field_that_is_not_supported(tmp_path, capfd, section, fields, message):
    path = write_nemo(tmp_path / "tiny.nemo", TINY, config=changed(section, **fields))
    assert message in refused(path, tmp_path, capfd)


def test_read_settings_accepts_a_context_just_below_5000_frames():
    assert read_settings(changed("encoder", att_context_size=[4998, 1]), transducer=False).contexts == [[4998, 1]]


def test_import_refuses_tensors_whose_shapes_differ_from_the_configuration(tmp_path, capfd):
    path = write_nemo(tmp_path / "tiny.nemo", TINY, config=changed("encoder", conv_kernel_size=5))
    message = refused(path, tmp_path, capfd)
    assert "depthwise_conv.weight has the shape [32, 1, 9], but model_config.yaml gives [32, 1, 5]" in message


@pytest.mark.parametrize("change,message", [
    (lambda state: state.pop("encoder.layers.1.norm_out.bias"), "has no encoder.layers.1.norm_out.bias"),
    (lambda state: state.update({"encoder.adapter.weight": torch.zeros(2)}), "has encoder.adapter.weight, which is not part"),
    (lambda state: state["encoder.layers.0.norm_out.bias"].fill_(float("nan")), "has values that are not numbers"),
    (lambda state: state["preprocessor.featurizer.fb"].add_(1), "the mel filters of the model"),
    (lambda state: [state.pop(name) for name in list(state) if name.startswith("decoder.")], "has neither a CTC head"),
    (lambda state: state.update({"decoder.decoder_layers.0.weight": torch.zeros(9, 32, 1)}), "but the model has 9 classes"),
])
def test_import_refuses_weights_with_missing_unknown_or_unusable_tensors(tmp_path, capfd, change, message):
    state = state_of(TINY)
    change(state)
    assert message in refused(write_nemo(tmp_path / "tiny.nemo", TINY, state=state), tmp_path, capfd)


class Harmful:
    """Creates a file if a loader without protection unpickles it."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_import_does_not_run_code_in_the_weights(tmp_path, capfd):
    out, trap = io.BytesIO(), tmp_path / "trap"
    torch.save({"harm": Harmful(trap)}, out)
    path = write_nemo(tmp_path / "tiny.nemo", TINY, extra={"./model_weights.ckpt": out.getvalue()})
    assert "Python objects besides tensors, which could run code. They were not loaded" in refused(path, tmp_path, capfd)
    assert not trap.exists()


@pytest.mark.parametrize("content", [b"text", pickle.dumps({"a": 1}), b""])
def test_import_refuses_weights_that_pytorch_did_not_save(tmp_path, capfd, content):
    path = write_nemo(tmp_path / "tiny.nemo", TINY, extra={"./model_weights.ckpt": content})
    assert "model_weights.ckpt" in refused(path, tmp_path, capfd)


@pytest.mark.parametrize("name", ["../outside", "/etc/outside", "a/../../outside"])
def test_import_refuses_an_archive_with_a_path_that_leads_out_of_it(tmp_path, capfd, name):
    path = write_nemo(tmp_path / "tiny.nemo", TINY, extra={name: b"text"})
    assert f"has a file outside of the archive: {name}" in refused(path, tmp_path, capfd)


def test_import_refuses_a_link_in_the_archive(tmp_path, capfd):
    path = write_nemo(tmp_path / "tiny.nemo", TINY)
    with tarfile.open(path, "a") as tar:
        link = tarfile.TarInfo("vocab.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    assert "has a link or a device: vocab.txt" in refused(path, tmp_path, capfd)


def test_archive_is_limited_in_size(tmp_path):
    path = write_nemo(tmp_path / "tiny.nemo", TINY)
    with tarfile.open(path) as tar:
        size = sum(member.size for member in tar)
    Archive(path, most_bytes=size)
    with pytest.raises(Unsupported, match="is too large"):
        Archive(path, most_bytes=size - 1)


def test_import_refuses_a_prompt_that_a_model_does_not_have(tmp_path, capfd):
    path = write_nemo(tmp_path / "tiny.nemo", TINY)
    assert "the model has no language prompts" in refused(path, tmp_path, capfd, "--prompt", "1")


def test_import_lists_the_languages_of_a_model_that_has_no_prompt_for_the_given_language(tmp_path, capfd):
    path = write_nemo(tmp_path / "tiny.nemo", Tiny(prompts=2))
    assert "but names none for x3. Choose one with --prompt NUMBER. It names prompts for: x0, x1" in refused(
        path, tmp_path, capfd
    )


def test_import_refuses_encoders_whose_contexts_do_not_fit_together():
    files = [pathlib.Path("a.onnx"), pathlib.Path("b.onnx")]
    check_contexts([[56, 13], [56, 3]], files)
    with pytest.raises(Unsupported, match=r"a.onnx and b.onnx both have the context \[56, 13\]. Keep one of them"):
        check_contexts([[56, 13], [56, 13]], files)
    with pytest.raises(Unsupported, match=r"different left contexts: a.onnx \[56, 13\], b.onnx \[70, 13\]"):
        check_contexts([[56, 13], [70, 13]], files)


def test_import_refuses_a_head_that_a_model_does_not_have(tmp_path, capfd):
    path = write_nemo(tmp_path / "tiny.nemo", TINY)
    assert "has no transducer head, only ctc" in refused(path, tmp_path, capfd, "--head", "transducer")


@pytest.mark.parametrize("content,message", [
    ('{"audio_filepath": "a.wav", "duration": 1}', "line 1 has no text"),
    ("", "has no recordings"),
    (json.dumps({"audio_filepath": str(RECORDING), "duration": 1, "text": " "}), "has no words"),
    ('{"audio_filepath": "a.wav", "duration": 1, "text": "a"}', "a.wav does not exist"),
    (b"\xff\xfe", "is not UTF-8 text"),
    (None, "cannot be read: No such file or directory"),
    ('{"audio_filepath": "a.wav", "duration": 57960, "text": "a"}', "has 16.1 hours of speech. Use at most 16"),
    ('{"audio_filepath": "a.wav", "duration": 57600, "text": "a"}', "a.wav does not exist"),
])
def test_import_refuses_a_manifest_that_cannot_be_used(tmp_path, capfd, content, message):
    manifest = tmp_path / "manifest.json"
    if content is not None:
        manifest.write_bytes(content if isinstance(content, bytes) else content.encode())
    path = write_nemo(tmp_path / "tiny.nemo", TINY)
    assert message in refused(path, tmp_path, capfd, "--manifest", str(manifest))


def test_import_refuses_a_file_that_is_not_onnx(tmp_path, capfd):
    (tmp_path / "model.onnx").write_bytes(np.random.default_rng(1).bytes(500))
    assert "is not an ONNX file that can be read" in refused(tmp_path / "model.onnx", tmp_path, capfd)


def export_folder(path, inputs, outputs, metadata=None, tokens="a 0\n<blk> 1\n"):
    """Writes an export whose graph has these inputs and outputs and computes nothing."""
    value = lambda name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 80, "T"])
    nodes = [onnx.helper.make_node("Identity", [inputs[0]], [name]) for name in outputs]
    graph = onnx.helper.make_graph(nodes, "g", [value(name) for name in inputs], [value(name) for name in outputs])
    model = onnx.helper.make_model(graph)
    onnx.helper.set_model_props(model, metadata or {})
    path.mkdir()
    onnx.save(model, path / "model.onnx")
    (path / "tokens.txt").write_text(tokens)
    return path


def test_import_refuses_a_graph_without_caches(tmp_path, capfd):
    path = export_folder(tmp_path / "export", ["audio_signal"], ["logprobs"]) / "model.onnx"
    assert "has no input length. Export the model with cache_support" in refused(path, tmp_path, capfd)


def test_import_refuses_a_folder_without_graphs(tmp_path, capfd):
    (tmp_path / "export").mkdir()
    assert "export has no .onnx files" in refused(tmp_path / "export", tmp_path, capfd)


def test_import_refuses_a_head_that_an_export_does_not_have(tmp_path, capfd):
    path = export_folder(tmp_path / "export", ["audio_signal"], ["logprobs"])
    assert "has no transducer head, only ctc" in refused(path, tmp_path, capfd, "--head", "transducer")


def test_import_refuses_another_context_than_that_in_an_export(tmp_path, capfd):
    metadata = {"chunk_shift": "16", "cache_last_channel_dim2": "56"}
    path = export_folder(tmp_path / "export", NEEDED, ["logprobs"], metadata)
    message = refused(path, tmp_path, capfd, "--context", "56,3")
    assert "model.onnx has the context [56, 1]. Leave out --context" in message


@pytest.mark.parametrize("tokens,message", [
    ("b 1\na 0\n<blk> 2\n", "has the line `b 1` instead of `piece 0`"),
    ("a 0\na 0\n<blk> 2\n", "has the line `a 0` instead of `piece 1`"),
    ("a\n<blk> 1\n", "has the line `a` instead of `piece 0`"),
    ("a 0\n", "the last line of"),
])
def test_import_refuses_pieces_that_are_not_in_the_order_of_their_numbers(tmp_path, capfd, tokens, message):
    path = export_folder(tmp_path / "export", NEEDED, ["logprobs"], tokens=tokens)
    assert message in refused(path, tmp_path, capfd)
