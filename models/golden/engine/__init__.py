"""The collective engine, written from docs/microarchitecture-engine.md alone."""
