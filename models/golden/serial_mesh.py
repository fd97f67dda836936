"""A mesh with serial barrier units, cycle by cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.golden.record import ConfigRequest, Observer
from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.serial_unit import SerialUnit
from syncfabric.models.messages import REGISTER_WORDS
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["SerialMeshModel"]


class SerialMeshModel(MeshModel):
    """A ``MeshModel`` of units that share a cycle's work with the config port (section 4.7).

    Parameters
    ----------
    network : MeshSpec
        With ``barrier_unit = "serial"``.
    observer : Observer, optional
        Hears of packets, messages and flits.
    """

    unit_type = SerialUnit

    def __init__(self, network: MeshSpec, *, observer: Observer | None = None) -> None:
        super().__init__(network, observer=observer)
        self._request: ConfigRequest | None = None
        self._still: list[SerialUnit] = []

    def is_moving(self) -> bool:
        """Return whether anything may move in the coming cycle without inputs."""
        return self._request is not None or super().is_moving()

    def _configure(
        self, now: int, config: ConfigRequest | None, arrive: Mapping[tuple[int, int], int]
    ) -> list[RegisterFile[Any]]:
        """Obey the request of the cycle before; it and this cycle's keep their units still."""
        due, self._request = self._request, config
        for unit in self._still:
            unit.still = False
        self._still = list(self._units(due, config))
        for unit in self._still:
            unit.still = True
        return super()._configure(now, due, arrive)

    def _units(self, *requests: ConfigRequest | None) -> Iterator[SerialUnit]:
        """Yield the units of whose registers requests concern one."""
        for request in requests:
            if request is not None and 0 <= request.node < len(self._routers):
                unit = self._routers[request.node].unit
                assert isinstance(unit, SerialUnit)
                if request.address < REGISTER_WORDS * len(unit.registers):
                    yield unit
