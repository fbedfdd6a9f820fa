"""Imports modules of training/optimize, and adds that folder to the path because its modules import each other by plain
names.
"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "optimize"))

from calibrate import record  # noqa: E402
from compare import largest_difference, session  # noqa: E402
from compare_gpu import encode as encode_windows, through_gpu  # noqa: E402
from compare_joint import encode as encode_on_gpu, reference as search_export, search as search_on_gpu  # noqa: E402
from encoder import build as build_encoder  # noqa: E402
from gpu import unsupported as unsupported_on_gpu, write as write_gpu  # noqa: E402
from joint import build_joint  # noqa: E402
from joint_weights import JointWeights, read_joint  # noqa: E402
from manifest import write as write_manifest  # noqa: E402
from prompt import unsupported_prompt  # noqa: E402
from quantize import products, quantize  # noqa: E402
from weights import Weights, read_weights  # noqa: E402

__all__ = [
    "JointWeights", "Weights", "build_encoder", "build_joint", "encode_on_gpu", "encode_windows", "largest_difference",
    "products", "quantize", "read_joint", "read_weights", "record", "search_export", "search_on_gpu", "session",
    "through_gpu", "unsupported_on_gpu", "unsupported_prompt", "write_gpu", "write_manifest",
]
