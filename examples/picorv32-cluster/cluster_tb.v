// Runs the program on all cores, and checks that no core passes a barrier before all have arrived.
`timescale 1ns / 1ps
module cluster_tb;
    reg clk = 0, rst = 1;
    wire [15:0] arrived, passed, exited;
    wire [511:0] codes;
    wire config_error;
    cluster cluster (
        .clk(clk), .rst(rst), .arrived(arrived), .passed(passed), .exited(exited),
        .codes(codes), .config_error(config_error)
    );
    always #5 clk = !clk;
    initial #95 rst = 0;

    integer arrivals [0:15], passes [0:15];
    integer core, other, cycle = 0, last = 0, slowest = 0;
    initial for (core = 0; core < 16; core = core + 1) begin
        arrivals[core] = 0;
        passes[core] = 0;
    end

    always @(negedge clk) if (!rst) begin
        cycle = cycle + 1;
        for (core = 0; core < 16; core = core + 1)
            if (arrived[core]) begin
                arrivals[core] = arrivals[core] + 1;
                last = cycle;
            end
        for (core = 0; core < 16; core = core + 1)
            if (passed[core]) begin
                passes[core] = passes[core] + 1;
                if (cycle - last > slowest) slowest = cycle - last;
                for (other = 0; other < 16; other = other + 1)
                    if (arrivals[other] < passes[core]) begin
                        $display("FAIL: core %0d passes before core %0d arrives", core, other);
                        $fatal(1);
                    end
            end
        for (core = 0; core < 16; core = core + 1)
            if (exited[core] && codes[32*core +: 32] != 0) begin
                $display("FAIL: core %0d ends with code %0d", core, codes[32*core +: 32]);
                $fatal(1);
            end
        if (config_error || cycle > 100000) begin
            $display("FAIL: %0s", config_error ? "the set-up is refused" : "no end");
            $fatal(1);
        end
        if (&exited) begin
            $display("PASS: 16 cores, %0d barriers, %0d cycles", passes[0], cycle);
            $display("From the last arrival until the last core goes on: at most %0d cycles", slowest);
            $finish;
        end
    end
endmodule
