"""Network files: their format, their meaning, and the ready-made ones."""
