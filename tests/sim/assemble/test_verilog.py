"""The writer of Verilog, and what is mended in the converter's."""

import re
import subprocess
from pathlib import Path

import pytest
from amaranth import Array, Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.sim.assemble.verilog import ModuleWriter, convert, part, ports_of, zero

DEPTH = 20

TOP = """
module top;
  reg clk = 0, rst = 1, write = 0;
  reg [4:0] address = 0;
  reg [1:0] choice = 0;
  wire [7:0] read;
  wire [7:0] chosen;
  store s(.clk(clk), .rst(rst), .write(write), .address(address), .choice(choice),
          .read(read), .chosen(chosen));
  initial #5 clk = 1;
  initial #10 $display("%h %h", read, chosen);
endmodule
"""


class Store(wiring.Component):
    """A memory that starts as zeros, and a choice whose inputs all start as zeros."""

    def __init__(self) -> None:
        super().__init__(
            {
                "write": In(1),
                "address": In(range(DEPTH)),
                "choice": In(2),
                "read": Out(8),
                "chosen": Out(8),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.store = store = memory.Memory(shape=8, depth=DEPTH, init=[])
        write, read = store.write_port(), store.read_port(domain="comb")
        words = [Signal(8, name=f"word_{i}") for i in range(4)]
        m.d.comb += [
            write.en.eq(self.write),
            write.addr.eq(self.address),
            read.addr.eq(self.address),
            self.read.eq(read.data),
            self.chosen.eq(Array(words)[self.choice]),
        ]
        with m.If(self.write):
            m.d.sync += Array(words)[self.choice].eq(1)
        return m


def test_a_memory_of_zeros_is_cleared_by_a_loop() -> None:
    text = convert(Store(), "store")
    assert f"store_word < {DEPTH}" in text
    assert "[3] = 8'h00" not in text


class Outer(wiring.Component):
    """A port of no bits, and inside a part whose port of the same name has some."""

    def __init__(self) -> None:
        super().__init__({"read": Out(0), "seen": Out(8)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.store = store = Store()
        m.d.comb += self.seen.eq(store.read)
        return m


def test_ports_of_no_bits_are_left_out_and_no_others_of_their_name() -> None:
    text = convert(Outer(), "outer")
    assert ports_of(text, "outer").keys() == {"clk", "rst", "seen"}
    (inner,) = re.findall(r"^module (store__\w+)", text, re.MULTILINE)
    assert "read" in ports_of(text, inner)
    assert "[-1:0]" not in text


def test_names_are_plain_and_no_path_shows() -> None:
    text = convert(Store(), "store")
    assert "$" not in text
    assert "\\" not in text
    assert ".py" not in text


@pytest.mark.icarus
def test_every_output_is_known_after_a_cycle_of_reset(tmp_path: Path) -> None:
    source, program = tmp_path / "top.v", tmp_path / "top.vvp"
    source.write_text(convert(Store(), "store") + TOP)
    subprocess.run(["iverilog", "-g2012", "-s", "top", "-o", program, source], check=True)
    run = subprocess.run(["vvp", program], check=True, capture_output=True, text=True)
    assert run.stdout == "00 00\n"


def test_parts_of_packed_vectors() -> None:
    assert part("data", 3, 4) == "data[15:12]"
    assert part("arrive", 3, 1) == "arrive[3:3]"
    assert zero(7) == "7'd0"


def test_a_module_as_text() -> None:
    module = ModuleWriter("top")
    module.port("input", "clk")
    module.port("output", "lamps", 1)
    module.port("input", "nothing", 0)
    module.wire("inner", 2)
    module.assign("lamps", "inner[0]")
    module.instance("part", "part_0", {"clk": "clk", "left_out": None, "open": ""})
    assert module.text() == (
        "module top (\n"
        "  input wire clk,\n"
        "  output wire [0:0] lamps\n"
        ");\n"
        "  wire [1:0] inner;\n"
        "  assign lamps = inner[0];\n"
        "  part part_0 (\n"
        "    .clk(clk),\n"
        "    .open()\n"
        "  );\n"
        "endmodule\n"
    )
