"""How a bench drives the hardware: a script of stimuli, each applied in its cycle."""

from functools import singledispatch
from typing import Any

from syncfabric.models.messages.registers import CONFIG_ADDRESS_BITS
from syncfabric.models.networks.spec import AnySpec, StaticSpec
from syncfabric.sim.assemble.parts import parts_of
from syncfabric.sim.assemble.script import DATA, EXTRA, INDEX, WORD_BITS, StimulusKind, payload
from syncfabric.sim.assemble.verilog import zero

Wires = list[tuple[str, int]]


def player_text(spec: AnySpec) -> str:
    """Return the player, to stand in the bench's module.

    Parameters
    ----------
    spec : AnySpec
        The network.

    That module has `clk` and `rst`. The player declares and drives `cycle` and the
    network's inputs (`arrive`, `data`, `config_…`) and the traffic's
    (`traffic_load`, `traffic_seed`, `traffic_enable`, `traffic_rate`, `traffic_goal`, `put_valid`,
    `put_flit`), and that of streams (`stream_put`, `stream_command`, `stream_set`,
    `stream_stalls`);
    of a static network `arrive`, `config_…`, `hold`, `send_valid`, `send_flit` and `recv_take`.
    Without packets there is no traffic.
    """
    inputs, kept = _inputs(spec)
    # Above a word's own bits are those of data beyond 32.
    bits = WORD_BITS - 32 + max(32, spec.flit_bits, *(each.word_bits for each in parts_of(spec)))
    inputs = [(name, width) for name, width in inputs if width]
    cases = "\n".join(f"          {kind}: begin {act} end" for kind, act in _actions(spec).items())
    declared = "\n".join(
        f"  reg [{width - 1}:0] {name} = {zero(width)};\n"
        f"  reg [{width - 1}:0] next_{name} = {zero(width)};"
        for name, width in inputs + kept
    )
    cleared = "\n".join(f"      next_{name} = {zero(width)};" for name, width in inputs)
    reset = "\n".join(f"      next_{name} = {zero(width)};" for name, width in kept)
    driven = "\n".join(f"      {name} <= next_{name};" for name, _ in inputs + kept)
    return f"""
  // ---- player
  reg [8*1024-1:0] script_name;
  reg [{bits - 1}:0] word;
  integer script_file;
  reg [31:0] cycle = 0;
  reg acted = 0;
{declared}
  initial begin
    if (!$value$plusargs("script=%s", script_name)) script_name = "script.txt";
    script_file = $fopen(script_name, "r");
    if ($fscanf(script_file, "%h", word) != 1) word = 0;
  end
  always @(posedge clk) begin
    if (rst) begin
{cleared}
{reset}
{driven}
      cycle <= 0;
      acted <= 0;
    end else if (acted || word[111:104] != 0 && word[31:0] == cycle + 1) begin
{cleared}
      acted <= word[111:104] != 0 && word[31:0] == cycle + 1;
      while (word[111:104] != 0 && word[31:0] == cycle + 1) begin
        case (word[111:104])
{cases}
        endcase
        if ($fscanf(script_file, "%h", word) != 1) word = 0;
      end
{driven}
      cycle <= cycle + 1;
    end else
      cycle <= cycle + 1;
  end
"""


@singledispatch
def _inputs(spec: Any) -> tuple[Wires, Wires]:
    """Return name and width of what is driven: for a cycle each, and until the next word."""
    nodes = len(spec.topology.nodes)
    arrivals = nodes * spec.port_registers
    inputs, kept = _config_inputs(spec), Wires()
    for each in parts_of(spec):
        inputs += each.inputs()
        kept += each.kept()
    data = arrivals * spec.data_bits
    return [*inputs, ("arrive", arrivals), ("data", data), ("last", arrivals)], kept


def _config_inputs(spec: AnySpec) -> Wires:
    return [
        ("config_valid", 1),
        ("config_node", spec.layout.target_bits),
        ("config_address", spec.layout.config_address_bits),
        ("config_write", 1),
        ("config_data", 32),
    ]


@_inputs.register
def _(spec: StaticSpec) -> tuple[Wires, Wires]:
    nodes = len(spec.topology.nodes)
    software = [("send_valid", nodes), ("send_flit", nodes * spec.flit_bits), ("recv_take", nodes)]
    return [("arrive", nodes), *_config_inputs(spec), *software], [("hold", nodes)]


def _config_action(spec: AnySpec) -> str:
    above = 64 + CONFIG_ADDRESS_BITS
    target = f"word[{above + spec.layout.target_bits - 1}:{above}]"
    return (
        f"next_config_valid = 1; next_config_node = {target}; "
        f"next_config_address = word[{63 + spec.layout.config_address_bits}:64]; "
        f"next_config_write = word[103:96]; next_config_data = word[63:32];"
    )


@singledispatch
def _actions(spec: Any) -> dict[StimulusKind, str]:
    """Return what each kind of stimulus does."""
    bits = spec.data_bits

    def store(name: str, place: str) -> str:
        return f"next_{name}[{place} * {bits} +: {bits}] = {DATA};" if bits else ""

    last = f"next_last[{INDEX}] = {EXTRA};"
    actions = {
        StimulusKind.ARRIVE: f"next_arrive[{INDEX}] = 1; {store('data', INDEX)} {last}",
        StimulusKind.CONFIG: _config_action(spec),
    }
    for each in parts_of(spec):
        actions |= each.actions()
    return actions


@_actions.register
def _(spec: StaticSpec) -> dict[StimulusKind, str]:
    bits, flit = spec.flit_bits, f"{{{payload(spec.flit_bits)}}}"
    return {
        StimulusKind.ARRIVE: f"next_arrive[{INDEX}] = 1;",
        StimulusKind.CONFIG: _config_action(spec),
        StimulusKind.HOLD: f"next_hold[{INDEX}] = {DATA};",
        StimulusKind.SEND: (
            f"next_send_valid[{INDEX}] = 1; next_send_flit[{INDEX} * {bits} +: {bits}] = {flit};"
        ),
        StimulusKind.TAKE: f"next_recv_take[{INDEX}] = 1;",
    }
