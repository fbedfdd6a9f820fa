"""The layers with which NeMo adds a language prompt to encoded frames (`prompt_kernel`).

NeMo appends a vector to each frame. The vector has a 1 at the number of the prompt and otherwise zeros. Then NeMo
multiplies frame and vector by a matrix. The part of the product that comes from the vector is one row of the matrix.
The graphs therefore multiply only the frame, and add a row of a table.
"""

from onnx import TensorProto


def read_prompt(w):
    """Returns the matrix for frames, the table with a row per prompt, and the matrix and the bias of the second layer.
    Each row of the table includes the bias of the first layer.
    """
    first, matrix = w["prompt_kernel.0.weight"], w["prompt_kernel.2.weight"]
    table = first[w.width :] + w["prompt_kernel.0.bias"]
    return first[: w.width], table, matrix, w["prompt_kernel.2.bias"]


def unsupported_prompt(w):
    """Returns the reason why the prompts of an export are not supported, or None."""
    found = {name for name in w.arrays if name.startswith("prompt_kernel.")}
    if "prompt_index" not in w.inputs:
        return "it has layers prompt_kernel, but no input prompt_index" if found else None
    if not found:
        return "it has an input prompt_index, but no layers prompt_kernel"
    if found != {f"prompt_kernel.{layer}.{part}" for layer in (0, 2) for part in ("weight", "bias")}:
        return "its prompt_kernel does not consist of two linear layers"
    first, second = w["prompt_kernel.0.weight"], w["prompt_kernel.2.weight"]
    if len(first) <= w.width or second.shape != (first.shape[1], w.width):
        return f"its prompt_kernel does not fit to frames of {w.width} values"
    return None


def prompted(g, w, x, batch):
    """Extends the CPU graph by nodes that apply the prompts to the frames x [B * T, width], and by an input with the
    prompt numbers [B]. The result has the shape of x.
    """
    matrix, table, *second = read_prompt(w)
    prompt = g.input("prompt_index", ["B"], TensorProto.INT64)
    row = g.op("Unsqueeze", g.op("Gather", g.constant(table), prompt, axis=0), g.ints(1))
    x = g.linear(x, matrix, [0.0] * matrix.shape[1])
    x = g.op("Reshape", x, g.op("Concat", batch, g.ints(-1, matrix.shape[1]), axis=0))
    x = g.op("Relu", g.op("Reshape", g.op("Add", x, row), g.ints(-1, matrix.shape[1])))
    return g.linear(x, *second)


def prompted_chunk(g, w, x, chunk):
    """Extends a GPU graph by nodes that apply the prompts to the frames x [C * B, width], and by an input with the
    prompt numbers [B]. The result has the shape of x.
    """
    matrix, table, *second = read_prompt(w)
    prompt = g.input("prompt", ["B"], TensorProto.INT64)
    row = g.op("Gather", g.constant(table, hint="prompt_kernel.table"), prompt, axis=0)
    x = g.op("Reshape", g.matrix(x, "prompt_kernel.0.weight", matrix), g.ints(chunk, -1, matrix.shape[1]))
    x = g.op("Relu", g.op("Reshape", g.op("Add", x, row), g.ints(-1, matrix.shape[1])))
    return g.affine(x, "prompt_kernel.2", *second)
