"""Tests that the import of an unsupported file ends with one message that contains the reason and what to do."""

import io
import pickle
import tarfile

import numpy as np
import onnx
import pytest
import torch

from importing.archive import Archive
from importing.source import Unsupported
from importing.test_import import run
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
    assert "but none for x3. Choose one with --prompt NUMBER. The model names these languages: x0, x1" in refused(
        path, tmp_path, capfd
    )


def test_import_refuses_a_head_that_a_model_does_not_have(tmp_path, capfd):
    path = write_nemo(tmp_path / "tiny.nemo", TINY)
    assert "has no transducer head, only ctc" in refused(path, tmp_path, capfd, "--head", "transducer")


def test_import_refuses_a_manifest_without_texts(tmp_path, capfd):
    (tmp_path / "manifest.json").write_text('{"audio_filepath": "a.wav", "duration": 1}\n')
    path = write_nemo(tmp_path / "tiny.nemo", TINY)
    message = refused(path, tmp_path, capfd, "--manifest", str(tmp_path / "manifest.json"))
    assert "line 1 has no text" in message


def test_import_refuses_a_file_that_is_not_onnx(tmp_path, capfd):
    (tmp_path / "model.onnx").write_bytes(np.random.default_rng(1).bytes(500))
    assert "is not an ONNX file that can be read" in refused(tmp_path / "model.onnx", tmp_path, capfd)


def test_import_refuses_a_graph_without_caches(tmp_path, capfd):
    value = lambda name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 80, "T"])
    node = onnx.helper.make_node("Identity", ["audio_signal"], ["logprobs"])
    graph = onnx.helper.make_graph([node], "g", [value("audio_signal")], [value("logprobs")])
    onnx.save(onnx.helper.make_model(graph), tmp_path / "model.onnx")
    (tmp_path / "tokens.txt").write_text("a 0\n<blk> 1\n")
    assert "has no input length. Export the model with cache_support" in refused(tmp_path / "model.onnx", tmp_path, capfd)
