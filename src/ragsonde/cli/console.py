"""What the commands share: where they print, and how they log."""

import logging

from rich.console import Console
from rich.logging import RichHandler

console = Console(stderr=True, highlight=False)
"""Messages and progress go to standard error; standard output is for results."""


def log_to_console(level: int = logging.INFO) -> None:
    """Send log records to the console."""
    handler = RichHandler(console=console, show_path=False, markup=False, log_time_format="%H:%M:%S")
    logging.basicConfig(level=level, format="%(message)s", handlers=[handler], force=True)
    for noisy in ("kafka", "httpx", "uvicorn", "markdown_it"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
