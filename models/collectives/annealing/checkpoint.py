"""A run on file, so that it can go on another day."""

from __future__ import annotations

import hashlib
import json
import tokenize
import zipfile
import zlib
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.annealing.island import Island, Solution, State
from syncfabric.models.collectives.annealing.worker import Begin
from syncfabric.models.errors import OutputError, SpecError
from syncfabric.models.files import read_bytes, write_whole

__all__ = ["Checkpoint", "fingerprint"]

Array = NDArray[Any]

_NO_ARRAYS = (
    *(OSError, ValueError, TypeError, KeyError, EOFError, AttributeError, RuntimeError),
    *(MemoryError, SyntaxError, zipfile.BadZipFile, zlib.error, tokenize.TokenError),
)
"""What numpy raises of a file that is not one of its own, or is damaged."""


def fingerprint(begin: Begin, islands: int) -> str:
    """Return a text that is another for each run that differs in anything but its length."""
    task, symmetry = begin.task, begin.symmetry
    values = [
        task.topology.to_json(),
        repr((task.collective, task.rules, task.extra)),
        begin.steps,
        repr(begin.parameters),
        None if symmetry is None else repr(symmetry.generators),
        begin.seed,
        islands,
    ]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


@dataclass(frozen=True)
class Checkpoint:
    """A run between two epochs."""

    epoch: int
    """The next one."""
    seconds: float
    """That the run has taken."""
    states: list[State]
    """Of the islands that have begun."""
    bests: list[Solution]
    """Of each of them, after the last epoch."""

    def write(self, file: Path, key: str) -> None:
        """Write it whole, or leave what was there.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        arrays: dict[str, object] = {
            "key": np.array(key),
            "epoch": np.array(self.epoch),
            "seconds": np.array(self.seconds),
        }
        for i, (state, best) in enumerate(zip(self.states, self.bests, strict=True)):
            arrays |= {f"{i}/{name}": values for name, values in state.items()}
            arrays |= {f"{i}/best.{name}": np.array(v) for name, v in best._asdict().items()}
        stream = BytesIO()
        np.savez(stream, **arrays)  # type: ignore[arg-type]
        try:
            write_whole(file, stream.getvalue())
        except OSError as error:
            raise OutputError(f"{file}: cannot be written: {error.strerror}") from None

    @classmethod
    def read(cls, file: Path, key: str, island: Island) -> Checkpoint:
        """Read what ``write`` wrote.

        Parameters
        ----------
        file : Path
        key : str
            The run's.
        island : Island
            One of the run: all are alike.

        Raises
        ------
        SpecError
            The file is no checkpoint, or one of another run.
        """
        try:
            with np.load(BytesIO(read_bytes(file)), allow_pickle=False) as stream:
                arrays = dict(stream)
            found = str(arrays.pop("key"))
        except _NO_ARRAYS:
            raise _damaged(file) from None
        if found != key:
            raise SpecError(
                f"{file}: this checkpoint is of another run; task, steps, seed, parameters and "
                "islands must be the same"
            )
        try:
            made = cls._of(arrays)
        except (ValueError, TypeError, KeyError, OverflowError):
            raise _damaged(file) from None
        chromosome = island.chromosome
        if not (
            made.states
            and made.epoch >= 0
            and made.seconds >= 0
            and all(map(island.knows, made.states))
            and all(chromosome.holds(best.option, best.step) for best in made.bests)
        ):
            raise _damaged(file)
        return made

    @classmethod
    def _of(cls, arrays: dict[str, Array]) -> Checkpoint:
        """Sort the arrays of a file by their islands."""
        epoch, seconds = int(arrays.pop("epoch")), float(arrays.pop("seconds"))
        found: dict[int, dict[str, Array]] = {}
        for name, values in arrays.items():
            number, _, part = name.partition("/")
            found.setdefault(int(number), {})[part] = values
        states: list[State] = []
        bests = []
        for i in range(len(found)):
            state = found[i]
            conflicts, option, step = (state.pop(f"best.{name}") for name in Solution._fields)
            states.append({**state})
            bests.append(Solution(int(conflicts), option, step))
        return cls(epoch, seconds, states, bests)


def _damaged(file: Path) -> SpecError:
    return SpecError(f"{file}: it is no checkpoint, or it is damaged")
