"""Runs Python modules of this folder as background processes."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).parents[1]
# Time that a command has to end after SIGTERM.
_END_S = 10


class CommandError(Exception):
    """A command failed, or cannot be started. The message is for the user."""


class Command:
    """A command with a log. When the command has succeeded, its arguments are stored beside the log."""

    def __init__(self, log, arguments):
        self.log, self.name = log, arguments[0]
        self._arguments, self._success, self.process = [*map(str, arguments)], log.with_suffix(".success"), None

    def start(self, nice):
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self._success.unlink(missing_ok=True)
        command = ["nice", "-n", str(nice), sys.executable, "-m", *self._arguments]
        with self.log.open("w", encoding="utf-8") as output:
            self.process = subprocess.Popen(command, cwd=FOLDER, stdout=output, stderr=output, start_new_session=True)

    def has_succeeded(self):
        """Returns whether this command, with the same arguments, has succeeded in this run or in an earlier one."""
        return self._success.exists() and json.loads(self._success.read_text()) == self._arguments

    def has_ended(self):
        return self.process is None or self.process.poll() is not None

    def check(self):
        """Fails if the command has failed."""
        status = None if self.process is None else self.process.poll()
        if status == 0 and not self.has_succeeded():
            self._success.write_text(json.dumps(self._arguments))
        if status not in (None, 0):
            reason = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"failed with status {status}"
            raise CommandError(f"{self.name} {reason}. Its output is in {self.log}")

    def signal(self, number):
        """Sends a signal to the command and to the processes that it has started."""
        if not self.has_ended():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)


class Commands:
    """A context of commands. When it ends, it ends all commands that still run. If `continues` is true, `start` keeps the
    results of an earlier run.
    """

    def __init__(self, continues=False):
        self._continues, self._all = continues, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for command in self._all:
            command.signal(signal.SIGTERM)
        end = time.monotonic() + _END_S
        while time.monotonic() < end and not all(command.has_ended() for command in self._all):
            time.sleep(0.05)
        for command in self._all:
            command.signal(signal.SIGKILL)

    def start(self, log, *arguments, result=None, nice=0):
        """Starts `python -m` with the arguments. The first one is the name of a module. `result` is the folder that the
        command writes. If an earlier run has written this folder completely, it is kept. Otherwise it is deleted first.
        """
        command = Command(log, arguments)
        if result is None or not (self._continues and command.has_succeeded()):
            if result is not None:
                shutil.rmtree(result, ignore_errors=True)
            command.start(nice)
        self._all.append(command)
        return command

    def wait(self, condition):
        """Waits until a condition holds. Fails as soon as any command has failed."""
        while True:
            holds = condition()
            for command in self._all:
                command.check()
            if holds:
                return
            time.sleep(0.1)

    def run(self, log, *arguments):
        """Runs a command to its end."""
        self.wait(self.start(log, *arguments).has_ended)


def exit_on_signals():
    """Makes signals end this process like an exception, so that the contexts end their commands."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: sys.exit(128 + received))


@contextlib.contextmanager
def shared_gpu(folder):
    """Starts the Multi-Process Service of NVIDIA if it is installed, and stops it at the end. With this service, the GPU
    runs operations of several processes at the same time.
    """
    program = shutil.which("nvidia-cuda-mps-control")
    if program is None:
        print("nvidia-cuda-mps-control is not installed, so the trainings share the GPU less well", file=sys.stderr)
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["CUDA_MPS_PIPE_DIRECTORY"] = os.environ["CUDA_MPS_LOG_DIRECTORY"] = str(folder)
    if subprocess.run([program, "-d"], check=False).returncode != 0:
        stop = f"echo quit | CUDA_MPS_PIPE_DIRECTORY={folder} {program}"
        raise CommandError(f"{program} -d failed. If the service runs already, stop it with: {stop}")
    try:
        yield
    finally:
        subprocess.run([program], input="quit\n", text=True, check=False)
