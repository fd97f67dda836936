"""Paper EVO: schedules of collectives by evolutionary algorithms."""
