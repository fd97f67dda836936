// The bench around a many-core system under Icarus: it loads it, starts it, and writes down what
// happens, as system.cpp does under Verilator.
//
// What it loads is a script, a line a step, of five hexadecimal numbers (sim/cores/system.py); what
// it writes is a line an event: its cycle, its name, and numbers. Sizes are macros.

module core_bench;
  localparam CORES = `CORES, NODES = `NODES, REGISTERS = `REGISTERS;
  localparam STOPPED = `STOPPED, ARRIVES = `ARRIVES;
  localparam RESET_CYCLES = `RESET_CYCLES, STUCK_CYCLES = `STUCK_CYCLES;
  localparam LOAD_ALL = `LOAD_ALL, LOAD = `LOAD, CONFIG = `CONFIG, POLL = `POLL, IDLE = `IDLE;
  reg clk = 0, rst = 0, run = 0, load_valid = 0, load_all = 0;
  reg [`CORE_BITS-1:0] load_core = 0;
  reg [`ADDRESS_BITS-1:0] load_address = 0;
  reg [31:0] load_data = 0, barrier_low = 0, barrier_high = 0;
  reg [63:0] cycle = 0;
  reg config_valid = 0, config_write = 0;
  reg [`TARGET_BITS-1:0] config_node = 0;
  reg [`CONFIG_BITS-1:0] config_address = 0;
  reg [31:0] config_data = 0;
  wire config_ready, config_error;
  wire [31:0] config_rdata;
  wire [CORES-1:0] put, put_char, in_barrier, exited;
  wire [CORES*3-1:0] activity, reason;
  wire [CORES*32-1:0] word, pc, address;
  wire [NODES*REGISTERS-1:0] arrive, released;
  core_system system (.*);
  always #1 clk = ~clk;
  reg [8*1024-1:0] script_name, events_name;
  integer script_file, events_file, i, n, got;
  reg [31:0] op, a, b, c, d, steps = 0, limit = 0, still = 0, idle = 0;
  reg asks = 0, polls = 0, over = 0, all_still, all_over, any_fault;
  reg [CORES * 3 - 1:0] last_activity = 0;
  reg [CORES - 1:0] last_in_barrier = 0, was_over = 0;
  initial begin
    if (!$value$plusargs("script=%s", script_name)) script_name = "script.txt";
    if (!$value$plusargs("events=%s", events_name)) events_name = "events.txt";
    script_file = $fopen(script_name, "r");
    events_file = $fopen(events_name, "w");
    rst = 1;
  end
  always @(posedge clk) begin
    load_valid <= 0;
    config_valid <= 0;
    steps <= steps + 1;
    if (steps < RESET_CYCLES) rst <= steps < RESET_CYCLES - 1;
    else if (asks) begin
      if (config_ready) begin
        if (config_error) begin
          $fwrite(events_file, "0 refused %0d %0d\n", config_node, config_address);
          asks <= 0;
        end else if (polls && (config_rdata & c) != d) config_valid <= 1;
        else asks <= 0;
      end
    end else if (idle != 0) idle <= idle - 1;
    else if (!run) begin
      got = $fscanf(script_file, "%h %h %h %h %h", op, a, b, c, d);
      if (got != 5) $finish;
      case (op)
        LOAD_ALL: begin
          load_valid <= 1; load_all <= 1; load_address <= a; load_data <= b;
        end
        LOAD: begin
          load_valid <= 1; load_all <= 0; load_core <= a; load_address <= b; load_data <= c;
        end
        CONFIG, POLL: begin
          config_valid <= 1; config_node <= a; config_address <= b;
          config_write <= op == CONFIG; config_data <= op == CONFIG ? c : 0;
          asks <= 1; polls <= op == POLL;
        end
        IDLE: idle <= a;
        default: begin
          run <= 1; limit <= a; barrier_low <= b; barrier_high <= c;
        end
      endcase
    end
    if (run && !over) begin
      cycle <= cycle + 1;
      if (|arrive)
        for (i = 0; i < CORES; i = i + 1)
          if (|arrive[i*REGISTERS +: REGISTERS])
            for (n = 0; n < REGISTERS; n = n + 1)
              if (arrive[i*REGISTERS + n])
                $fwrite(events_file, "%0d arrive %0d %0d\n", cycle, i, n);
      if (|released)
        for (i = 0; i < CORES; i = i + 1)
          if (|released[i*REGISTERS +: REGISTERS])
            for (n = 0; n < REGISTERS; n = n + 1)
              if (released[i*REGISTERS + n])
                $fwrite(events_file, "%0d release %0d %0d\n", cycle, i, n);
      if (|put)
        for (i = 0; i < CORES; i = i + 1)
          if (put[i])
            $fwrite(events_file, "%0d %0s %0d %0d\n", cycle - 1, put_char[i] ? "char" : "put", i,
                    word[i*32 +: 32]);
      still <= still + 1;
      if (activity != last_activity || in_barrier != last_in_barrier) begin
        last_activity <= activity;
        last_in_barrier <= in_barrier;
        still <= 0;
        all_over = 1;
        any_fault = 0;
        for (i = 0; i < CORES; i = i + 1) begin
          if (activity[i*3 +: 3] != last_activity[i*3 +: 3] || in_barrier[i] != last_in_barrier[i])
            $fwrite(events_file, "%0d does %0d %0d %0d\n", cycle, i, activity[i*3 +: 3],
                    in_barrier[i]);
          if (activity[i*3 +: 3] == STOPPED && !was_over[i]) begin
            was_over[i] <= 1;
            if (exited[i])
              $fwrite(events_file, "%0d exit %0d %0d\n", cycle - 1, i, word[i*32 +: 32]);
            else begin
              any_fault = 1;
              $fwrite(events_file, "%0d fault %0d %0d %0d %0d\n", cycle - 1, i, reason[i*3 +: 3],
                      pc[i*32 +: 32], address[i*32 +: 32]);
            end
          end
          if (activity[i*3 +: 3] != STOPPED) all_over = 0;
        end
        over = all_over || any_fault;
      end else if (still >= STUCK_CYCLES) begin
        all_still = 1;
        for (i = 0; i < CORES; i = i + 1) if (!(activity[i*3 +: 3] > ARRIVES)) all_still = 0;
        still <= 0;
        over = all_still;
        if (all_still) $fwrite(events_file, "%0d stuck\n", cycle);
      end
      if (!over && cycle == limit) begin
        over = 1;
        $fwrite(events_file, "%0d limit\n", cycle);
      end
      if (over) begin
        for (i = 0; i < CORES; i = i + 1)
          if (!exited[i])
            $fwrite(events_file, "%0d stands %0d %0d %0d\n", cycle, i, activity[i*3 +: 3],
                    pc[i*32 +: 32]);
        $fwrite(events_file, "%0d end\n", cycle);
        $fclose(events_file);
        $finish;
      end
    end
  end
endmodule
