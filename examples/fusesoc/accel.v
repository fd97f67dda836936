// Four lanes that wait for each other between rounds of work. A boot ROM sets up the barrier.
module accel (
    input  wire        clk,
    input  wire        rst,
    input  wire [31:0] work,    // cycles of a round, at least 1: a byte for each lane
    output reg  [63:0] rounds,  // rounds finished: 16 bits for each lane
    output wire        failed   // the set-up was refused
);
    wire        config_valid, config_write, config_ready, config_error;
    wire [1:0]  config_node;
    wire [7:0]  config_address;
    wire [31:0] config_data, config_rdata;
    wire [3:0]  ready, released;
    reg  [3:0]  arrive;
    reg         begun;

    boot boot (
        .clk(clk), .rst(rst), .failed(failed),
        .config_valid(config_valid), .config_node(config_node),
        .config_address(config_address), .config_write(config_write),
        .config_data(config_data), .config_ready(config_ready), .config_error(config_error),
        .config_rdata(config_rdata)
    );

    lanes lanes (
        .clk(clk), .rst(rst),
        .arrive(arrive), .last(4'd0), .released(released), .ready(ready), .done(), .broken(),
        .config_valid(config_valid), .config_node(config_node),
        .config_address(config_address), .config_write(config_write),
        .config_data(config_data), .config_ready(config_ready), .config_error(config_error),
        .config_rdata(config_rdata)
    );

    always @(posedge clk) begun <= !rst && (begun || &ready);

    genvar lane;
    generate
        for (lane = 0; lane < 4; lane = lane + 1) begin : each
            reg [7:0] left;  // cycles of work; 0: the lane waits
            always @(posedge clk) begin
                arrive[lane] <= left == 8'd1;
                if (rst) begin
                    left <= 8'd0;
                    rounds[16*lane +: 16] <= 16'd0;
                end else if (released[lane] || (&ready && !begun)) begin
                    left <= work[8*lane +: 8];
                end else if (left != 8'd0) begin
                    left <= left - 8'd1;
                    if (left == 8'd1) rounds[16*lane +: 16] <= rounds[16*lane +: 16] + 16'd1;
                end
            end
        end
    endgenerate
endmodule
