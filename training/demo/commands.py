"""Runs Python modules of this folder as background processes."""

import contextlib
import fcntl
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
    """A running command with a log."""

    def __init__(self, log, arguments, result, nice):
        self.log, self.name, self._result = log, arguments[0], result
        log.parent.mkdir(parents=True, exist_ok=True)
        command = ["nice", "-n", str(nice), sys.executable, "-m", *map(str, arguments)]
        with log.open("w", encoding="utf-8") as output:
            # The command inherits the lock of `exclusive`.
            self.process = subprocess.Popen(
                command, cwd=FOLDER, stdout=output, stderr=output, start_new_session=True, close_fds=False
            )

    def has_ended(self):
        return self.process.poll() is not None

    def note_result(self):
        """Marks the result as complete if the command has succeeded."""
        if self._result is not None and self.process.poll() == 0:
            self._result.mark_complete()
            self._result = None

    def check(self):
        """Fails if the command has failed."""
        status = self.process.poll()
        if status not in (None, 0):
            reason = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"failed with status {status}"
            raise CommandError(f"{self.name} {reason}. Its output is in {self.log}")

    def signal(self, number):
        """Sends a signal to the command and to the processes that it has started."""
        if not self.has_ended():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)


class Commands:
    """A context of commands. When it ends, it ends all commands that still run."""

    def __enter__(self):
        self._all = []
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
        command writes. If the folder exists, it is deleted first.
        """
        if result is not None:
            result.delete()
        self._all.append(Command(log, arguments, result, nice))
        return self._all[-1]

    def wait(self, condition):
        """Waits until a condition holds. Fails as soon as any command has failed."""
        while True:
            holds = condition()
            for command in self._all:
                command.note_result()
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
def exclusive(out):
    """Prevents that two runs write the same folder. The commands inherit the lock, so it also lasts until the commands of
    a killed run have ended.
    """
    out.mkdir(parents=True, exist_ok=True)
    with (out / "lock").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(f"Another run uses {out}, or its commands still run. Wait until they have ended") from None
        yield


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
