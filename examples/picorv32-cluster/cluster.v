// 16 PicoRV32 cores around `fabric`, the network that `syncfabric build` emits from fabric.toml.
module cluster (
    input  wire         clk,
    input  wire         rst,
    output wire [15:0]  arrived,       // a core arrives at the barrier
    output wire [15:0]  passed,        // a core goes on
    output wire [15:0]  exited,
    output wire [511:0] codes,         // exit codes
    output wire         config_error   // a request of core 0 was refused
);
    wire [15:0]  ready, done, flag_write;
    wire [15:0]  config_valid, config_write;
    wire [191:0] config_word;
    wire [63:0]  flag_number;
    wire [511:0] write_data;
    wire         config_ready;
    wire [31:0]  config_rdata;
    reg  [31:0]  flags [0:15];

    fabric fabric (
        .clk(clk), .rst(rst),
        .arrive(arrived), .last(16'd0), .ready(ready), .done(done), .released(), .broken(),
        .config_valid(config_valid[0]), .config_write(config_write[0]),
        .config_node(config_word[11:8]), .config_address(config_word[7:0]),
        .config_data(write_data[31:0]), .config_ready(config_ready),
        .config_error(config_error), .config_rdata(config_rdata)
    );

    genvar n;
    generate
        for (n = 0; n < 16; n = n + 1) begin : tiles
            tile tile (
                .clk(clk), .rst(rst), .number(n[3:0]),
                .arrive(arrived[n]), .ready(ready[n]), .done(done[n]),
                .config_valid(config_valid[n]), .config_word(config_word[12*n +: 12]),
                .config_write(config_write[n]), .config_ready(n == 0 && config_ready),
                .config_rdata(config_rdata),
                .flag_write(flag_write[n]), .flag_number(flag_number[4*n +: 4]),
                .flag(flags[flag_number[4*n +: 4]]),
                .write_data(write_data[32*n +: 32]),
                .passed(passed[n]), .exited(exited[n]), .code(codes[32*n +: 32])
            );
            always @(posedge clk)
                if (rst) flags[n] <= 32'd0;
                else if (flag_write[n]) flags[n] <= write_data[32*n +: 32];
        end
    endgenerate
endmodule
