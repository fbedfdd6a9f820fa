"""Data that the import reads from a model file. It has the same form for all file formats."""

import sys
from dataclasses import dataclass, field

REFUSED = 3  # exit status of a command that raised Unsupported
MOST_FRAMES = 5000  # longest attention of a FastConformer in NeMo (pos_emb_max_len), in frames


class Unsupported(Exception):
    """Raised for a file that cannot be imported. The message contains the problem and what the user can do."""


def status_of(command, *arguments):
    """Runs a command. Returns its exit status, and prints the message if the command raises Unsupported."""
    try:
        command(*arguments)
    except Unsupported as error:
        print(error, file=sys.stderr)
        return REFUSED
    return 0


@dataclass
class Source:
    weights: object  # Weights of optimize/weights.py
    joint: object  # JointWeights of optimize/joint_weights.py, None for CTC
    pieces: list  # without the blank
    contexts: list  # [left, right], the default first
    reference: object  # transcribe(pcm, right) -> numbers of pieces, frames(pcm, right) -> values of each frame
    prompt: int = None
    notes: list = field(default_factory=list)  # sentences for the report
