// Two lanes of signed numbers of 16 bits. `max` takes the number that is farther from 0, of equally
// far ones a's; every other function adds, and what is too great or too small stays at the end of
// the range. Two cycles from the operands to the result; `valid` is of no use here.
module saturate (
    input  wire        clk,
    input  wire        valid,
    input  wire [2:0]  op,
    input  wire [31:0] a,
    input  wire [31:0] b,
    output wire [31:0] y
);
  saturate_lane low (.clk(clk), .op(op), .a(a[15:0]), .b(b[15:0]), .y(y[15:0]));
  saturate_lane high (.clk(clk), .op(op), .a(a[31:16]), .b(b[31:16]), .y(y[31:16]));
endmodule

module saturate_lane (
    input  wire               clk,
    input  wire        [2:0]  op,
    input  wire signed [15:0] a,
    input  wire signed [15:0] b,
    output reg  signed [15:0] y
);
  localparam [2:0] MAX = 3'd2;

  wire signed [16:0] wide_a = a, wide_b = b;
  wire signed [16:0] size_a = a < 0 ? -wide_a : wide_a;
  wire signed [16:0] size_b = b < 0 ? -wide_b : wide_b;
  reg signed  [16:0] result;

  always @(posedge clk) begin
    if (op == MAX) result <= size_b > size_a ? wide_b : wide_a;
    else           result <= wide_a + wide_b;
    y <= result[16] == result[15] ? result[15:0] : {result[16], {15{~result[16]}}};
  end
endmodule
