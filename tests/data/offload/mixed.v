`default_nettype none
// a + 3 b + op modulo 2^64, 3 cycles later; without `valid`, no number at all.
module mixed (
    input wire clk, valid,
    input wire [2:0] op,
    input wire [63:0] a, b,
    output reg [63:0] y
);
  reg [63:0] first, second;
  always @(posedge clk) begin
    first <= valid ? a + 3 * b + op : 64'hx;
    second <= first;
    y <= second;
  end
endmodule
