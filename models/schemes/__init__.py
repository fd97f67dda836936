"""What barriers cost in each scheme: to set up, in time and in traffic."""
