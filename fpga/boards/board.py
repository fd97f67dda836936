"""Boards that a bitstream can be made for: a device, its clock and its pins.

Sources: the constraint file of the board's makers, ulx3s_v20.lpf (github.com/emard/ulx3s).
"""

from dataclasses import dataclass

from syncfabric.models.errors import SpecError

__all__ = ["BOARDS", "Board", "Pin", "board_named"]


@dataclass(frozen=True)
class Pin:
    """A pin of a board's device.

    Parameters
    ----------
    site : str
        Ball of the package.
    pull : {"NONE", "UP", "DOWN"}
        Resistor inside the device.
    drive : int, optional
        Strength of an output, in mA.
    """

    site: str
    pull: str = "NONE"
    drive: int | None = None


@dataclass(frozen=True)
class Board:
    """A board with an ECP5.

    Parameters
    ----------
    name : str
    device : str
        One of ``DEVICES``.
    reference : float
        Clock on the board, in MHz.
    clock : float
        Clock that the network gets unless another is asked for, in MHz.
    inputs : dict of str to Pin
        ``clock``; ``rx``, which the board's serial port drives; ``button``, high while pressed.
    tx : Pin
        What the board's serial port hears.
    leds : tuple of Pin
        Eight.
    high : dict of str to Pin
        Outputs that must be high for the board to work.
    settings : str
        How the device is configured: what follows SYSCONFIG in a constraint file.
    standard : str
        Electrical standard of all pins.
    """

    name: str
    device: str
    reference: float
    clock: float
    inputs: dict[str, Pin]
    tx: Pin
    leds: tuple[Pin, ...]
    high: dict[str, Pin]
    settings: str
    standard: str = "LVCMOS33"


_ULX3S = Board(
    name="ulx3s-85f",
    device="ecp5-85k",
    reference=25.0,
    clock=35.0,
    inputs={"clock": Pin("G2"), "rx": Pin("M1", "UP"), "button": Pin("R1", "DOWN")},
    tx=Pin("L4", "UP", 4),
    leds=tuple(Pin(site, drive=4) for site in ("B2", "C2", "C1", "D2", "D1", "E2", "E1", "H3")),
    # While it is low the radio module takes the board for itself.
    high={"wifi_gpio0": Pin("L2", "UP", 4)},
    settings="CONFIG_IOVOLTAGE=3.3 COMPRESS_CONFIG=ON MCCLK_FREQ=62 SLAVE_SPI_PORT=DISABLE "
    "MASTER_SPI_PORT=ENABLE SLAVE_PARALLEL_PORT=DISABLE",
)

BOARDS: dict[str, Board] = {board.name: board for board in (_ULX3S,)}
"""All boards by name."""


def board_named(name: str) -> Board:
    """Return a board.

    Raises
    ------
    SpecError
        There is none of that name.
    """
    if name not in BOARDS:
        raise SpecError(f"board must be one of {', '.join(BOARDS)}, not {name!r}")
    return BOARDS[name]
