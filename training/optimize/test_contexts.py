import argparse

import pytest

from contexts import CONTEXTS, read_context, unsupported_contexts


def test_unsupported_contexts_accepts_contexts_with_the_left_context_of_the_export():
    assert unsupported_contexts(56, CONTEXTS) is None


def test_unsupported_contexts_names_contexts_with_another_left_context():
    assert unsupported_contexts(70, [[56, 13], [70, 6], [56, 3]]) == (
        "the left context of the export has 70 frames, but --contexts has 56,13 56,3. Use contexts of the form 70,RIGHT"
    )


def test_read_context_reads_left_and_right():
    assert read_context("56,0") == [56, 0]


@pytest.mark.parametrize("text", ["56", "56,13,2", "56,x", "0,13", "56,-1", ""])
def test_read_context_refuses_texts_that_are_not_a_context(text):
    with pytest.raises(argparse.ArgumentTypeError, match=f"^{text} is not a context. Write LEFT,RIGHT"):
        read_context(text)
