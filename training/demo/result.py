"""Results that a later run can keep."""

import hashlib
import json
import shutil

from demo.commands import CommandError


def digest(*paths):
    """Returns a digest of the names and contents of files."""
    found = hashlib.sha256()
    for path in sorted(paths):
        content = path.read_bytes()
        found.update(f"{path.name} {len(content)} ".encode() + content)
    return found.hexdigest()


class Result:
    """A folder that a command writes. When it is complete, `inputs` is stored beside it. `inputs` has everything that
    determines the content of the folder.
    """

    def __init__(self, folder, inputs):
        self.folder, self._inputs = folder, json.dumps([*map(str, inputs)])
        self._mark = folder.with_suffix(".complete")

    def is_complete(self):
        """Returns whether a command has written the whole folder from the same inputs, in this run or in an earlier one."""
        return self.folder.exists() and self._mark.exists() and self._mark.read_text() == self._inputs

    def mark_complete(self):
        self._mark.write_text(self._inputs)

    def delete(self):
        """Deletes the folder. The mark is deleted first, so that a part of the folder never counts as complete."""
        self._mark.unlink(missing_ok=True)
        try:
            shutil.rmtree(self.folder)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise CommandError(f"cannot delete {self.folder}: {error}") from error
