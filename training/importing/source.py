"""What an import reads from a file, whatever the format of the file."""

from dataclasses import dataclass, field


class Unsupported(Exception):
    """A file that cannot be imported. The message says what is wrong with it and what to do."""


@dataclass
class Source:
    weights: object  # optimize/weights.py
    joint: object  # optimize/joint_weights.py, None for CTC
    pieces: list  # without the blank
    contexts: list  # [left, right], the default first
    reference: object  # transcribe(pcm, right) -> numbers of pieces, frames(pcm, right) -> values of each frame
    prompt: int = None
    notes: list = field(default_factory=list)  # sentences for the report
