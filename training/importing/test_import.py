"""Tests that the graphs of an imported model give the same transcripts as the original model."""

import hashlib
import json
import pathlib
import shutil

import numpy as np
import pytest

from evaluate.errors import distance
from importing.__main__ import main
from importing.eight_bits import choose_speech, main as quantize_model
from importing.folder import ENCODER
from importing.paths import encode_windows, session
from importing.source import REFUSED
from importing.tiny_model import Tiny, write_nemo
from model.tokenizer import read_tokens
from prepare.audio import RATE, read_wav

ROOT = pathlib.Path(__file__).parents[2]
RECORDING = ROOT / "worker/models/svc-asr-kikuyu-v1/eval/ki_espeak_002.wav"
LARGER = {"layers": 3, "width": 64, "channels": 16, "pieces": 50}
LARGEST = {"layers": 4, "width": 96, "heads": 8, "channels": 32, "hidden": 48, "pieces": 0, "predictor_layers": 2}

MODELS = {
    "ctc": Tiny(),
    "ctc of 3 layers with 128 mels and left context 70": Tiny(mels=128, contexts=[[70, 13], [70, 6], [70, 1]], **LARGER),
    "ctc of 4 layers with letters": Tiny(**LARGEST),
    "ctc without biases": Tiny(bias=False),
    "ctc without input scaling": Tiny(scaled=False, contexts=[56, 13]),
    "transducer": Tiny(kind="transducer"),
    "transducer of 3 layers without dropout": Tiny(kind="transducer", dropout=False, bias=False, scaled=False, **LARGER),
    "transducer of 4 layers with two LSTMs": Tiny(kind="transducer", mels=128, contexts=[[70, 13], [70, 0]], **LARGEST),
    "hybrid": Tiny(kind="hybrid"),
    "hybrid of 3 layers": Tiny(kind="hybrid", mels=128, **LARGER),
    "hybrid of 4 layers": Tiny(kind="hybrid", contexts=[[70, 6]], kernel=5, **LARGEST),
    "hybrid with prompts": Tiny(kind="hybrid", prompts=5),
}


def run(path, folder, *options):
    """Runs the import. Returns its exit status and import.json."""
    scratch = folder / "scratch"
    scratch.mkdir()
    status = main([
        str(path), str(folder / "model"), str(scratch), "--id", "tiny", "--language", "Test", "--code", "x3",
        "--recordings", str(RECORDING), *options,
    ])
    found = scratch / "import.json"
    return status, json.loads(found.read_text()) if found.exists() else None


@pytest.mark.parametrize("name", MODELS)
def test_import_gives_transcripts_equal_to_the_model_for(tmp_path, name):
    tiny = MODELS[name]
    status, facts = run(write_nemo(tmp_path / "tiny.nemo", tiny), tmp_path)
    assert status == 0
    contexts = tiny.contexts if isinstance(tiny.contexts[0], list) else [tiny.contexts]
    assert facts["type"] == ("ctc" if tiny.kind == "ctc" else "transducer")
    assert [entry["context"] for entry in facts["parity"]] == contexts
    for entry in facts["parity"]:
        assert entry["largestDifference"] < 1e-3
        assert len(set(entry["pieces"][0])) > 3, "the model must recognize at least four different pieces"
        assert entry["gpuPieceErrors"] < 0.5 * sum(map(len, entry["pieces"]))
    manifest = json.loads((tmp_path / "model/manifest.json").read_text())
    assert [entry["context"] for entry in manifest["contexts"]] == contexts
    assert manifest.get("promptIndex") == (3 if tiny.prompts else None)


def test_import_takes_the_ctc_head_of_a_hybrid_model_on_request(tmp_path):
    status, facts = run(write_nemo(tmp_path / "tiny.nemo", MODELS["hybrid"]), tmp_path, "--head", "ctc")
    assert (status, facts["type"]) == (0, "ctc")
    assert "ctc head" in facts["notes"][0]


def test_import_reads_a_compressed_archive(tmp_path):
    status, _ = run(write_nemo(tmp_path / "tiny.nemo", Tiny(contexts=[[56, 1]]), mode="w:gz"), tmp_path)
    assert status == 0


def test_import_adds_the_utterances_of_a_manifest_after_the_recordings_of_the_check(tmp_path):
    entries = [{"audio_filepath": str(RECORDING), "offset": at, "duration": 1.5, "text": f"text {at}"} for at in (0, 1)]
    (tmp_path / "manifest.json").write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    path = write_nemo(tmp_path / "tiny.nemo", Tiny(contexts=[[56, 1]]))
    status, facts = run(path, tmp_path, "--manifest", str(tmp_path / "manifest.json"))
    assert (status, facts["texts"]) == (0, ["text 0", "text 1"])
    # After two recordings, the samples contain both utterances twice. The first copies are for the comparison with the
    # model, and the second copies are for the word errors.
    assert facts["samples"][2:] == [24000] * 4
    assert len(facts["parity"][0]["pieces"]) == 4
    assert (tmp_path / "scratch/audio.pcm").stat().st_size == 2 * sum(facts["samples"])


GOLDEN = ROOT / "worker/test/golden"


@pytest.mark.parametrize("files,kind", [
    (["model_ctc.onnx"], "ctc"),
    (["encoder.onnx", "decoder_joint.onnx"], "transducer"),
    (["encoder.onnx", "decoder.onnx", "joiner.onnx"], "transducer"),
])
def test_import_of_an_export_of_nemo_gives_equal_transcripts(tmp_path, files, kind):
    (tmp_path / "export").mkdir()
    for name in [*files, "tokens.txt"]:
        shutil.copy(GOLDEN / name, tmp_path / "export")
    status, facts = run(tmp_path / "export", tmp_path, "--context", "56,13", "--recordings", str(GOLDEN / "speech.wav"))
    assert (status, facts["type"], facts["contexts"]) == (0, kind, [[56, 13]])
    expected = json.loads((GOLDEN / "expected.json").read_text())
    if kind == "transducer":
        # The first frames differ, because NeMo starts a stream with a shorter window than the worker does.
        tokens = expected["rnnt_greedy_tokens"]
        assert distance(facts["parity"][0]["pieces"][0], tokens) < 0.02 * len(tokens)
    assert len(read_tokens(tmp_path / "model/tokens.txt")) == expected["blank_id"]


def test_import_of_an_export_with_prompts_keeps_the_prompt(tmp_path):
    (tmp_path / "export").mkdir()
    shutil.copy(GOLDEN / "prompt_ctc.onnx", tmp_path / "export/model.onnx")
    shutil.copy(GOLDEN / "tokens.txt", tmp_path / "export")
    status, facts = run(tmp_path / "export", tmp_path, "--prompt", "2")
    assert (status, facts["prompt"]) == (0, 2)
    assert json.loads((tmp_path / "model/manifest.json").read_text())["promptIndex"] == 2


def manifest_with(folder, seconds):
    entry = {"audio_filepath": str(RECORDING), "offset": 0, "duration": 2, "text": "one"}
    last = {**entry, "duration": seconds - 8}
    (folder / "manifest.json").write_text("".join(f"{json.dumps(line)}\n" for line in [entry] * 4 + [last]))
    return ["--manifest", str(folder / "manifest.json"), "--bits", "8"]


@pytest.mark.parametrize("options", [{}, {"prompts": 5}])
def test_a_graph_in_8_bits_is_smaller_and_gives_almost_the_same_frames(tmp_path, options):
    path = write_nemo(tmp_path / "tiny.nemo", Tiny(**options, contexts=[[56, 13]]))
    status, facts = run(path, tmp_path, *manifest_with(tmp_path, 10))
    assert status == 0
    folder = tmp_path / "model"
    path = folder / ENCODER[facts["type"] == "transducer"]
    before, size = frames(path, facts), path.stat().st_size
    assert quantize_model([str(folder), str(tmp_path / "scratch")]) == 0
    assert path.stat().st_size < size
    after = frames(path, facts)
    assert not np.array_equal(before, after)
    assert np.abs(after - before).mean() < 0.1 * np.abs(before - before.mean()).mean()
    [checksum] = {entry["encoder"]["sha256"] for entry in json.loads((folder / "manifest.json").read_text())["contexts"]}
    assert checksum == hashlib.sha256(path.read_bytes()).hexdigest()


def frames(path, facts):
    right = max(right for _, right in facts["contexts"])
    return encode_windows(session(str(path)), read_wav(RECORDING), right, facts.get("prompt"))


def test_8_bits_are_refused_with_less_than_10_s_of_speech(tmp_path, capsys):
    status, _ = run(write_nemo(tmp_path / "tiny.nemo", MODELS["ctc"]), tmp_path, *manifest_with(tmp_path, 9.9))
    assert status == REFUSED
    assert "--bits 8 needs at least 10 s of speech in the manifest, which has 9.9 s" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("seconds", "chosen"),
    [([25] * 4, [25, 25, 10]), ([100], [60]), ([59.6, 30], [59.6]), ([0.4, 10, 0, 1], [10, 1])],
)
def test_the_scales_of_8_bits_come_from_the_first_60_s_of_speech_without_very_short_utterances(seconds, chosen):
    utterances = [np.zeros(int(duration * RATE), np.int16) for duration in seconds]
    assert [len(pcm) / RATE for pcm in choose_speech(utterances)] == chosen
