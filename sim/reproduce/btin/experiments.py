"""The experiments of paper BTIN, and one that goes beyond it."""

from dataclasses import replace

from syncfabric.sim.reproduce.experiment import Axes, Experiment, Parameter

__all__ = ["BTIN"]

NODES = Parameter("nodes", 256, 2, 4096, "nodes of the network")
SWITCHES = Parameter("switches", 75, 2, 1024, "its switches")
LARGE = (
    Parameter("large_nodes", 1024, 2, 4096, "nodes of the larger network"),
    Parameter("large_switches", 300, 2, 1024, "its switches"),
)
PORTS = Parameter("ports", 8, 3, 16, "ports of every switch")
CONNECTIVITY = Parameter("connectivity", 0.75, 0.0, 1.0, "ports that are connected, of all")
MEMBERS = Parameter("members", 256, 2, 4096, "members of the groups that claims are about")
TIMES = (
    Parameter("t_s", 2000.0, 0, 100_000, "start-up of a message, ns; paper 2,000 to 10,000"),
    Parameter("t_p", 20.0, 0, 1000, "propagation over a link, ns; paper 20 to 40"),
    Parameter("t_r", 300.0, 0, 10_000, "delay of a switch, ns; paper 300 to 500"),
    Parameter("t_in", 0.0, 0, 100_000, "between messages that come in at the root, ns; 0: t_r / c"),
    Parameter("t_out", 0.0, 0, 100_000, "between those it sends by unicast, ns; 0: t_s"),
)
RTL_SIZES = (
    Parameter("rtl_nodes", 64, 2, 256, "nodes of a smaller network that --rtl measures"),
    Parameter("rtl_switches", 19, 2, 75, "its switches"),
)
SIZE = "group size, members"
TIME = Axes(SIZE, "latency, µs", across_base=2, up_base=10)
LINKS = Axes(SIZE, "links passed in a barrier", across_base=2, up_base=10)
OVER = Axes(SIZE, "latency over BTIN's", 2, 10, prefix="multicast over BTIN, ")
CURVES = "The text of the paper gives no numbers of its curves"
FITTED = "Multicast: by a formula that was fitted to the paper's numbers."

BTIN = (
    Experiment(
        "btin-fig6",
        "latency of BTIN, multicast and unicast against the size of the group",
        "paper BTIN, Fig. 6",
        "btin.fig6:latency",
        runs=100,
        axes=(TIME, OVER),
        caption=f"{CURVES}: only those shown, and the ratios with 256 members. {FITTED}",
        parameters=(NODES, SWITCHES, *LARGE, PORTS, CONNECTIVITY, MEMBERS, *TIMES, *RTL_SIZES),
        rtl=True,
    ),
    Experiment(
        "btin-fig7",
        "links between switches that the messages of one barrier pass",
        "paper BTIN, Fig. 7",
        "btin.fig7:traffic",
        runs=100,
        axes=(LINKS, replace(OVER, up="links passed over BTIN's")),
        caption=f"{CURVES}: only the ratios with 256 members.",
        parameters=(NODES, SWITCHES, *LARGE, PORTS, CONNECTIVITY, MEMBERS, *RTL_SIZES),
        rtl=True,
    ),
    Experiment(
        "btin-fig8",
        "latency at three connectivities of the switches",
        "paper BTIN, Fig. 8",
        "btin.fig8:connectivities",
        runs=100,
        axes=(TIME, OVER),
        caption=f"{CURVES}: only the ratios with 256 members. {FITTED}",
        parameters=(
            NODES,
            SWITCHES,
            PORTS,
            Parameter("low", 0.5, 0.0, 1.0, "lowest connectivity"),
            Parameter("middle", 0.7, 0.0, 1.0, "middle one"),
            Parameter("high", 0.9, 0.0, 1.0, "highest one"),
            MEMBERS,
            *TIMES,
            *RTL_SIZES,
        ),
        rtl=True,
    ),
    Experiment(
        "btin-table2",
        "set-up, start-ups, message sizes and growth of the three schemes, counted",
        "paper BTIN, Table 2",
        "btin.table2:characteristics",
        runs=100,
        caption="Claims of the table that are words have no ratio.",
        parameters=(NODES, SWITCHES, PORTS, CONNECTIVITY, MEMBERS, *TIMES),
    ),
    Experiment(
        "btin-sweep",
        "multicast and unicast over BTIN, over the paper's ranges of its times and connectivity",
        "beyond paper BTIN, section 5.1",
        "btin.sweep:ranges",
        runs=100,
        axes=(Axes("parameter over its default", "latency over BTIN's", up_base=10),),
        caption=f"Not in the paper, which gives the ranges alone. {FITTED}",
        parameters=(NODES, SWITCHES, PORTS, CONNECTIVITY, MEMBERS, *TIMES),
    ),
)
