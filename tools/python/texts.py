"""Print the comments, docstrings and test names of Python files as JSON, for the prose check."""

import ast
import io
import json
import re
import sys
import tokenize
from pathlib import Path


def read_comments(source):
    """Return the comments with their lines. Consecutive lines are one comment."""
    comments = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or re.match(r"#\s*(noqa|type:|ruff:)", token.string):
            continue
        (line, column), text = token.start, token.string.lstrip("# ")
        last = comments[-1] if comments else None
        if last and (last["line"] + last["lines"], last["column"]) == (line, column):
            last["text"] += f" {text}"
            last["lines"] += 1
        else:
            comments.append({"line": line, "column": column, "lines": 1, "text": text})
    return comments


def read_file(path):
    """Return the texts of a file."""
    source = path.read_text()
    for comment in read_comments(source):
        yield {"kind": "text", "line": comment["line"], "text": comment["text"]}
    for node in ast.walk(ast.parse(source)):
        value = node.value if isinstance(node, ast.Expr) else None
        # A string that is a statement describes its module, class, function or field.
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield {"kind": "text", "line": node.lineno, "text": value.value}
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            name = node.name.removeprefix("test_").replace("_", " ")
            yield {"kind": "test", "line": node.lineno, "text": name}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    texts = [
        {"file": str(path.relative_to(folder)), **text}
        for path in sorted(folder.rglob("*.py"))
        for text in read_file(path)
    ]
    json.dump(texts, sys.stdout)
