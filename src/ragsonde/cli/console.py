"""What the commands share: where they print, and how they log."""

import logging

from rich.console import Console
from rich.logging import RichHandler
from rich.markup import escape

from ragsonde.collector.interaction_file import InteractionFiles

console = Console(stderr=True, highlight=False)
"""Messages and progress go to standard error; standard output is for results."""
_MOST_BAD = 100
"""Records that cannot be read are named up to this number: a file of another kind has nothing else."""


def log_to_console(level: int = logging.INFO) -> None:
    """Send log records to the console."""
    handler = RichHandler(console=console, show_path=False, markup=False, log_time_format="%H:%M:%S")
    logging.basicConfig(level=level, format="%(message)s", handlers=[handler], force=True)
    for noisy in ("kafka", "httpx", "uvicorn", "markdown_it"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def report_slips(source: InteractionFiles) -> None:
    """Print what of the files could not be read, and what may have been meant otherwise."""
    for bad in source.bad[:_MOST_BAD]:
        console.print(f"[red]not readable[/] {escape(str(bad))}", soft_wrap=True)
    if len(source.bad) > _MOST_BAD:
        console.print(f"[red]not readable[/] and {len(source.bad) - _MOST_BAD} more records")
    for note in source.notes:
        console.print(f"[yellow]note[/] {escape(note)}", soft_wrap=True)
