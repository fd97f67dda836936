"""Programs run to their end, with a log of what they printed."""

import shlex
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from syncfabric.models.errors import ToolError


def last_lines(log: Path, count: int = 25) -> str:
    """Give the end of a log, indented for an error message."""
    lines = log.read_text(errors="replace").splitlines()[-count:]
    return "\n".join(f"    {line}" for line in lines)


def run_logged(
    command: Sequence[str],
    log: Path,
    *,
    folder: Path,
    environment: Mapping[str, str],
    seconds: float | None = None,
    on_line: Callable[[str], None] | None = None,
) -> int:
    """Run a program, append what it prints to a log, and give its exit code.

    Parameters
    ----------
    command : sequence of str
    log : Path
        Gets standard output and standard error, each line as it comes.
    folder : Path
        Where the program runs.
    environment : mapping
        Its whole environment.
    seconds : float, optional
        Time after which it is ended.
    on_line : callable, optional
        Is given every line too, without its end: for a progress display.

    Raises
    ------
    ToolError
        It did not end in time, or it could not be started.
    """
    late = threading.Event()
    with log.open("a", errors="replace") as out:
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            )
        except OSError as error:
            raise ToolError(f"{command[0]} cannot be started: {error.strerror}") from error

        def end_it() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(seconds, end_it) if seconds is not None else None
        if timer:
            timer.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                out.write(line)
                out.flush()
                if on_line:
                    on_line(line.rstrip("\n"))
            code = process.wait()
        finally:
            if timer:
                timer.cancel()
            if process.poll() is None:  # an exception passes through, such as KeyboardInterrupt
                process.kill()
                process.wait()
    if late.is_set():
        raise ToolError(
            f"{Path(command[0]).name} did not end within {seconds:g} s; the end of {log}:\n"
            f"{last_lines(log)}"
        )
    return code


def run_tool(
    tool: str,
    command: Sequence[str],
    log: Path,
    *,
    folder: Path,
    environment: Mapping[str, str],
    on_line: Callable[[str], None] | None = None,
) -> None:
    """Run one step of a build, or a simulation.

    Raises
    ------
    ToolError
        It failed; the message has its command, and its last lines.
    """
    code = run_logged(command, log, folder=folder, environment=environment, on_line=on_line)
    if code != 0:
        raise ToolError(
            f"{tool} failed with exit code {code}; its last lines:\n{last_lines(log)}\n"
            f"  command: {shlex.join(command)}"
        )


def version_line(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """Give the first line of what a tool prints of its version, or nothing where it prints none."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).partition("\n")[0].strip()
