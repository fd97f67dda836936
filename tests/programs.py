"""Python programs in processes of their own, alone or on ranks of MPI."""

import os
import subprocess
import sys

from syncfabric.sim.ranks.launch import mpiexec


def start(
    *program: object, ranks: int = 0, outlive: bool = False, **environment: str
) -> subprocess.Popen[str]:
    """Start Python with these words, on ranks if there are any; it imports what this one can."""
    command = [sys.executable, *map(str, program)]
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.Popen(
        mpiexec(ranks, command, outlive=outlive) if ranks else command,
        env={**os.environ, "PYTHONPATH": path, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(
    *program: object,
    ranks: int = 0,
    outlive: bool = False,
    timeout: float = 600,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    process = start(*program, ranks=ranks, outlive=outlive, **environment)
    try:
        out, told = process.communicate(timeout=timeout)
    finally:
        process.kill()
    return subprocess.CompletedProcess(process.args, process.returncode, out, told)
