"""Ranks of MPI: how many mpiexec has started, which of them this is, and how to import mpi4py.

mpi4py is imported only where it is asked for.
"""

import os
import re
from typing import Any

from syncfabric.models.errors import ToolError, how_to_install

_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_SIZE")
_RANKS = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK")


def ranks_started() -> int | None:
    """Return how many ranks mpiexec has started with this one; None if it has started none."""
    return _number(_SIZES)


def rank_started() -> int:
    """Return which rank this is; 0 without mpiexec, too."""
    return _number(_RANKS) or 0


def mpi() -> Any:
    """Return mpi4py's module ``MPI``, which starts MPI.

    Raises
    ------
    ToolError
        It, or an MPI library for it, is not there; or mpiexec is of another MPI than the library.
    """
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError):
        raise ToolError(
            f"mpi4py and an MPI library are needed for ranks; {how_to_install('mpi')}"
        ) from None
    started = ranks_started()
    if started is not None and MPI.COMM_WORLD.Get_size() != started:
        raise ToolError(
            f"mpiexec has started {started} ranks, but they do not find each other: it is of "
            f"another MPI than mpi4py's library; for both of one MPI, {how_to_install('mpi')}"
        )
    return MPI


def _number(names: tuple[str, ...]) -> int | None:
    found = (os.environ.get(name, "") for name in names)
    return next((int(text) for text in found if re.fullmatch(r"[0-9]{1,9}", text)), None)
