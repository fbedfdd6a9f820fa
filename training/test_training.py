"""Runs a tiny training with the commands that users run. The model must recognize words in voices that were not in the
training.
"""

import itertools
import json
import os
import pathlib
import subprocess
import sys

import pytest
import torch

from model.recognizer import load
from prepare.voices import VOICES

FOLDER = pathlib.Path(__file__).parent
WORDS = ["mũndũ", "irio", "thaka", "ng'ombe", "nyama", "cai"]
STEPS = 300
# Largest share of wrong words for voices that were not in the training. Without any learning, all words are wrong. The
# result depends on the processor. A different order of additions can change the share by several percentage points.
MOST_ERRORS_PERCENT = 80
LANGUAGE = ["--language", "ki", "--jobs", "2"]
# The training uses only voices of espeak-ng, which come with a Python package. The voices in VOICES need synthesizers
# that may be missing on this machine.
WITHOUT = ["--without", *sorted({voice.family for voice in VOICES})]


def run(module, *arguments):
    """Runs a command in one thread, because several threads slow small models down."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(
        command, cwd=FOLDER, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def prepare(texts, out, seed, shards):
    run(
        "prepare", texts, out, *LANGUAGE, "--only", "training", "--evaluation", "text.txt", "--real-share", 1,
        "--seed", seed, "--shards", shards, *WITHOUT,
    )


def errors_of(path):
    [found] = json.loads(path.read_text())
    return found["errors"]["all"][0]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("training")
    texts = folder / "texts"
    texts.mkdir()
    sentences = [" ".join(pair) for pair in itertools.permutations(WORDS, 2)]
    (texts / "text.txt").write_text("\n".join(sentences), encoding="utf-8")
    prepare(texts, folder / "train", 1, 6)
    prepare(texts, folder / "test", 2, 1)
    run(
        "train", folder / "model", folder / "train", "--text", folder / "train/text.json", "--vocabulary", 28,
        "--syllables", "--steps", STEPS, "--layers", 2, "--width", 48, "--channels", 12, "--batch-seconds", 24,
        "--longest", 4, "--hours", 0.3, "--warmup-steps", 30, "--shortest", 4, "--strength", 0.3,
        "--dropout", 0, "--rate", 0.005, "--average", 0.97,
    )
    return folder


def test_a_tiny_training_reads_voices_that_were_not_in_the_training(trained):
    manifests = sorted((trained / "test").glob("train-*.json"))
    run("evaluate", trained / "model/model.pt", *manifests, "--json", trained / "whole.json")
    assert errors_of(trained / "whole.json") < MOST_ERRORS_PERCENT


def test_a_streamed_export_has_the_errors_of_the_checkpoint(trained):
    manifests = sorted((trained / "test").glob("train-*.json"))
    output = run("export", trained / "model/model.pt", trained / "export")
    assert output.count("largest difference from PyTorch") == 5
    for name, model in (("whole", "model/model.pt"), ("streamed", "export/56-3.onnx")):
        out = trained / f"{name}-3.json"
        run("evaluate", trained / model, *manifests, "--right", 3, "--limit", 30, "--json", out)
    assert errors_of(trained / "streamed-3.json") == errors_of(trained / "whole-3.json")


def test_a_training_with_a_transducer_head_can_start_from_the_texts_of_manifests(trained):
    out = trained / "transducer"
    run(
        "train", out, trained / "train/train-000000.json", "--transducer", "--vocabulary", 28, "--steps", 4, "--layers", 1,
        "--width", 32, "--channels", 4, "--batch-seconds", 8, "--hours", 0.1, "--warmup-steps", 2, "--shortest", 4,
    )
    log = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    assert log[-1]["step"] == 4
    run("export", out / "model.pt", trained / "transducer-export")
    assert (trained / "transducer-export/decoder_joint.onnx").exists()


def test_a_training_continues_from_a_checkpoint(trained):
    out = trained / "tuned"
    run(
        "train", out, trained / "train", "--start-from", trained / "model/model.pt", "--steps", 20, "--batch-seconds", 8,
        "--hours", 0.2, "--warmup-steps", 1, "--rate", 0.0001, "--strength", 0, "--short-share", 0.01,
    )
    last_loss = lambda folder: json.loads((folder / "log.jsonl").read_text().splitlines()[-1])["loss"]
    assert last_loss(out) < 2 * last_loss(trained / "model") + 0.2


def test_a_new_vocabulary_can_start_with_the_encoder_of_another_model(trained):
    source, out = trained / "model/model.pt", trained / "other"
    run(
        "train", out, trained / "train/train-000000.json", "--encoder-from", source, "--vocabulary", 24, "--steps", 1,
        "--batch-seconds", 8, "--hours", 0.1, "--shortest", 4, "--rate", 0,
    )
    known, found = load(source), load(out / "model.pt")
    assert (len(known.settings.pieces), len(found.settings.pieces)) == (28, 24)
    pairs = zip(known.encoder.state_dict().values(), found.encoder.state_dict().values(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--only", "training"], "these installed voices cannot speak: slt"),
        (WITHOUT, "these installed voices cannot speak: slt"),
        (["--only", "training", *WITHOUT], None),
    ],
)
def test_prepare_stops_if_an_installed_voice_cannot_speak(tmp_path, arguments, problem):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/text.txt").write_text("mũndũ irio thaka\n", encoding="utf-8")
    silent = tmp_path / "flite_cmu_us_slt"
    silent.write_text("#!/bin/sh\n")
    silent.chmod(0o755)
    options = [*LANGUAGE, "--shards", "0", "--evaluation", "text.txt"]
    command = [sys.executable, "-m", "prepare", tmp_path / "texts", tmp_path / "out", *options, *arguments]
    # The folder comes first, so that this silent program runs even if flite is installed.
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=FOLDER, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == (0 if problem is None else 2), done.stderr
    assert (problem or "") in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["out", "."], "give either --steps or --minutes"),
        (["out", ".", "--steps", "1", "--minutes", "1"], "give either --steps or --minutes"),
        (["out", "export", "--steps", "1"], "DATA has no manifest"),
        (["out", "nothing", "--steps", "1"], "nothing does not exist"),
        (["out", ".", "--steps", "1", "--start-from", "a.pt", "--encoder-from", "b.pt"], "not allowed with argument"),
    ],
)
def test_train_refuses_arguments_that_it_cannot_use(arguments, message):
    command = [sys.executable, "-m", "train", *arguments]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["new.pt", "checkpoints/kikuyu.pt"], "name at least two checkpoints"),
        (["README.md", "checkpoints/kikuyu.pt", "checkpoints/dholuo.pt"], "README.md exists already"),
        (["new.pt", "checkpoints/kikuyu.pt", "nothing.pt"], "nothing.pt"),
        (["new.pt", "checkpoints/kikuyu.pt", "checkpoints/dholuo.pt"], "differ in their sizes or in their vocabulary"),
    ],
)
def test_average_refuses_arguments_that_it_cannot_use(arguments, message):
    command = [sys.executable, "-m", "model.average", *arguments]
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
