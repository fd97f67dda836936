// No lane begins a round before all lanes have finished the one before.
`timescale 1ns / 1ps
module accel_tb;
    reg clk = 0, rst = 1;
    reg [31:0] work = 32'h01010101;
    wire [63:0] rounds;
    wire failed;
    accel accel (.clk(clk), .rst(rst), .work(work), .rounds(rounds), .failed(failed));
    always #5 clk = !clk;
    always @(posedge clk) work <= {$random} | 32'h01010101;

    integer lane, other;
    always @(negedge clk)
        if (!rst)
            for (lane = 0; lane < 4; lane = lane + 1)
                for (other = 0; other < 4; other = other + 1)
                    if (failed || rounds[16*lane +: 16] > rounds[16*other +: 16] + 1) begin
                        $display("FAIL: lane %0d did not wait for lane %0d", lane, other);
                        $fatal(1);
                    end

    initial begin
        repeat (4) @(posedge clk);
        rst <= 0;
        wait (&{rounds[48 +: 16] > 20, rounds[32 +: 16] > 20, rounds[16 +: 16] > 20, rounds[0 +: 16] > 20});
        $display("PASS: 20 rounds, all lanes together");
        $finish;
    end
    initial begin
        repeat (20000) @(posedge clk);
        $display("FAIL: no end");
        $fatal(1);
    end
endmodule
