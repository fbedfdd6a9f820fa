"""Tests `python -m demo` with tiny models on the CPU. The texts have few words, and the trainings have few steps."""

import dataclasses
import itertools
import os
import signal
import subprocess
import sys
import time
import types

import pytest
import torch

from demo.__main__ import find_problem, format_table, parse, worse_languages
from demo.commands import FOLDER, CommandError, Commands, exclusive
from demo.result import Result
from demo.run import Run, espeak_errors, repeat, write_start
from demo.trainings import TRAININGS, Training
from model.recognizer import Recognizer, Settings, load, save
from model.tokenizer import learn_pieces
from prepare.text import EVALUATION
from prepare.voices import VOICES

SENTENCES = [" ".join(words) for words in itertools.permutations(["irio", "nyama", "cai", "thaka", "maai", "iria"])]
TINY = Training(
    "ki",
    "HEAD:no-such-checkpoint.pt",
    ("--shards", "2", "--evaluation", "text.txt", "--without", *sorted({voice.family for voice in VOICES})),
    (
        "--steps", "3", "--batch-seconds", "8", "--hours", "0.3", "--warmup-steps", "1", "--shortest", "8",
        "--short-share", "0.01", "--device", "cpu",
    ),
    0.0,
    ("--evaluation", "text.txt", "--sentences", "2"),
)
# Stands for a command that has ended.
FINISHED = types.SimpleNamespace(has_ended=lambda: True)
# A command that runs for a minute.
SLEEP = ("timeit", "-n", "1", "-r", "1", "import time; time.sleep(60)")


def write_inputs(root):
    """Returns a folder of texts, and a folder that has a checkpoint with random weights."""
    texts, out = root / "texts", root / "out"
    for folder in (texts / "ki", out / "ki"):
        folder.mkdir(parents=True)
    (texts / "ki/text.txt").write_text("\n".join(SENTENCES), encoding="utf-8")
    sizes = {"layers": 1, "width": 32, "channels": 4}
    save(Recognizer(Settings(pieces=learn_pieces(SENTENCES, 24, True), **sizes)), out / "ki/start.pt")
    return texts, out


def run(training, folders):
    with pytest.MonkeyPatch.context() as patch, Commands() as commands:
        patch.setenv("OMP_NUM_THREADS", "1")
        patch.setattr("demo.run.FIRST_SHARDS", 2)
        return repeat(commands, [training], *folders, [1, 2])


@pytest.fixture
def folders(tmp_path):
    return write_inputs(tmp_path)


@pytest.fixture(scope="module")
def repeated(tmp_path_factory):
    """Returns the folders of a run, and its word errors."""
    folders = write_inputs(tmp_path_factory.mktemp("repeated"))
    return folders, run(TINY, folders)


def test_repeat_writes_a_model_for_each_seed_and_the_mean_of_their_weights(repeated):
    (_, out), errors = repeated
    assert list(errors["ki"]) == ["1", "2", "mean"]
    assert all(words > 0 for _, words in errors["ki"].values())
    names = ("run-1/model.pt", "run-2/model.pt", "mean.pt")
    one, other, mean = (load(out / "ki" / name).state_dict() for name in names)
    assert any(not torch.equal(one[name], other[name]) for name in one)
    assert all(torch.allclose(mean[name], (one[name] + other[name]) / 2) for name in mean)


def test_repeat_keeps_complete_results_and_replaces_the_others(repeated):
    folders, errors = repeated
    results = {name: folders[1] / "ki" / name for name in ("data-1", "data-2", "evaluation", "run-1", "run-2")}
    for folder in results.values():
        (folder / "old").touch()
    (folders[1] / "ki/run-2.complete").unlink()
    again = run(TINY, folders)
    assert [name for name, folder in results.items() if not (folder / "old").exists()] == ["run-2"]
    assert again["ki"]["1"] == errors["ki"]["1"]


def test_a_training_is_repeated_if_its_texts_its_start_or_its_options_have_changed(folders, monkeypatch):
    started = []
    monkeypatch.setattr(Commands, "start", lambda _, log, *arguments, **options: started.append(log.stem) or FINISHED)
    monkeypatch.setattr("demo.run.FIRST_SHARDS", 0)

    def started_by(training):
        with Commands() as commands:
            run = Run(commands, training, *folders, 1)
        started.clear()
        run.prepare(1)
        run.train()
        for result in (run._speech, run._model):
            result.folder.mkdir(exist_ok=True)
            result.mark_complete()
        return started[:]

    both = ["prepare-1", "train-1"]
    assert started_by(TINY) == both
    assert started_by(TINY) == []
    assert started_by(dataclasses.replace(TINY, train=("--steps", "4"))) == ["train-1"]
    assert started_by(dataclasses.replace(TINY, prepare=("--shards", "3"))) == both
    assert started_by(TINY) == both
    (folders[1] / "ki/start.pt").write_bytes(b"other")
    assert started_by(TINY) == ["train-1"]
    (folders[0] / "ki/more.txt").write_text("irio")
    assert started_by(TINY) == both


def test_a_result_is_complete_only_with_its_folder_and_its_inputs(tmp_path):
    result = Result(tmp_path / "data-1", ["text", 1])
    assert not result.is_complete()
    result.mark_complete()
    assert not result.is_complete()
    result.folder.mkdir()
    assert result.is_complete()
    assert not Result(tmp_path / "data-1", ["text", 2]).is_complete()
    result.delete()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_deleted_is_named_and_no_longer_complete(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "data-1").symlink_to(tmp_path / "other")
    result = Result(tmp_path / "data-1", [])
    result.mark_complete()
    with pytest.raises(CommandError, match="cannot delete .*/data-1"):
        result.delete()
    assert not result.is_complete()


def test_a_result_is_not_complete_if_its_command_fails(tmp_path):
    result = Result(tmp_path / "a", [])
    result.folder.mkdir()
    result.mark_complete()
    with pytest.raises(CommandError), Commands() as commands:
        commands.wait(commands.start(tmp_path / "a.log", "timeit", "1 / 0", result=result).has_ended)
    result.folder.mkdir()
    assert not result.is_complete()


def test_no_second_run_can_use_the_folder_of_a_run_until_all_commands_have_ended(tmp_path):
    code = f"""
import os, pathlib, signal
from demo.commands import Commands, exclusive
folder = pathlib.Path({str(tmp_path)!r})
with exclusive(folder), Commands() as commands:
    print(commands.start(folder / "a.log", *{SLEEP!r}).process.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    command = [sys.executable, "-c", code]
    child = int(subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False).stdout)
    with pytest.raises(CommandError, match="Another run uses .*, or its commands still run"), exclusive(tmp_path):
        pass
    os.kill(child, signal.SIGKILL)
    end = time.monotonic() + 10
    while True:
        try:
            with exclusive(tmp_path):
                return
        except CommandError:
            assert time.monotonic() < end
            time.sleep(0.05)


def test_progress_reports_the_steps_and_the_hours_of_speech_in_the_log(folders):
    run = Run(None, TINY, *folders, 3)
    assert run.progress() == "ki 3: step 0, 0 h of speech"
    (folders[1] / "ki/run-3").mkdir()
    (folders[1] / "ki/run-3/log.jsonl").write_text('{"step": 100, "hours": 1.5}\n{"step": 200, "hours": 2.5}\n{"st')
    assert run.progress() == "ki 3: step 200, 2.5 h of speech"


def test_repeat_fails_if_there_is_too_little_speech_for_a_training(folders):
    with pytest.raises(CommandError, match=r"prepare wrote only 1 shards. Its output is in .*/ki/prepare-1.log"):
        run(dataclasses.replace(TINY, prepare=("--shards", "1", *TINY.prepare[2:])), folders)


def test_repeat_names_the_log_of_a_command_that_fails(folders):
    with pytest.raises(CommandError, match=r"prepare failed with status 2. Its output is in .*/ki/prepare-[12].log"):
        run(dataclasses.replace(TINY, prepare=("--shards", "none")), folders)


def test_commands_report_the_signal_that_ended_a_command(tmp_path):
    with pytest.raises(CommandError, match=r"timeit was ended by SIGKILL. Its output is in .*/a.log"), Commands() as commands:
        command = commands.start(tmp_path / "a.log", *SLEEP)
        command.signal(signal.SIGKILL)
        commands.wait(lambda: False)


def test_commands_end_with_the_process_that_started_them(tmp_path):
    code = f"""
import pathlib
from demo.commands import Commands, exit_on_signals
exit_on_signals()
with Commands() as commands:
    print(commands.start(pathlib.Path({str(tmp_path)!r}) / "a.log", *{SLEEP!r}).process.pid, flush=True)
    commands.wait(lambda: False)
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=FOLDER, stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.terminate()
        assert parent.wait() == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_write_start_names_the_file_to_copy_if_the_commit_is_missing(tmp_path):
    with pytest.raises(CommandError, match=r"Fetch the history, or copy this file to .*/ki/start.pt"):
        write_start(TINY, tmp_path / "ki/start.pt")


def is_shallow():
    command = ["git", "rev-parse", "--is-shallow-repository"]
    return subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False).stdout.strip() != "false"


@pytest.mark.skipif(is_shallow(), reason="the clone has no history")
def test_the_checkpoints_at_the_start_are_in_the_history_of_the_repository(tmp_path):
    for training in TRAININGS.values():
        path = tmp_path / training.language / "start.pt"
        write_start(training, path)
        assert load(path).settings.width == 256


def test_a_mean_is_worse_if_it_has_more_than_two_points_more_word_errors():
    published = TRAININGS["ki"].word_errors
    errors = lambda points: {"ki": {"3": (90.0, 5), "mean": (published + points, 5)}}
    assert worse_languages(errors(2.1)) == ["ki"]
    assert worse_languages(errors(1.9)) == worse_languages(errors(-5)) == []
    row = format_table(errors(1.9)).splitlines()[-1].split()
    assert row == ["ki", "mean", "5", f"{published + 1.9:.1f}", f"{published}", "+1.9"]


def test_the_word_errors_of_espeak_are_those_of_both_of_its_families():
    assert espeak_errors({"espeak": [10.0, 1.0, 300], "klatt": [20.0, 2.0, 100], "kal": [90.0, 9.0, 50]}) == (12.5, 400)
    with pytest.raises(CommandError, match="the evaluation has no recordings of the voices klatt"):
        espeak_errors({"espeak": [10.0, 1.0, 300]})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seeds", "3"], "give at least two different seeds"),
        (["--seeds", "3", "3"], "give at least two different seeds"),
        (["--languages", "luo"], "has no folder luo"),
        (["--languages", "ki"], "has files of an earlier run. Choose another OUT, or add --continue"),
    ],
)
def test_demo_refuses_arguments_that_it_cannot_use(tmp_path, capsys, arguments, message):
    for name in ("texts/ki", "out/ki/data-3"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "texts/ki" / EVALUATION).touch()
    with pytest.raises(SystemExit) as refused:
        parse([str(tmp_path / "texts"), str(tmp_path / "out"), *arguments])
    assert refused.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_demo_names_the_file_that_the_texts_lack(tmp_path, capsys):
    (tmp_path / "texts/ki").mkdir(parents=True)
    with pytest.raises(SystemExit):
        parse([str(tmp_path / "texts"), str(tmp_path / "out"), "--languages", "ki"])
    assert f"texts/ki has no file {EVALUATION}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("gpu", "installed", "problem"),
    [
        (False, True, "the trainings need a GPU with CUDA"),
        (True, False, "these voices are not installed: kal_diphone"),
        (True, True, ""),
    ],
)
def test_demo_needs_a_gpu_and_the_recorded_voices(monkeypatch, gpu, installed, problem):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    monkeypatch.setattr("demo.__main__.is_installed", lambda voice: installed)
    assert (find_problem(["luo"]) or "").startswith(problem)
    assert (find_problem(["luo"]) is None) == (problem == "")


def test_demo_needs_only_the_voices_of_its_languages(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr("demo.__main__.is_installed", lambda voice: not voice.name.startswith("czech"))
    assert find_problem(["ki"]) is None
    assert find_problem(["ki", "luo"]).startswith("these voices are not installed: czech_ph czech_dita czech_machac.")
