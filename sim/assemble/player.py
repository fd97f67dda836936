"""How a bench drives the hardware: a script of stimuli, each applied in its cycle."""

from functools import singledispatch
from typing import Any, TypeAlias

from syncfabric.models.layout.stream_traffic import COMMAND
from syncfabric.models.messages import CONFIG_ADDRESS_BITS
from syncfabric.models.networks.spec import (
    AnySpec,
    StaticSpec,
)
from syncfabric.rtl.traffic.queue import WORD_BITS, put_flit
from syncfabric.rtl.traffic.source import goal_of
from syncfabric.sim.assemble.script import StimulusKind
from syncfabric.sim.assemble.streams import CONTROL
from syncfabric.sim.assemble.verilog import zero

_WORD_BITS = 112
_DATA_BITS = "word[63:32]"

Wires: TypeAlias = list[tuple[str, int]]


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
    bits = _WORD_BITS + _bits_above(spec)
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


def _bits_above(spec: AnySpec) -> int:
    """Return the bits of data beyond those of a word's own 32."""
    return max(0, spec.flit_bits - WORD_BITS, COMMAND.width - WORD_BITS if spec.streams else 0)


def _payload(spec: AnySpec) -> str:
    """Return where a script's word has a flit's payload, the bits beyond `Stimulus.data` too."""
    above = max(0, spec.flit_bits - WORD_BITS)
    return f"word[{_WORD_BITS + above - 1}:{_WORD_BITS}], {_DATA_BITS}" if above else _DATA_BITS


@singledispatch
def _inputs(spec: Any) -> tuple[Wires, Wires]:
    """Return name and width of what is driven: for a cycle each, and until the next word."""
    nodes = len(spec.topology.nodes)
    arrivals = nodes * spec.port_registers
    inputs, kept = _config_inputs(spec), []
    if spec.channels:
        inputs += [
            ("traffic_load", 1),
            ("put_valid", nodes),
            ("put_flit", nodes * put_flit(spec.flit_bits).size),
        ]
        kept += [("traffic_seed", 32), ("traffic_enable", 1), ("traffic_rate", 24)]
        kept.append(("traffic_goal", nodes * goal_of(spec.layout.node_bits).size))
    if spec.streams:
        inputs += [(name, nodes * width) for name, width in CONTROL.items()]
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
    index, data, extra = "word[95:64]", _DATA_BITS, "word[103:96]"
    flit, payload = put_flit(spec.flit_bits), _payload(spec)
    goal = goal_of(spec.layout.node_bits).size
    flags = f"word[{96 + flit.size - flit['payload'].width - 1}:96]"
    bits = spec.data_bits

    def store(name: str, place: str) -> str:
        return f"next_{name}[{place} * {bits} +: {bits}] = {data};" if bits else ""

    last = f"next_last[{index}] = {extra};"
    actions = {
        StimulusKind.ARRIVE: f"next_arrive[{index}] = 1; {store('data', index)} {last}",
        StimulusKind.CONFIG: _config_action(spec),
    }
    if spec.channels:
        actions |= {
            StimulusKind.LOAD: f"next_traffic_load = 1; next_traffic_seed = {data};",
            StimulusKind.RATE: f"next_traffic_enable = {extra}; next_traffic_rate = {data};",
            StimulusKind.GOAL: (
                f"next_traffic_goal[{index} * {goal} +: {goal}] = {{{data}, word[96]}};"
            ),
            StimulusKind.PACKET: (
                f"next_put_valid[{index}] = 1; "
                f"next_put_flit[{index} * {flit.size} +: {flit.size}] = {{{payload}, {flags}}};"
            ),
        }
    if spec.streams:
        command = f"word[{_WORD_BITS + COMMAND.width - WORD_BITS - 1}:{_WORD_BITS}], {data}"
        actions |= {
            StimulusKind.STREAM: _to_node("stream_put", "stream_command", f"{{{command}}}"),
            StimulusKind.STALL: _to_node("stream_set", "stream_stalls", data),
        }
    return actions


@_actions.register
def _(spec: StaticSpec) -> dict[StimulusKind, str]:
    index, data, bits = "word[95:64]", _DATA_BITS, spec.flit_bits
    flit = f"{{{_payload(spec)}}}"
    return {
        StimulusKind.ARRIVE: f"next_arrive[{index}] = 1;",
        StimulusKind.CONFIG: _config_action(spec),
        StimulusKind.HOLD: f"next_hold[{index}] = {data};",
        StimulusKind.SEND: (
            f"next_send_valid[{index}] = 1; next_send_flit[{index} * {bits} +: {bits}] = {flit};"
        ),
        StimulusKind.TAKE: f"next_recv_take[{index}] = 1;",
    }


def _to_node(valid: str, word: str, value: str) -> str:
    width = CONTROL[word]
    index = "word[95:64]"
    return f"next_{valid}[{index}] = 1; next_{word}[{index} * {width} +: {width}] = {value};"
