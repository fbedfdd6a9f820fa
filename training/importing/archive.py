"""Reads a .nemo file: a tar archive with a configuration, tensors and the files of a tokenizer.

Nothing in the archive is executed. Only the weights are written to disk, under a fixed name.
"""

import pathlib
import pickle
import shutil
import tarfile

import torch
import yaml

from importing.source import Unsupported

CONFIG, WEIGHTS = "model_config.yaml", "model_weights.ckpt"
MOST_MEMBERS = 10_000
LARGEST_ARCHIVE = 32 * 2**30
LARGEST_TEXT = 64 * 2**20  # bytes of the configuration, and of each file of a tokenizer
AGAIN = "Save the model again with model.save_to(FILE) in NeMo"
EXPORT = "Export a checkpoint of training with python -m export, and import the folder that it writes"


class Archive:
    """An open .nemo file. Its members are identified by their file names without folders."""

    def __init__(self, path, most_bytes=LARGEST_ARCHIVE):
        self.path = path
        try:
            self.tar = tarfile.open(path, "r:*")
        except (tarfile.TarError, EOFError) as error:
            advice = EXPORT if pathlib.PurePath(path).suffix == ".pt" else AGAIN
            raise Unsupported(f"{path} is not a .nemo file: it is no tar archive. {advice}") from error
        self.members = {}
        try:
            self._list(most_bytes)
        except (tarfile.TarError, EOFError, OSError) as error:
            raise Unsupported(f"{path} is damaged or incomplete ({error}). Copy it again") from error

    def _list(self, most_bytes):
        total = 0
        for count, member in enumerate(self.tar, 1):
            total += member.size
            if count > MOST_MEMBERS or total > most_bytes:
                raise Unsupported(
                    f"{self.path} is too large: more than {MOST_MEMBERS:,} files or {most_bytes / 2**30:.1f} GiB unpacked"
                )
            name = pathlib.PurePosixPath(member.name)
            if name.is_absolute() or ".." in name.parts:
                raise Unsupported(f"{self.path} has a file outside of the archive: {member.name}. Do not use this file")
            if not (member.isfile() or member.isdir()):
                raise Unsupported(f"{self.path} has a link or a device: {member.name}. Do not use this file")
            if member.isfile():
                self.members[name.name] = member

    def read(self, name):
        """Returns the content of a small file in the archive."""
        member = self.members[name]
        if member.size > LARGEST_TEXT:
            raise Unsupported(f"{name} in {self.path} is larger than {LARGEST_TEXT // 2**20} MiB")
        return self.tar.extractfile(member).read()

    def config(self):
        if CONFIG not in self.members:
            raise Unsupported(f"{self.path} has no {CONFIG}. {AGAIN}")
        try:
            found = yaml.safe_load(self.read(CONFIG))
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise Unsupported(f"{CONFIG} in {self.path} is not plain YAML: {' '.join(str(error).split())}") from error
        if not isinstance(found, dict):
            raise Unsupported(f"{CONFIG} in {self.path} has no fields. {AGAIN}")
        return found

    def state(self, scratch):
        """Returns the tensors by name. They are read on demand from a file in the folder `scratch`. Do not delete the
        folder while the tensors are in use.
        """
        if WEIGHTS not in self.members:
            parts = any(name.endswith(".distcp") for name in self.members)
            why = "its weights are a distributed checkpoint" if parts else f"it has no {WEIGHTS}"
            raise Unsupported(f"{self.path} is not supported: {why}. {AGAIN}")
        target = scratch / WEIGHTS
        with self.tar.extractfile(self.members[WEIGHTS]) as content, open(target, "wb") as out:
            shutil.copyfileobj(content, out, 2**20)
        return tensors_of(target)


def tensors_of(path):
    try:
        found = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except pickle.UnpicklingError as error:
        raise Unsupported(
            f"{WEIGHTS} contains Python objects besides tensors, which could run code. They were not loaded. {AGAIN}"
        ) from error
    except (RuntimeError, EOFError, ValueError) as error:
        raise Unsupported(f"{WEIGHTS} is damaged, or PyTorch did not save it. Copy the .nemo file again. {AGAIN}") from error
    # A checkpoint that was written during a training contains the tensors in the field state_dict.
    found = found.get("state_dict", found) if isinstance(found, dict) else found
    if not isinstance(found, dict) or not all(isinstance(value, torch.Tensor) for value in found.values()):
        raise Unsupported(f"{WEIGHTS} does not contain a table of tensors. {AGAIN}")
    for name, value in found.items():
        if value.is_floating_point() and not bool(torch.isfinite(value).all()):
            raise Unsupported(f"{WEIGHTS}: {name} has values that are not numbers. The file is damaged, or the training has diverged")
    return found
