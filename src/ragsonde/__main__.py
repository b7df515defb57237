"""Entry point of the ``ragsonde`` command: turns our errors into one clear line and an exit code."""

import sys


def main() -> None:
    """Run the command line. Exit codes: 0 fine, 1 something failed, 2 wrong usage or configuration, 130 interrupted."""
    try:
        _run()
    except KeyboardInterrupt:  # also while modules are loading, which takes a second or two
        sys.exit(130)


def _run() -> None:
    try:
        from ragsonde.cli import app  # noqa: PLC0415 - the bare install has no command line
        from ragsonde.collector.errors import ConfigError, RagsondeError  # noqa: PLC0415 - as above
    except ModuleNotFoundError as error:
        sys.exit(f"ragsonde: the command line needs pip install 'ragsonde[server]' ({error.name} is missing)")
    try:
        app()
    except ConfigError as error:
        print(f"ragsonde: {error}", file=sys.stderr)  # noqa: T201 - a command's own error
        sys.exit(2)
    except RagsondeError as error:
        print(f"ragsonde: {error}", file=sys.stderr)  # noqa: T201 - a command's own error
        sys.exit(1)


if __name__ == "__main__":
    main()
