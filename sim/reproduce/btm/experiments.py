"""The experiments of paper BTM, and one that goes beyond it."""

from syncfabric.sim.reproduce.experiment import Axes, Experiment, Parameter

__all__ = ["BTM"]

SIDE = Parameter("side", 32, 2, 128, "nodes on a side of the mesh")
LARGE = Parameter("large_side", 64, 2, 128, "nodes on a side of the larger mesh")
MEMBERS = Parameter("members", 1024, 2, 16384, "members of the groups that claims are about")
T_S = Parameter("t_s", 1000.0, 0, 100_000, "start-up of a message, ns; paper 1,000 to 10,000")
T_P = Parameter("t_p", 5.0, 0, 1000, "propagation over a link, ns; paper 5 to 15")
T_RN = Parameter("t_rn", 5.0, 0, 1000, "routing at a node outside the tree, ns; paper 5 to 15")
T_RM = Parameter("t_rm", 30.0, 0, 10_000, "routing at a member, ns; paper 30 to 60")
TIMES = (T_S, T_P, T_RN, T_RM)
RTL_SIDE = Parameter("rtl_side", 8, 4, 16, "nodes on a side of the largest mesh of --rtl")
SIZE = "group size, members"
OVER = "latency of CS over BTM's"
RATIO = Axes(SIZE, OVER, across_base=2, prefix="CS over BTM, ")
CURVES = "The text of the paper gives no numbers of its curves"
START_UPS = "Latencies by the paper's formulas, two start-ups of software (t_s) in each."

BTM = (
    Experiment(
        "btm-fig4",
        "height of barrier trees and CS trees against the size of the group",
        "paper BTM, Fig. 4",
        "btm.fig4:heights",
        runs=100,
        axes=(Axes(SIZE, "mean height, edges between members", across_base=2),),
        caption=f"{CURVES}: only the heights with all nodes of 64x64.",
        parameters=(SIDE, LARGE, MEMBERS),
    ),
    Experiment(
        "btm-fig5",
        "barrier latency on both trees against the size of the group",
        "paper BTM, Fig. 5",
        "btm.fig5:latency",
        runs=100,
        axes=(Axes(SIZE, "mean latency, ns", across_base=2), RATIO),
        caption=f"{CURVES}: only the ratios with 1024 members. {START_UPS}",
        parameters=(SIDE, LARGE, MEMBERS, *TIMES, RTL_SIDE),
        rtl=True,
    ),
    Experiment(
        "btm-fig6",
        "links that the messages of one barrier pass on both trees",
        "paper BTM, Fig. 6",
        "btm.fig6:traffic",
        runs=100,
        axes=(Axes(SIZE, "links passed in a barrier", across_base=2, up_base=10),),
        caption=f"{CURVES}.",
        parameters=(SIDE, LARGE, MEMBERS, RTL_SIDE),
        rtl=True,
    ),
    Experiment(
        "btm-fig7",
        "latency at three routing delays of a member",
        "paper BTM, Fig. 7",
        "btm.fig7:delays",
        runs=100,
        axes=(Axes(SIZE, "mean latency, ns", across_base=2), RATIO),
        caption=f"In brackets: t_rm, ns. {CURVES}: only the ratios with 1024 members. {START_UPS}",
        parameters=(
            SIDE,
            MEMBERS,
            T_S,
            T_P,
            T_RN,
            Parameter("short", 20.0, 0, 10_000, "least t_rm, ns"),
            Parameter("middle", 40.0, 0, 10_000, "middle t_rm, ns"),
            Parameter("long", 60.0, 0, 10_000, "greatest t_rm, ns"),
        ),
    ),
    Experiment(
        "btm-table1",
        "set-up, start-ups, height and growth of HP, BRCP, CS and BTM, counted",
        "paper BTM, Table 1",
        "btm.table1:characteristics",
        runs=100,
        axes=(Axes("members: all nodes of a mesh", "latency less start-ups, ns", 2, 10),),
        caption="The paper's table has bounds of growth and no points.",
        parameters=(
            SIDE,
            LARGE,
            Parameter("members", 64, 2, 16384, "members of the groups that are set up"),
            *TIMES,
        ),
    ),
    Experiment(
        "btm-sweep",
        "CS tree over barrier tree, over the paper's ranges of its times",
        "beyond paper BTM, section 4.1",
        "btm.sweep:ranges",
        runs=100,
        axes=(Axes("position in the paper's range of the time, %", OVER),),
        caption="Not in the paper, which gives the ranges alone.",
        parameters=(SIDE, LARGE, MEMBERS, *TIMES),
    ),
)
