"""Gates of routers' clocks."""

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.verilog import ModuleWriter

GATE = "clock_gate"
"""Module that a router's clock comes through."""

GATE_VERILOG = """
// The clock of a router, which stands while that idles. Put your library's clock gating cell in its
// place. The latch is meant: what comes while the clock is high changes nothing before it is low.
module clock_gate (
  input  wire clk,
  input  wire enable,  // High: the next edge comes out
  output wire gated
);
  reg open;
  /* verilator lint_off LATCH */
  always @* if (!clk) open = enable;
  /* verilator lint_on LATCH */
  assign gated = clk & open;
endmodule
"""


def gated(top: ModuleWriter, spec: MessageSpec, name: str) -> dict[str, str]:
    """Place the gate of a router's clock, if it has one; return how the router is joined to it."""
    if not spec.shape.router.clock_enables:
        return {}
    clock, enable = f"{name}_clk", f"{name}_clk_en"
    top.wire(clock)
    top.wire(enable)
    top.instance(GATE, f"{name}_gate", {"clk": "clk", "enable": enable, "gated": clock})
    return {"clk": clock, "clk_en": enable}
