"""What is written from the settings: ``python -m tests.deploy.generated`` writes it, the tests hold it to that."""

from collections.abc import Mapping
from pathlib import Path

from ragsonde.config_reference import as_commented_yaml, as_markdown
from ragsonde.settings import Settings

ROOT = Path(__file__).parents[2]

_EXAMPLE = """\
# Every option of Ragsonde with its default, as `ragsonde print-config` shows it. Delete what you do not change.
# Sections that are null are off; docs/configuration.md says what is in them. RAGSONDE__SECTION__FIELD in the
# environment wins over the file, the command line over both. `ragsonde check-config FILE` checks it.

"""
_REFERENCE = """# Configuration

Every option, as `ragsonde print-config --markdown` prints it. Values come from the command line, then the environment
(`RAGSONDE__SECTION__FIELD`, lists and maps as JSON, brokers also as `a:9092,b:9092`), then the file (`--config`), then
the defaults. Unknown keys are refused, and `ragsonde check-config FILE` says what is wrong without connecting to
anything.
`deploy/config.example.yaml` holds every default to start from.

"""


def generated() -> Mapping[Path, str]:
    """Return what each file has to hold."""
    return {
        ROOT / "deploy" / "config.example.yaml": _EXAMPLE + as_commented_yaml(Settings()),
        ROOT / "docs" / "configuration.md": _REFERENCE + as_markdown(Settings).rstrip() + "\n",
    }


if __name__ == "__main__":
    for path, text in generated().items():
        path.write_text(text, "utf-8")
