"""The experiments of paper ADAPT."""
