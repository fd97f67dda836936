"""Boards that a bitstream can be made for: a device, its clock and its pins.

Sources: the constraint file of the board's makers, ulx3s_v20.lpf (github.com/emard/ulx3s).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from syncfabric.fpga.boards.pll import Pll
from syncfabric.models.errors import SpecError


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
        What the board's serial port receives.
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


_HELD_BITS = 16
"""Reset lasts two to the power of this, in cycles, after the clock is steady or a button let go."""


def wrapper_verilog(board: Board, pll: Pll, name: str, inside: str) -> str:
    """Return the module whose ports are the board's pins.

    Parameters
    ----------
    board : Board
    pll : Pll
        Makes the network's clock.
    name : str
        Of the module.
    inside : str
        The top that it places (`board_verilog`).
    """
    ports = [f"  input wire {port}" for port in board.inputs]
    ports += ["  output wire tx", f"  output wire [{len(board.leds) - 1}:0] leds"]
    ports += [f"  output wire {port}" for port in board.high]
    high = "".join(f"  assign {port} = 1'b1;\n" for port in board.high)
    listed = ",\n".join(ports)
    return f"""module {name} (
{listed}
);
  wire clk, locked, fed_back;
{pll.verilog()}

  reg [1:0] pressed = 0;
  reg [{_HELD_BITS}:0] held = 0;
  reg rst = 1;
  always @(posedge clk) pressed <= {{pressed[0], button}};
  always @(posedge clk or negedge locked)
    if (!locked) held <= 0;
    else if (pressed[1]) held <= 0;
    else if (!held[{_HELD_BITS}]) held <= held + 1;
  always @(posedge clk) rst <= !held[{_HELD_BITS}];

{high}  {inside} top (
    .clk(clk), .rst(rst), .rx(rx), .tx(tx), .leds(leds)
  );
endmodule
"""


def constraints(board: Board) -> str:
    """Return the constraint file of the wrapper (LPF): pins, and the clock that comes in."""
    lines = ["BLOCK RESETPATHS;", "BLOCK ASYNCPATHS;", f"SYSCONFIG {board.settings};"]
    lines.append(f'FREQUENCY PORT "clock" {board.reference:g} MHZ;')
    for port, pin in _pins_of(board):
        drive = f" DRIVE={pin.drive}" if pin.drive else ""
        lines.append(f'LOCATE COMP "{port}" SITE "{pin.site}";')
        lines.append(f'IOBUF PORT "{port}" PULLMODE={pin.pull} IO_TYPE={board.standard}{drive};')
    return "\n".join(lines) + "\n"


def _pins_of(board: Board) -> Iterator[tuple[str, Pin]]:
    yield from board.inputs.items()
    yield "tx", board.tx
    for i, pin in enumerate(board.leds):
        yield f"leds[{i}]", pin
    yield from board.high.items()
