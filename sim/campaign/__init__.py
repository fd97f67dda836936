"""Campaigns: faults by the ten thousand, one a trial, and what becomes of each.

Every trial begins with the same hardware, its groups set up and at rest, and has one fault while
they synchronize. Links, members and referee are beside the tiles (`sim.fabric`), in C++; Python
draws the fault, is the software that brings groups back, and tells what has come of it.
"""
