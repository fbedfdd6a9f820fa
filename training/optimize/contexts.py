"""Contexts [left, right] of the demonstration models, the default first."""

CONTEXTS = [[56, 13], [56, 6], [56, 3], [56, 1], [56, 0]]
