"""The base of every configuration model: frozen, documented, and strict about unknown keys."""

from pydantic import BaseModel, ConfigDict


class Config(BaseModel):
    """User-set values. Each field states its unit, bound and default; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, validate_default=True)
