"""The bench around a many-core system: it loads it, starts it, and writes down what happens.

It is Verilog, the same under every simulator. What it loads is a script, a line a step, of five
hexadecimal numbers; what it writes is a line an event: its cycle, letter, and numbers.
"""

import enum

from syncfabric.models.messages.core import Activity
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.sim.assemble.cores import SYSTEM, system_ports
from syncfabric.sim.assemble.verilog import ModuleWriter, quote

__all__ = ["CLOCKED", "RESET_CYCLES", "STUCK_CYCLES", "Step", "bench_verilog", "step_line"]

BENCH, CLOCKED = "core_bench", "core_bench_clocked"
"""The bench, which is given a clock, and the bench with a clock of its own."""

EVENTS, SCRIPT = "events", "script"
"""Names of the arguments that say where events go, and where the script is."""

STUCK_CYCLES = 20_000
"""Cycles in which no core does anything, after which nothing is waited for any more."""

RESET_CYCLES = 8


class Step(enum.IntEnum):
    """What a line of the script does with its numbers."""

    LOAD_ALL, LOAD, CONFIG, POLL, IDLE, RUN = range(6)


def step_line(step: Step, *numbers: int) -> str:
    """Return a line of the script.

    ``LOAD_ALL`` has word address and word; ``LOAD`` core, word address and word; ``CONFIG``
    target, address and word; ``POLL`` target, address, mask and the word that is waited for;
    ``IDLE`` cycles; ``RUN``, the last, the limit in cycles and the addresses between which a
    barrier in software is.
    """
    padded = (*numbers, 0, 0, 0, 0)[:4]
    return " ".join(f"{number:x}" for number in (step, *padded)) + "\n"


def bench_verilog(shape: TileShape) -> str:
    """Return the bench's modules."""
    bench = ModuleWriter(BENCH)
    bench.port("input", "clk")
    ports: dict[str, str | None] = {}
    for direction, name, width in system_ports(shape):
        if width == 0:
            continue
        ports[name] = quote(name)
        if direction == "output":
            bench.wire(name, width)
        elif name != "clk":
            bits = "" if width is None else f"[{width - 1}:0] "
            bench.lines(f"  reg {bits}{quote(name)} = 0;")
    bench.instance(SYSTEM, "system", ports)
    bench.lines(_text(shape))
    clocked = f"""\
module {CLOCKED};
  reg clk = 0;
  always #1 clk = ~clk;
  {BENCH} bench (.clk(clk));
endmodule
"""
    return f"{bench.text()}\n{clocked}"


def _text(shape: TileShape) -> str:
    cores, registers = shape.cores, shape.registers
    stopped = int(Activity.STOPPED)
    idle = f"(activity[i*3 +: 3] > {int(Activity.ARRIVES)})"
    return f"""
  reg [8*1024-1:0] script_name, events_name;
  integer script_file, events_file, i, n, got;
  reg [31:0] op, a, b, c, d, steps = 0, limit = 0, still = 0, idle = 0;
  reg asks = 0, polls = 0, over = 0, all_still, all_over, any_fault;
  reg [{cores * 3 - 1}:0] last_activity = 0;
  reg [{cores - 1}:0] last_in_barrier = 0, was_over = 0;
  initial begin
    if (!$value$plusargs("{SCRIPT}=%s", script_name)) script_name = "script.txt";
    if (!$value$plusargs("{EVENTS}=%s", events_name)) events_name = "events.txt";
    script_file = $fopen(script_name, "r");
    events_file = $fopen(events_name, "w");
    rst = 1;
  end
  always @(posedge clk) begin
    load_valid <= 0;
    config_valid <= 0;
    steps <= steps + 1;
    if (steps < {RESET_CYCLES}) rst <= steps < {RESET_CYCLES - 1};
    else if (asks) begin
      if (config_ready) begin
        if (config_error) begin
          $fwrite(events_file, "0 refused %0d %0d\\n", config_node, config_address);
          asks <= 0;
        end else if (polls && (config_rdata & c) != d) config_valid <= 1;
        else asks <= 0;
      end
    end else if (idle != 0) idle <= idle - 1;
    else if (!run) begin
      got = $fscanf(script_file, "%h %h %h %h %h", op, a, b, c, d);
      if (got != 5) $finish;
      case (op)
        {Step.LOAD_ALL:d}: begin
          load_valid <= 1; load_all <= 1; load_address <= a; load_data <= b;
        end
        {Step.LOAD:d}: begin
          load_valid <= 1; load_all <= 0; load_core <= a; load_address <= b; load_data <= c;
        end
        {Step.CONFIG:d}, {Step.POLL:d}: begin
          config_valid <= 1; config_node <= a; config_address <= b;
          config_write <= op == {Step.CONFIG:d}; config_data <= op == {Step.CONFIG:d} ? c : 0;
          asks <= 1; polls <= op == {Step.POLL:d};
        end
        {Step.IDLE:d}: idle <= a;
        default: begin
          run <= 1; limit <= a; barrier_low <= b; barrier_high <= c;
        end
      endcase
    end
    if (run && !over) begin
      cycle <= cycle + 1;
      if (|arrive)
        for (i = 0; i < {cores}; i = i + 1)
          if (|arrive[i*{registers} +: {registers}])
            for (n = 0; n < {registers}; n = n + 1)
              if (arrive[i*{registers} + n])
                $fwrite(events_file, "%0d arrive %0d %0d\\n", cycle, i, n);
      if (|released)
        for (i = 0; i < {cores}; i = i + 1)
          if (|released[i*{registers} +: {registers}])
            for (n = 0; n < {registers}; n = n + 1)
              if (released[i*{registers} + n])
                $fwrite(events_file, "%0d release %0d %0d\\n", cycle, i, n);
      if (|put)
        for (i = 0; i < {cores}; i = i + 1)
          if (put[i])
            $fwrite(events_file, "%0d %0s %0d %0d\\n", cycle - 1, put_char[i] ? "char" : "put", i,
                    word[i*32 +: 32]);
      still <= still + 1;
      if (activity != last_activity || in_barrier != last_in_barrier) begin
        last_activity <= activity;
        last_in_barrier <= in_barrier;
        still <= 0;
        all_over = 1;
        any_fault = 0;
        for (i = 0; i < {cores}; i = i + 1) begin
          if (activity[i*3 +: 3] != last_activity[i*3 +: 3] || in_barrier[i] != last_in_barrier[i])
            $fwrite(events_file, "%0d does %0d %0d %0d\\n", cycle, i, activity[i*3 +: 3],
                    in_barrier[i]);
          if (activity[i*3 +: 3] == {stopped} && !was_over[i]) begin
            was_over[i] <= 1;
            if (exited[i])
              $fwrite(events_file, "%0d exit %0d %0d\\n", cycle - 1, i, word[i*32 +: 32]);
            else begin
              any_fault = 1;
              $fwrite(events_file, "%0d fault %0d %0d %0d %0d\\n", cycle - 1, i, reason[i*3 +: 3],
                      pc[i*32 +: 32], address[i*32 +: 32]);
            end
          end
          if (activity[i*3 +: 3] != {stopped}) all_over = 0;
        end
        over = all_over || any_fault;
      end else if (still >= {STUCK_CYCLES}) begin
        all_still = 1;
        for (i = 0; i < {cores}; i = i + 1) if (!{idle}) all_still = 0;
        still <= 0;
        over = all_still;
        if (all_still) $fwrite(events_file, "%0d stuck\\n", cycle);
      end
      if (!over && cycle == limit) begin
        over = 1;
        $fwrite(events_file, "%0d limit\\n", cycle);
      end
      if (over) begin
        for (i = 0; i < {cores}; i = i + 1)
          if (!exited[i])
            $fwrite(events_file, "%0d stands %0d %0d %0d\\n", cycle, i, activity[i*3 +: 3],
                    pc[i*32 +: 32]);
        $fwrite(events_file, "%0d end\\n", cycle);
        $fclose(events_file);
        $finish;
      end
    end
  end
"""
