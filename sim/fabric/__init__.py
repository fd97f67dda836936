"""A network under Verilator at full speed: its parts compiled once, the links made in C++.

Verilator flattens: a top of 64 nodes is 64 copies of the node's code, minutes to compile and too
large for the processor's instruction cache. Here the node with its traffic (a *tile*) is compiled
once, whatever the size of the network, and a C++ program makes the links between its instances; an
irregular network has two tiles, node and switch. It reads the same scripts and writes the same
probe files as the Verilog bench, and a test holds the two against each other line by line.
"""
