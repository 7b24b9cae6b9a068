"""``python -P -m server``: the console script's door for child processes of the demo."""

from server.cli import main

main()
