"""``python -m syncfabric``: the command line."""

from syncfabric.cli import main

if __name__ == "__main__":
    main()
