"""What stands between a board's pins and the top that simulations have, too."""

from collections.abc import Iterator

from syncfabric.fpga.boards.board import Board, Pin
from syncfabric.fpga.boards.pll import Pll

__all__ = ["constraints", "wrapper_verilog"]

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
    for port, pin in _pins(board):
        drive = f" DRIVE={pin.drive}" if pin.drive else ""
        lines.append(f'LOCATE COMP "{port}" SITE "{pin.site}";')
        lines.append(f'IOBUF PORT "{port}" PULLMODE={pin.pull} IO_TYPE={board.standard}{drive};')
    return "\n".join(lines) + "\n"


def _pins(board: Board) -> Iterator[tuple[str, Pin]]:
    yield from board.inputs.items()
    yield "tx", board.tx
    for i, pin in enumerate(board.leds):
        yield f"leds[{i}]", pin
    yield from board.high.items()
