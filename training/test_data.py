"""Tests which utterances share a batch of the training, and how manifests are loaded into the corpus."""

import json

import numpy as np
import pytest

from model.tokenizer import MARK, Tokenizer
from prepare.audio import RATE, write_wav
from train.data import Corpus, family_weights
from train.loader import Loader

TOKENIZER = Tokenizer(["<unk>", f"{MARK}a", f"{MARK}b", MARK, "a", "b"])


def write_manifest(folder, name, lengths):
    """Writes a manifest with utterances of these lengths in seconds. All samples of an utterance have the number of the
    utterance as their value.
    """
    counts = [int(length * RATE) for length in lengths]
    write_wav(folder / f"{name}.wav", np.concatenate([np.full(count, at) for at, count in enumerate(counts, 1)]))
    starts = np.cumsum([0, *counts[:-1]])
    lines = [
        {"audio_filepath": f"{name}.wav", "offset": start / RATE, "duration": count / RATE, "text": "a b", "family": "kal"}
        for start, count in zip(starts.tolist(), counts)
    ]
    (folder / f"{name}.json").write_text("".join(json.dumps(line) + "\n" for line in lines))


def corpus_of(hours=0.01):
    return Corpus(TOKENIZER, "cpu", hours, longest=16.0, batch_seconds=32.0)


def test_a_batch_has_utterances_of_similar_length_and_their_own_samples(tmp_path):
    write_manifest(tmp_path, "train-0", [1.0, 1.2, 10.0, 12.0])
    corpus = corpus_of()
    corpus.add(tmp_path / "train-0.json")
    table, random = corpus.table(), np.random.default_rng(1)
    drawn = [table.draw(random, 16 * RATE) for _ in range(50)]
    assert {len(set(batch.counts.tolist()) & {16000, 19200}) > 0 for batch in drawn} == {True, False}
    for batch in drawn:
        assert batch.counts.max() < 1.5 * batch.counts.min()
        assert batch.pieces.tolist() == [[1, 2]] * len(batch.starts)
        first = corpus.samples[batch.starts].tolist()
        assert first == [{16000: 1, 19200: 2, 160000: 3, 192000: 4}[count] for count in batch.counts.tolist()]


def test_a_batch_has_the_shortest_utterances_if_all_exceed_the_given_length(tmp_path):
    write_manifest(tmp_path, "train-0", [1.0, 10.0])
    corpus = corpus_of()
    corpus.add(tmp_path / "train-0.json")
    table, random = corpus.table(), np.random.default_rng(1)
    assert {int(table.draw(random, 0.5 * RATE).counts.max()) for _ in range(20)} == {16000}


def test_a_corpus_is_full_when_an_utterance_does_not_fit(tmp_path):
    write_manifest(tmp_path, "train-0", [2.0, 2.0])
    corpus = corpus_of(hours=3 / 3600)
    corpus.add(tmp_path / "train-0.json")
    assert (corpus.full, len(corpus.table().counts)) == (True, 1)


def test_family_weights_gives_espeak_as_much_weight_as_all_recorded_families_together():
    weights = family_weights(np.array(["kal", "kal", "kal", "slt", "espeak", "klatt"]))
    np.testing.assert_allclose(weights * 16, [4 / 3, 4 / 3, 4 / 3, 4, 6, 2])


def test_family_weights_keeps_the_ratio_of_the_families_if_some_are_missing():
    np.testing.assert_allclose(family_weights(np.array(["espeak", "klatt"])), [0.75, 0.25])
    np.testing.assert_allclose(family_weights(np.array(["espeak", "kal"])) * 7, [3, 4])
    np.testing.assert_allclose(family_weights(np.array(["kal", "slt", "slt"])), [0.5, 0.25, 0.25])


def test_a_manifest_that_cannot_be_read_ends_the_training(tmp_path):
    write_manifest(tmp_path, "train-0", [1.0])
    loader = Loader(corpus_of(), [tmp_path], ())
    table = loader.first()
    (tmp_path / "train-1.json").write_text('{"duration": 1, "text": "a"}\n')
    with loader:
        while loader.error is None:
            loader.ended.wait(0.01)
    with pytest.raises(ValueError, match="train-1.json, line 1 has no audio_filepath"):
        loader.newest(table)
