import json

import numpy as np
import pytest

from evaluate.errors import distance, report, score_by
from prepare.audio import RATE, write_wav
from train.data import Audio, find_manifests, read_manifest


@pytest.mark.parametrize(
    ("reference", "found", "expected"),
    [("abc", "abc", 0), ("abc", "ac", 1), ("abc", "abxc", 1), ("abc", "axc", 1), ("", "ab", 2), ("ab", "", 2)],
)
def test_distance_counts_insertions_deletions_and_replacements(reference, found, expected):
    assert distance(reference, found) == expected


def test_score_by_counts_errors_of_each_family_and_of_all():
    entries = [
        {"text": "a b c d", "pred_text": "a b c d", "family": "one"},
        {"text": "a b", "pred_text": "a c", "family": "two"},
    ]
    scores = score_by(entries, "family")
    assert {name: score.percent()[0] for name, score in scores.items()} == {"one": 0, "two": 50, "all": 16.67}
    assert "two           50.00 / 33.33   2 words" in report("title", scores)


ENTRY = {"audio_filepath": "a.wav", "duration": 1, "text": "a"}


@pytest.mark.parametrize(("line", "problem"), [
    ({"audio_filepath": "a.wav", "duration": 1}, "has no text"),
    ({**ENTRY, "text": None}, "needs a string as text"),
    ({**ENTRY, "audio_filepath": 5}, "needs a string as audio_filepath"),
    ({**ENTRY, "duration": "1"}, "needs a number above 0 as duration"),
    ({**ENTRY, "duration": 0}, "needs a number above 0 as duration"),
    ({**ENTRY, "offset": -1}, "needs a number of at least 0 as offset"),
    (5, "is not a JSON object"),
    ("[", "is not a JSON object: Expecting value"),
])
def test_read_manifest_names_the_line_that_is_wrong(tmp_path, line, problem):
    path = tmp_path / "a.json"
    path.write_text(f"{json.dumps(ENTRY)}\n\n{line if line == '[' else json.dumps(line)}\n")
    with pytest.raises(ValueError, match=f"a.json, line 3 {problem}"):
        read_manifest(path)


def test_read_manifest_reads_a_manifest_with_a_byte_order_mark(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({**ENTRY, "offset": 0}), encoding="utf-8-sig")
    assert [entry["text"] for entry in read_manifest(tmp_path / "a.json")] == ["a"]


def test_audio_refuses_an_offset_after_the_end_of_the_recording(tmp_path):
    write_wav(tmp_path / "a.wav", np.zeros(RATE, np.int16))
    entry = {**ENTRY, "audio_filepath": str(tmp_path / "a.wav"), "offset": 0.99}
    assert len(Audio().read(entry)) == RATE // 100
    with pytest.raises(ValueError, match="a.wav ends at 1.00 s, before the offset of an utterance"):
        Audio().read({**entry, "offset": 1})


def test_audio_names_the_file_that_cannot_be_read(tmp_path):
    write_wav(tmp_path / "a.wav", np.zeros(RATE, np.int16))
    whole = (tmp_path / "a.wav").read_bytes()
    (tmp_path / "header.wav").write_bytes(whole[:20])
    (tmp_path / "odd.wav").write_bytes(whole[:-1])
    (tmp_path / "a.flac").write_bytes(b"fLaC" * 20)
    for name, problem in (
        ("none.wav", "does not exist"), ("header.wav", "it ends within the header"), ("odd.wav", "its last sample has one byte"),
        ("a.flac", "is not a WAV file that can be read: .* Convert it to WAV"),
    ):
        with pytest.raises(ValueError, match=f"{name} .*{problem}"):
            Audio().read({**ENTRY, "audio_filepath": str(tmp_path / name)})


def test_find_manifests_takes_files_and_training_manifests_of_folders(tmp_path):
    for name in ("train-1.json", "evaluation-espeak.json", "text.json"):
        (tmp_path / name).write_text("")
    other = tmp_path / "evaluation-espeak.json"
    assert find_manifests([tmp_path, other]) == [tmp_path / "train-1.json", other]
