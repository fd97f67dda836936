// Sets up the groups from the file that `syncfabric build` writes for $readmemh, without a CPU.
// An entry: KIND (4) TARGET (24) ADDRESS (12) VALUE (32). KIND 0 is a write; KIND 1 is a read,
// repeated until the word, masked by VALUE[31:16], is VALUE[15:0].
module boot (
    input  wire        clk,
    input  wire        rst,
    output reg         failed,
    output wire        config_valid,
    output wire [1:0]  config_node,
    output wire [7:0]  config_address,
    output wire        config_write,
    output wire [31:0] config_data,
    input  wire        config_ready,
    input  wire        config_error,
    input  wire [31:0] config_rdata
);
    reg [71:0] entries [0:255];  // room for more than the file has: Icarus says so
    integer i;
    initial begin
        for (i = 0; i < 256; i = i + 1) entries[i] = {72{1'b1}};  // the end
        $readmemh("lanes_setup.hex", entries, 0);
    end

    reg  [7:0]  index;
    reg         waiting;  // for an answer
    reg         awake;    // routers are out of reset a cycle after rst
    wire [71:0] entry = entries[index];
    wire        write = entry[71:68] == 4'd0;
    wire        seen = (config_rdata & {16'd0, entry[31:16]}) == {16'd0, entry[15:0]};

    assign config_valid = awake && !waiting && !(&entry);
    assign config_write = write;
    assign config_node = entry[45:44];
    assign config_address = entry[39:32];
    assign config_data = entry[31:0];

    always @(posedge clk) awake <= !rst;

    always @(posedge clk)
        if (!awake) begin
            index <= 8'd0;
            {waiting, failed} <= 2'd0;
        end else if (!waiting) begin
            waiting <= !(&entry);
        end else if (config_ready) begin
            waiting <= 1'b0;
            failed <= failed || config_error;
            if (write || seen) index <= index + 8'd1;
        end
endmodule
