"""A mesh with serial barrier units, cycle by cycle."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.golden.record import ConfigRequest, Observer
from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.serial_router import SerialRouter
from syncfabric.models.golden.serial_unit import SerialUnit
from syncfabric.models.messages import REGISTER_WORDS, RegisterWord
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["SerialMeshModel"]

LATE = 3
"""Cycles from a config request to its being carried out."""


class SerialMeshModel(MeshModel):
    """A ``MeshModel`` of units that share their stages with the config port (section 4.7).

    Parameters
    ----------
    network : MeshSpec
        With ``barrier_unit = "serial"``.
    observer : Observer, optional
        Hears of packets, messages and flits.
    """

    router_type = SerialRouter
    unit_type = SerialUnit

    def __init__(self, network: MeshSpec, *, observer: Observer | None = None) -> None:
        super().__init__(network, observer=observer)
        self._requests: deque[ConfigRequest | None] = deque([None] * LATE)
        self._control: int | None = None
        self._still: list[SerialUnit] = []

    def is_moving(self) -> bool:
        """Return whether anything may move in the coming cycle without inputs."""
        return any(self._requests) or super().is_moving()

    def _configure(
        self, now: int, config: ConfigRequest | None, arrive: Mapping[tuple[int, int], int]
    ) -> list[RegisterFile[Any]]:
        """Obey a request that has come through the stages; those in them keep units still."""
        due = self._requests.popleft()
        for unit in self._still:
            unit.still = False
        self._still = [unit for unit, _ in self._registers(*self._requests)]
        for unit in self._still:
            unit.still = True
        control, self._control = self._control, self._control_of(self._requests[0])
        self._requests.append(config)
        if due is None:
            return []
        down = [r for unit, r in self._registers(due) if r in unit.down]
        written = self._inputs.configure(due, down)
        if control is not None:
            self._answers[-1] = (True, False, control)
        return written

    def _control_of(self, request: ConfigRequest | None) -> int | None:
        """Return the control word that a request reads, which it does a cycle early."""
        for unit, r in self._registers(request):
            assert request is not None
            if not request.write and request.address % REGISTER_WORDS == RegisterWord.CONTROL:
                return unit.registers[r].words[RegisterWord.CONTROL]
        return None

    def _registers(self, *requests: ConfigRequest | None) -> Iterator[tuple[SerialUnit, int]]:
        """Yield the registers that requests concern, with their units."""
        for request in requests:
            if request is not None and 0 <= request.node < len(self._routers):
                unit = self._routers[request.node].unit
                assert isinstance(unit, SerialUnit)
                if (r := request.address // REGISTER_WORDS) < len(unit.registers):
                    yield unit, r
