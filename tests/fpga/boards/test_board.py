"""The wrapper of a board, and its pins."""

import re
import subprocess
from pathlib import Path

import pytest

from syncfabric.fpga.boards.board import BOARDS, board_named, constraints, wrapper_verilog
from syncfabric.fpga.boards.pll import find_pll
from syncfabric.models.errors import SpecError
from tests.sim.assemble.icarus import compiles

INSIDE = """
module within_it(input clk, input rst, input rx, output tx, output [7:0] leds);
  assign tx = rx;
  assign leds = {7'd0, rst};
endmodule
module EHXPLLL(input CLKI, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP,
    PHASELOADREG, PLLWAKESYNC, ENCLKOP, ENCLKOS, output CLKOP, CLKOS, CLKINTFB, output LOCK);
  parameter CLKI_DIV = 0, CLKFB_DIV = 0, FEEDBK_PATH = "", CLKOP_ENABLE = "", CLKOP_DIV = 0;
  parameter CLKOP_CPHASE = 0, CLKOP_FPHASE = 0, CLKOS_ENABLE = "", CLKOS_DIV = 0;
  parameter CLKOS_CPHASE = 0, CLKOS_FPHASE = 0, OUTDIVIDER_MUXA = "", OUTDIVIDER_MUXB = "";
  parameter PLLRST_ENA = "", INTFB_WAKE = "", STDBY_ENABLE = "", DPHASE_SOURCE = "";
  reg steady = 0;
  assign CLKOP = CLKI, CLKOS = CLKI, LOCK = steady;
  initial #1000 steady = 1;
endmodule
module bench;
  reg clock = 0, rx = 1, button = 0;
  wire tx, high;
  wire [7:0] leds;
  wrapped dut(.clock(clock), .rx(rx), .button(button), .tx(tx), .leds(leds), .wifi_gpio0(high));
  always #5 clock = !clock;
  integer since;
  initial begin
    #100 $display("%b%b%b", leds[0], tx, high);
    #900 since = $time;
    wait (!leds[0]) $display("let go after %0d", ($time - since) / 10);
    #1000 button = 1; rx = 0;
    #1000 button = 0;
    $display("%b%b", leds[0], tx);
    #1 since = $time;
    wait (!leds[0]) $display("let go after %0d", ($time - since) / 10);
    $finish;
  end
endmodule
"""


@pytest.mark.icarus
def test_reset_lasts_until_the_clock_is_steady_and_the_button_let_go(tmp_path: Path) -> None:
    board = board_named("ulx3s-85f")
    text = wrapper_verilog(board, find_pll(25.0, 50.0), "wrapped", "within_it")
    program = compiles(text + INSIDE, "bench", tmp_path)
    said = subprocess.run(["vvp", "-n", program], capture_output=True, text=True, check=True)
    first, held, pressed, again = said.stdout.split("\n")[:4]
    assert (first, pressed) == ("111", "10")
    for line in (held, again):
        assert 65536 <= int(line.removeprefix("let go after ")) <= 65540


@pytest.mark.parametrize("name", BOARDS)
def test_every_pin_stands_in_the_constraints_once(name: str) -> None:
    board = board_named(name)
    text = constraints(board)
    wrapper = wrapper_verilog(board, find_pll(board.reference, board.clock), "wrapped", "within_it")
    header = wrapper.partition(");")[0]
    ports = set(re.findall(r"(?:input|output) wire (\w+)", header))
    assert "leds" not in ports
    ports |= {f"leds[{i}]" for i in range(8)}
    places = re.findall(r'^LOCATE COMP "(\S+)" SITE "(\w+)";$', text, re.MULTILINE)
    buffers = re.findall(r'^IOBUF PORT "(\S+)" PULLMODE=\w+ IO_TYPE=LVCMOS33', text, re.MULTILINE)
    assert len({site for _, site in places}) == len(places)
    assert {port for port, _ in places} == set(buffers) == ports
    assert f'FREQUENCY PORT "clock" {board.reference:g} MHZ;' in text


def test_the_serial_port_of_the_ulx3s() -> None:
    """Which way round: `rx` is what the USB chip drives."""
    board = board_named("ulx3s-85f")
    assert (board.inputs["rx"].site, board.tx.site) == ("M1", "L4")


def test_a_board_that_is_none() -> None:
    with pytest.raises(SpecError, match=r"^board must be one of ulx3s-85f, not 'icebreaker'$"):
        board_named("icebreaker")
