"""The commands as `python -m mockserver`."""

from mockserver.cli import main

main()
