"""What a user may put in front of a network, for software."""

from dataclasses import dataclass

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.host import MOST_METERS

FRONTS = ("axi", "uart")
_LEAST_CYCLES = 4


@dataclass(frozen=True)
class Front:
    """What stands in front of a network.

    Parameters
    ----------
    kind : {"axi", "uart"}
        AXI4-Lite, or a console over a UART.
    meters : int, 0 to 16
        Groups that can be measured at the same time.
    bit_cycles : int, >= 4
        Clock cycles of a bit of the UART.

    Raises
    ------
    SpecError
        One of them is not allowed.
    """

    kind: str
    meters: int = 1
    bit_cycles: int = 25

    def __post_init__(self) -> None:
        if self.kind not in FRONTS:
            raise SpecError(f"front {self.kind!r} is not known; it must be one of axi, uart")
        if not 0 <= self.meters <= MOST_METERS:
            raise SpecError(f"meters = {self.meters}: it must be 0..{MOST_METERS}")
        if self.bit_cycles < _LEAST_CYCLES:
            raise SpecError(f"bit cycles = {self.bit_cycles}: a bit of the UART takes 4 or more")

    @property
    def module(self) -> str:
        """Name of the host's module."""
        return f"{self.kind}_host"
