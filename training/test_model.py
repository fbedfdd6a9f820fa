import itertools
import math
import pathlib
import sys

import numpy as np
import pytest
import torch

from evaluate.recognizers import Graph, Network
from export.__main__ import export
from model.average import average
from model.from_export import convert
from model.recognizer import CONTEXTS, Recognizer, Settings, load, save
from model.tokenizer import Tokenizer, best_path, learn_pieces, read_tokens, write_tokens
from model.transducer import transducer_loss

sys.path.append(str(pathlib.Path(__file__).parent / "optimize"))

from compare import largest_difference, session  # noqa: E402
from compare_gpu import encode  # noqa: E402
from encoder import build  # noqa: E402
from joint_weights import read_joint  # noqa: E402
from stream_features import log_mel  # noqa: E402
from weights import read_weights  # noqa: E402

SMALL = {"layers": 2, "width": 32, "heads": 4, "channels": 8}
PIECES = ["<unk>", *[f"▁{letter}" for letter in "abcdefgh"]]


def model_of(**settings):
    torch.manual_seed(1)
    model = Recognizer(Settings(pieces=PIECES, **SMALL, **settings)).eval()
    for parameter in model.parameters():
        parameter.data += torch.randn_like(parameter) * 0.1
    return model


def noise(seconds):
    return (np.random.default_rng(1).standard_normal(int(seconds * 16000)) * 3000).astype(np.int16)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    model = model_of(transducer=True)
    return model, folder, export(model, folder)


def whole(model, pcm, right):
    with torch.no_grad():
        scores, counts = model.recognize(torch.from_numpy(pcm[None] / np.float32(32768)), torch.tensor([len(pcm)]), right)
    return scores[0, : counts[0]].numpy()


def test_features_of_the_model_equal_those_of_stream_features():
    pcm = noise(1.3)
    model = model_of()
    features, frames = model.features(torch.from_numpy(pcm[None] / np.float32(32768)), torch.tensor([len(pcm)]))
    assert frames.tolist() == [130]
    np.testing.assert_allclose(features[0].T.numpy(), log_mel(pcm, 80), atol=2e-3)


def test_export_writes_graphs_that_equal_the_model(exported):
    _, _, found = exported
    assert len(found) == 2 * len(CONTEXTS) + 1
    assert all(worst < 1e-4 for _, worst in found)


@pytest.mark.parametrize("right", [right for _, right in CONTEXTS])
def test_a_streamed_utterance_equals_the_whole_one_at_each_look_ahead(exported, right):
    model, folder, _ = exported
    pcm = noise(7.31)
    streamed = encode(session(str(folder / f"56-{right}.onnx")), pcm, right)
    np.testing.assert_allclose(streamed, whole(model, pcm, right), atol=1e-4)


def test_the_fast_layers_of_a_training_equal_those_of_a_recognition():
    model, features, frames = model_of(dropout=0.0), torch.randn(2, 200, 80), torch.tensor([200, 200])
    rights = torch.tensor([13, 3])[:, None, None]
    with torch.no_grad():
        slow, _ = model.eval().encoder(features, frames, rights)
        fast, _ = model.train().encoder(features, frames, rights)
        alone, _ = model.eval().encoder(features[1:], frames[1:], 3)
    np.testing.assert_allclose(fast[:, :-1], slow[:, :-1], atol=1e-4)
    np.testing.assert_allclose(alone[0], slow[1], atol=1e-4)


def test_an_utterance_does_not_depend_on_longer_ones_in_its_batch():
    model = model_of()
    short, long = noise(2.2), noise(5)
    samples = torch.zeros(2, len(long))
    samples[0, : len(short)], samples[1] = torch.from_numpy(short / 32768), torch.from_numpy(long / 32768)
    with torch.no_grad():
        scores, counts = model.recognize(samples, torch.tensor([len(short), len(long)]), 6)
    np.testing.assert_allclose(scores[0, : counts[0]].numpy(), whole(model, short, 6), atol=1e-4)


def test_subsampling_computes_the_same_frames_in_training_as_in_recognition():
    module = model_of().encoder.pre_encode
    features, lengths = torch.randn(2, 333, 80), torch.tensor([333, 333])
    expected, counts = module.eval()(features, lengths)
    actual, counts_in_training = module.train()(features, lengths)
    torch.testing.assert_close(actual, expected, atol=1e-5, rtol=1e-5)
    assert counts.tolist() == counts_in_training.tolist()


def test_optimized_graphs_equal_the_export(exported):
    _, folder, _ = exported
    weights = read_weights(str(folder / "56-13.onnx"))
    rebuilt = build(weights, 56, 14, weights.metadata).SerializeToString()
    assert largest_difference(str(folder / "56-13.onnx"), rebuilt) < 1e-4
    assert largest_difference(str(folder / "56-3.onnx"), rebuilt) < 1e-4


def test_the_joint_network_of_the_export_can_be_read(exported):
    joint = read_joint([str(exported[1] / "decoder_joint.onnx")])
    assert (joint.hidden, joint.classes) == (SMALL["width"], len(PIECES) + 1)


def test_an_export_becomes_a_checkpoint_with_equal_transcripts(exported, tmp_path):
    _, folder, _ = exported
    save(convert(folder / "56-13.onnx", folder / "tokens.txt"), tmp_path / "model.pt")
    utterances = [noise(3), noise(1.7)]
    from_network = Network(tmp_path / "model.pt", "cpu").transcribe(utterances, 3)
    assert from_network == Graph(folder / "56-3.onnx").transcribe(utterances, 3)
    assert any(from_network)


def test_load_converts_the_weights_of_a_checkpoint_in_16_bits_to_32_bits(tmp_path):
    model = model_of()
    save(model.half(), tmp_path / "model.pt")
    restored = load(tmp_path / "model.pt")
    assert restored.settings == model.settings
    assert restored.ctc_decoder.decoder_layers[0].bias.dtype == torch.float32


def test_a_packed_checkpoint_is_smaller_and_restores_each_weight_within_half_a_step_of_8_bits(tmp_path):
    model = model_of(transducer=True)
    save(model, tmp_path / "whole.pt")
    save(model, tmp_path / "packed.pt", pack=True)
    restored = load(tmp_path / "packed.pt").state_dict()
    for name, value in model.state_dict().items():
        step = value.abs().flatten(1).amax(1) / 127 if value.dim() > 1 else value.abs().max() / 1000
        difference = (restored[name] - value).abs()
        assert torch.all((difference.flatten(1).amax(1) if value.dim() > 1 else difference.max()) <= step * 0.51 + 1e-9)
    assert (tmp_path / "packed.pt").stat().st_size < 0.5 * (tmp_path / "whole.pt").stat().st_size


def all_alignments(scores, target, blank):
    """Returns the logarithm of the sum of the probabilities of all paths through the lattice, computed path by path."""
    frames, total = len(scores), -math.inf
    for places in itertools.combinations_with_replacement(range(frames), len(target)):
        path, state = 0.0, 0
        for frame in range(frames):
            while state < len(target) and places[state] == frame:
                path += scores[frame][state][target[state]]
                state += 1
            path += scores[frame][state][blank]
        total = np.logaddexp(total, path)
    return total


def test_transducer_loss_sums_over_all_alignments():
    torch.manual_seed(2)
    logits = torch.randn(2, 4, 4, 5)
    targets = torch.tensor([[1, 2, 3], [2, 0, 0]])
    frames, counts = torch.tensor([4, 3]), torch.tensor([3, 1])
    scores = torch.log_softmax(logits, -1).tolist()
    expected = [
        -all_alignments(scores[0], [1, 2, 3], 4) / 3,
        -all_alignments(scores[1][:3], [2], 4),
    ]
    assert float(transducer_loss(logits, targets, frames, counts, 4)) == pytest.approx(np.mean(expected), rel=1e-5)


def test_tokenizer_restores_a_text_from_fewer_pieces_than_letters(tmp_path):
    texts = ["mũndũ mwega", "mũndũ nĩ mũnene", "nĩ mwega mũno", "mwana nĩ mwega"] * 5
    pieces = learn_pieces(texts, 30)
    tokenizer = Tokenizer(pieces)
    numbers = tokenizer.encode("mwega mũndũ")
    assert tokenizer.decode(numbers) == "mwega mũndũ"
    assert len(numbers) < len("mwega mũndũ")
    write_tokens(tmp_path / "tokens.txt", pieces)
    assert read_tokens(tmp_path / "tokens.txt") == pieces


def test_best_path_joins_repeated_classes():
    assert best_path([9, 1, 1, 9, 1, 2, 2, 9], 9) == [1, 1, 2]


def test_average_is_the_mean_of_the_weights():
    one, other = model_of(), model_of()
    for parameter in other.parameters():
        parameter.data += 2
    expected = {name: value + 1 for name, value in one.state_dict().items()}
    for name, value in average([one, other]).state_dict().items():
        torch.testing.assert_close(value, expected[name])


def test_average_refuses_checkpoints_with_different_vocabularies():
    other = Recognizer(Settings(pieces=[*PIECES[:-1], "▁z"], **SMALL))
    with pytest.raises(ValueError, match="differ in their sizes or in their vocabulary"):
        average([model_of(), other])
