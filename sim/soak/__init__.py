"""Soaks: barriers by the million while groups come and go and packets crowd the network.

Traffic, arrivals and checks are beside the tiles (`sim.fabric`), in C++; Python is the software
that tears groups down and sets them up again, and tells what was found.
"""
