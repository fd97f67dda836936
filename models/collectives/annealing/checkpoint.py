"""A run on file, so that it can go on another day."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from syncfabric.models.collectives.annealing.island import Solution, State
from syncfabric.models.collectives.annealing.worker import Begin
from syncfabric.models.errors import OutputError, SpecError

__all__ = ["Checkpoint", "fingerprint"]


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
        passing = file.with_name(file.name + ".part")
        try:
            with passing.open("wb") as stream:
                np.savez(stream, **arrays)  # type: ignore[arg-type]
            os.replace(passing, file)
        except OSError as error:
            raise OutputError(f"checkpoint {file}: {error.strerror}") from None

    @classmethod
    def read(cls, file: Path, key: str) -> Checkpoint:
        """Read what ``write`` wrote.

        Raises
        ------
        SpecError
            The file is no checkpoint, or one of another run.
        """
        try:
            with np.load(file, allow_pickle=False) as stream:
                arrays = dict(stream)
            found = str(arrays.pop("key"))
            epoch, seconds = int(arrays.pop("epoch")), float(arrays.pop("seconds"))
        except (OSError, ValueError, KeyError, EOFError):
            raise SpecError(f"checkpoint {file}: it is none, or it is damaged") from None
        if found != key:
            raise SpecError(
                f"checkpoint {file}: it is of another run; task, steps, seed, parameters and "
                "islands must be the same"
            )
        states: list[State] = []
        bests = []
        for i in range(1 + max(int(name.split("/")[0]) for name in arrays)):
            state = {
                name.split("/")[1]: values
                for name, values in arrays.items()
                if name.startswith(f"{i}/")
            }
            conflicts, option, step = (state.pop(f"best.{name}") for name in Solution._fields)
            states.append(state)
            bests.append(Solution(int(conflicts), option, step))
        return cls(epoch, seconds, states, bests)
