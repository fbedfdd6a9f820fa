"""Contexts [left, right] of the demo models, the default first. Also checks the contexts that a user names."""

import argparse

CONTEXTS = [[56, 13], [56, 6], [56, 3], [56, 1], [56, 0]]


def read_context(text):
    """Returns [left, right] from a text LEFT,RIGHT. The unit is frames of the encoder."""
    parts = text.split(",")
    if len(parts) != 2 or not all(part.isdecimal() for part in parts) or int(parts[0]) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a context. Write LEFT,RIGHT, for example 56,13")
    return [int(part) for part in parts]


def unsupported_contexts(left, contexts):
    """Returns the reason why an export with this left context does not support the contexts, or None."""
    others = [f"{one},{right}" for one, right in contexts if one != left]
    if not others:
        return None
    return (
        f"the left context of the export has {left} frames, but --contexts has {' '.join(others)}. "
        f"Use contexts of the form {left},RIGHT"
    )
