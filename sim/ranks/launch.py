"""A command over ranks: start them, and let all of them end if one of them fails."""

import os
import re
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from syncfabric.models.errors import SpecError, SyncfabricError, ToolError, how_to_install
from syncfabric.models.files import read_text, reading
from syncfabric.models.ranks import ranks_started

Result = TypeVar("Result")


def relaunch(
    ranks: int | None,
    arguments: list[str],
    *,
    outlive: bool = False,
    hostfile: Path | None = None,
) -> None:
    """Become mpiexec, which runs this command line on so many ranks, if it does not do so already.

    Parameters
    ----------
    ranks : int, optional
        None: the user has started mpiexec.
    arguments : list of str
        Those of the command line.
    outlive, hostfile
        As for ``mpiexec``.

    Raises
    ------
    SpecError
        mpiexec has started another number of ranks; or hosts are given without a number of ranks,
        or their file cannot be read, or is malformed.
    ToolError
        There is no mpiexec.
    """
    started = ranks_started()
    if hostfile is not None and started is None:
        if ranks is None:
            raise SpecError("--hostfile: it is of the ranks to start; give --ranks too")
        with reading(hostfile):
            check_hosts(read_text(hostfile))
    if ranks is None or ranks == started:
        return
    if started is not None:
        raise SpecError(f"--ranks: {ranks}, but mpiexec has started {started}")
    program = [sys.executable, "-m", "syncfabric", *arguments]
    command = mpiexec(ranks, program, outlive=outlive, hostfile=hostfile)
    sys.stdout.flush()
    os.execv(command[0], command)


_HOST = re.compile(r"[\w.-]+(:0*[1-9][0-9]*)?")


def check_hosts(text: str) -> None:
    """Refuse hosts that mpiexec would fail on: MPICH's ends by a signal, or says it in many lines.

    Parameters
    ----------
    text : str
        A line each, as ``node1:8`` (MPICH) or ``node1 slots=8`` (Open MPI); ``#`` begins a comment.

    Raises
    ------
    SpecError
        There is none, or a line is malformed; the message names it.
    """
    lines = [re.sub(r"\s*=\s*", "=", line.partition("#")[0]).split() for line in text.splitlines()]
    if not any(lines):
        raise SpecError("it has no host; give each a line, as node1:8")
    for number, (host, *keys) in ((n, words) for n, words in enumerate(lines, 1) if words):
        if not _HOST.fullmatch(host) or not all("=" in key for key in keys):
            raise SpecError(
                f'line {number}: it must be a host, as node1, node1:8 or "node1 slots=8", not'
                f' "{" ".join([host, *keys])}"'
            )


def mpiexec(
    ranks: int, program: list[str], *, outlive: bool = False, hostfile: Path | None = None
) -> list[str]:
    """Return the command that runs a program on so many ranks, be there as many processors or not.

    Parameters
    ----------
    ranks : int
    program : list of str
    outlive : bool
        Ranks are to go on when another one dies, where mpiexec is MPICH's or Open MPI's. Without
        it, and with others, mpiexec ends them all.
    hostfile : Path, optional
        The hosts to start them on, a line each, as mpiexec reads it. Each host needs this Python
        and this package at the same paths, and the files that the command line names.

    Raises
    ------
    ToolError
        There is no mpiexec.
    """
    # The one of the wheel lies beside this Python, whose mpi4py finds the wheel's library.
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    if found is None:
        raise ToolError(f"mpiexec is not there; {how_to_install('mpi')}")
    version = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    options: list[str] = []
    hosts = [] if hostfile is None else ["-hostfile", str(hostfile)]
    if "Open MPI" in version:
        options = ["--map-by", ":OVERSUBSCRIBE", *(["--continuous"] if outlive else [])]
    elif "HYDRA" in version and outlive:
        options = ["-disable-auto-cleanup"]
        program = ["sh", "-c", _SHELL, "sh", *program]
    return [found, *options, *hosts, "-n", str(ranks), *program]


_SHELL = """trap '' USR1; "$@"; exit $?"""
"""Runs a rank so that others outlive it.

MPICH's mpiexec (Hydra) is found to let them, but still kills all ranks of a computer when one of
them dies by a signal. Where it looks, a shell exits instead. It also reports deaths by SIGUSR1,
which MPICH takes and a shell must ignore.
"""


@contextmanager
def all_end(world: Any) -> Iterator[None]:
    """End all ranks if this one breaks off, for the others would wait for it.

    What is refused is refused on all of them, and needs no such end.
    """
    try:
        yield
    except SyncfabricError:
        raise
    except Exception:
        traceback.print_exc()
        sys.stderr.flush()
        world.Abort(1)


def on_first(world: Any, work: Callable[[], Result]) -> Result:
    """Let rank 0 do some work, and return what it found on every rank.

    Raises
    ------
    SyncfabricError
        What rank 0 raised, on every rank.
    """
    sent: Any = None
    if world.Get_rank() == 0:
        try:
            sent = work()
        except SyncfabricError as error:
            sent = error
    sent = world.bcast(sent, 0)
    if isinstance(sent, SyncfabricError):
        raise sent
    found: Result = sent
    return found
