// A PicoRV32 core with 4 KiB of memory of its own, and the words by which it reaches the cluster:
//
//   0x10000000  CORE     read   number of this core
//   0x10000004  READY    read   its barrier register is set up
//   0x10000008  BARRIER  write  arrive; read: 1 when the barrier is over
//   0x1000000c  EXIT     write  the program's exit code
//   0x20000000  CONFIG          the network's config port (core 0)
//   0x30000000  FLAGS           a word for each core: all read them, each writes its own
module tile (
    input  wire        clk,
    input  wire        rst,
    input  wire [3:0]  number,
    // its node of the network
    output wire        arrive,
    input  wire        ready,
    input  wire        done,
    // config port
    output wire        config_valid,
    output wire [11:0] config_word,
    output wire        config_write,
    input  wire        config_ready,
    input  wire [31:0] config_rdata,
    // flags
    output wire        flag_write,
    output wire [3:0]  flag_number,
    input  wire [31:0] flag,
    // for both
    output wire [31:0] write_data,
    // what the test bench looks at
    output wire        passed,
    output reg         exited,
    output reg  [31:0] code
);
    wire        valid, trap;
    wire [31:0] address;
    wire [3:0]  strobe;
    reg         answered, asked;  // the access; the config port
    reg  [31:0] rdata;

    picorv32 #(
        .STACKADDR(32'h1000)
    ) core (
        .clk(clk), .resetn(!rst && !exited), .trap(trap),
        .mem_valid(valid), .mem_ready(answered), .mem_addr(address),
        .mem_wdata(write_data), .mem_wstrb(strobe), .mem_rdata(rdata),
        .mem_instr(), .mem_la_read(), .mem_la_write(), .mem_la_addr(), .mem_la_wdata(),
        .mem_la_wstrb(), .pcpi_valid(), .pcpi_insn(), .pcpi_rs1(), .pcpi_rs2(), .pcpi_wr(1'b0),
        .pcpi_rd(32'd0), .pcpi_wait(1'b0), .pcpi_ready(1'b0), .irq(32'd0), .eoi(), .trace_valid(),
        .trace_data()
    );

    reg [31:0] memory [0:1023];
    initial $readmemh("firmware.hex", memory, 0);

    // An access is decided in its first cycle, and answered in the next one.
    wire first = valid && !answered;
    wire write = |strobe;
    wire in_memory = address[31:28] == 4'h0;
    wire in_words  = address[31:28] == 4'h1;
    wire in_config = address[31:28] == 4'h2;
    wire in_flags  = address[31:28] == 4'h3;

    assign arrive = first && in_words && write && address[4:2] == 3'd2;
    assign passed = first && in_words && !write && address[4:2] == 3'd2 && done;
    assign config_valid = first && in_config && !asked;
    assign config_word  = address[13:2];
    assign config_write = write;
    assign flag_write  = first && in_flags && write;
    assign flag_number = address[5:2];

    integer i;
    always @(posedge clk) begin
        answered <= first && !rst && (!in_config || config_ready);
        asked <= !rst && in_config && first && !config_ready;
        if (rst) begin
            exited <= 1'b0;
            code <= 32'd0;
        end else if (trap) begin
            exited <= 1'b1;
            code <= 32'hdead;
        end else if (first && in_words && write && address[4:2] == 3'd3) begin
            exited <= 1'b1;
            code <= write_data;
        end
        if (first && in_memory)
            for (i = 0; i < 4; i = i + 1)
                if (strobe[i]) memory[address[11:2]][8*i +: 8] <= write_data[8*i +: 8];
        rdata <= in_memory ? memory[address[11:2]]
               : in_config ? config_rdata
               : in_flags ? flag
               : address[4:2] == 3'd0 ? {28'd0, number}
               : address[4:2] == 3'd1 ? {31'd0, ready}
               : {31'd0, done};
    end
endmodule
