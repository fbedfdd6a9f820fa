import json

import pytest

from evaluate.errors import distance, report, score_by
from train.data import find_manifests, read_manifest


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


def test_read_manifest_names_a_line_without_text(tmp_path):
    path = tmp_path / "a.json"
    entry = {"audio_filepath": "a.wav", "duration": 1}
    path.write_text(f"{json.dumps({**entry, 'text': 'a'})}\n\n{json.dumps(entry)}\n")
    with pytest.raises(ValueError, match="a.json, line 3 has no text"):
        read_manifest(path)


def test_find_manifests_takes_files_and_training_manifests_of_folders(tmp_path):
    for name in ("train-1.json", "evaluation-espeak.json", "text.json"):
        (tmp_path / name).write_text("")
    other = tmp_path / "evaluation-espeak.json"
    assert find_manifests([tmp_path, other]) == [tmp_path / "train-1.json", other]
