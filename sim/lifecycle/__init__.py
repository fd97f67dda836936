"""The software that sets groups up and ends them, as programs.

A program is a generator (`effects`): it yields requests to config targets, and pauses, and is sent
the answers. What performs it has the hardware, a model of it, or a driver's config port.
"""
