"""What the field cases share: the local scorers, made once."""

import pytest

from ragsonde.scorers.scoring import ScorerSet
from tests.cases.casebook import local_scorers


@pytest.fixture(scope="session")
def scorers() -> ScorerSet:
    """Every scorer that looks at all traffic."""
    return local_scorers()
