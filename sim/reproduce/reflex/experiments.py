"""The experiments of paper Reflex, and two that go beyond it."""

from syncfabric.sim.reproduce.experiment import Axes, Experiment, Parameter

__all__ = ["REFLEX"]

CORES = Parameter("cores", 64, 4, 65_536, "the most cores of a curve")
NETWORK = (
    Parameter("clock", 700.0, 1, 10_000, "TILE64's clock, MHz"),
    Parameter("L", 1.0, 0, 10_000, "latency of its networks, hops left out, cycles of the clock"),
    Parameter("o", 1.0, 0, 10_000, "what a core spends on sending or receiving a message, cycles"),
    Parameter("g", 2.0, 0, 10_000, "between two messages of a core, cycles"),
    Parameter("G", 0.25, 0, 100, "between two bytes of a message, cycles"),
    Parameter("h", 1.0, 0, 1_000, "a hop, cycles"),
)
MEMORY = (
    Parameter("memory_L", 30.0, 0, 10_000, "latency of a store or one way of a load, cycles"),
    Parameter("memory_o", 2.0, 0, 10_000, "what a core spends on it, cycles"),
    Parameter("memory_g", 2.0, 0, 10_000, "between accesses that one home serves, cycles"),
)
BUFFERS = Parameter("buffers", 2, 1, 16, "places of all buffers of the static network, for trees")
CLUSTER = (
    Parameter("L", 3_550.0, 0, 1_000_000, "latency of the network, hops left out, ns"),
    Parameter("o", 1_070.0, 0, 1_000_000, "what a node spends on sending or receiving, ns"),
    Parameter("g", 940.0, 0, 1_000_000, "between two messages of a node, ns"),
    Parameter("G", 0.5, 0, 10_000, "between two bytes of a message, ns"),
    Parameter("h", 100.0, 0, 100_000, "a hop, ns"),
)
CURVE = Axes("cores", "last arrival to last release, ns", across_base=2, up_base=10)
UNREAD = "The text of the paper gives no numbers of its curves: none are shown."
ASSUMED = "Times of LogGP are assumed, except clock and hop of TILE64."

REFLEX = (
    Experiment(
        "reflex-fig6",
        "barriers of TILE64 by the number of cores, all arriving together",
        "paper Reflex, Fig. 6",
        "reflex.fig6:together",
        axes=(CURVE,),
        caption=f"{UNREAD} {ASSUMED}",
        parameters=(
            CORES,
            *NETWORK,
            *MEMORY,
            Parameter("wake", 10.0, 0.001, 1_000, "what Tile Sync takes to wake a core, µs"),
            BUFFERS,
        ),
        rtl=True,
    ),
    Experiment(
        "reflex-fig8",
        "Reflex and Tile Spin with one core late",
        "paper Reflex, Figs. 7 and 8",
        "reflex.fig8:late",
        axes=(CURVE,),
        caption=f"{UNREAD} {ASSUMED}",
        parameters=(
            CORES,
            *NETWORK,
            *MEMORY,
            BUFFERS,
            Parameter("jitter", 200, 1, 10_000, "how late that core is, in --rtl's cycles"),
        ),
        rtl=True,
    ),
    Experiment(
        "reflex-fig9",
        "Reflex in the model and on our RTL, in cycles",
        "paper Reflex, Fig. 9",
        "reflex.fig9:model",
        axes=(Axes("cores", "cycles, arrival to last release", 2, 10),),
        caption=f"{UNREAD} {ASSUMED}",
        parameters=NETWORK,
        rtl=True,
    ),
    Experiment(
        "reflex-fig10",
        "Reflex in the model of an InfiniBand cluster",
        "paper Reflex, Fig. 10",
        "reflex.fig10:cluster",
        axes=(Axes("nodes", "arrival to last release, µs"),),
        caption=f"{UNREAD} All times of LogGP are assumed.",
        parameters=(Parameter("nodes", 1_024, 8, 65_536, "the most nodes of a curve"), *CLUSTER),
    ),
    Experiment(
        "reflex-sweep",
        "cores from which on Reflex is slower than dissemination, as each time grows",
        "beyond paper Reflex",
        "reflex.sweep:crossovers",
        axes=(Axes("the time, over its default", "cores from which Reflex is slower", 2, 2),),
        caption="Not in the paper.",
        parameters=(Parameter("cores", 65_536, 16, 65_536, "how far they are looked for"),),
    ),
    Experiment(
        "reflex-members",
        "all schemes on random members of a mesh: time, links and set-up",
        "beyond paper Reflex",
        "reflex.members:random_members",
        runs=10,
        axes=(Axes("members", "mean latency, ns", 2, 10),),
        caption=f"Not in the paper. {ASSUMED}",
        parameters=(Parameter("side", 8, 2, 16, "side of the mesh"), *NETWORK, *MEMORY, BUFFERS),
    ),
)
