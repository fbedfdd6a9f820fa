"""Data that the import reads from a model file. It has the same form for all file formats."""

from dataclasses import dataclass, field


class Unsupported(Exception):
    """Raised for a file that cannot be imported. The message contains the problem and what the user can do."""


@dataclass
class Source:
    weights: object  # Weights of optimize/weights.py
    joint: object  # JointWeights of optimize/joint_weights.py, None for CTC
    pieces: list  # without the blank
    contexts: list  # [left, right], the default first
    reference: object  # transcribe(pcm, right) -> numbers of pieces, frames(pcm, right) -> values of each frame
    prompt: int = None
    notes: list = field(default_factory=list)  # sentences for the report
