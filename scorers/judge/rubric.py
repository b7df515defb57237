"""A user's own metric without code: a rubric file with a prompt and labels that stand for values."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError, field_validator, model_validator

from ragsonde.collector.clock import Deadline
from ragsonde.collector.config import Config
from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.judge.errors import ContextOverflowError, InvalidReplyError, JudgeError
from ragsonde.scorers.judge.fence import DrawNonce, draw_nonce
from ragsonde.scorers.judge.judge import Judge
from ragsonde.scorers.judge.prompt import Block, Rubric
from ragsonde.scorers.judge.replies import LabelReply, reply_schema
from ragsonde.scorers.judge.windows import exchange_blocks, fit_windows
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import NotApplicable, Outcome, Reason, Scored

_INPUTS = ("question", "documents", "answer", "reference", "system_instructions")


class RubricConfig(Config):
    """A rubric file (TOML)."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,47}$")
    """Name of the metric: lower case, digits, underscores. Used as a label value."""
    version: str = Field(min_length=1, max_length=32)
    """Raise it whenever the prompt or the labels change."""
    prompt: str = Field(min_length=1)
    """What to decide, in any language. The labels and the form of the reply are added to it."""
    labels: dict[str, float] = Field(min_length=2, max_length=20)
    """Label to value, 0 to 1; higher is better."""
    inputs: tuple[str, ...] = ("question", "documents", "answer")
    """What the judge is shown: any of question, documents, answer, reference, system_instructions."""

    @field_validator("labels")
    @classmethod
    def _values_in_range(cls, labels: dict[str, float]) -> dict[str, float]:
        for label, value in labels.items():
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"{label}: the value lies in [0, 1], not {value}")
        if len({_folded(label) for label in labels}) != len(labels):
            raise ValueError("two labels differ only in case or spacing")
        return labels

    @model_validator(mode="after")
    def _inputs_known(self) -> Self:
        unknown = [name for name in self.inputs if name not in _INPUTS]
        if unknown or not self.inputs or len(set(self.inputs)) != len(self.inputs):
            raise ValueError(f"inputs: any of {', '.join(_INPUTS)}, each once")
        return self


@dataclass(frozen=True, slots=True)
class RubricOutcome:
    """The outcome of one rubric for one interaction."""

    name: str
    version: str
    outcome: Outcome


class RubricScorer:
    """Scores by a user's rubric. Its results are keyed by the rubric's name, not by a MetricKey."""

    def __init__(self, config: RubricConfig, judge: Judge, *, draw: DrawNonce = draw_nonce) -> None:
        self.name = config.name
        self.version = f"{config.version}:{judge.config.model}"
        self._config = config
        self._judge = judge
        self._draw = draw
        self._labels = {_folded(label): (label, value) for label, value in config.labels.items()}
        self._rubric = Rubric(config.name, config.version, "LabelReply", _system(config), _user(config))

    async def outcome(self, reading: Reading, deadline: Deadline) -> RubricOutcome:
        """The label's value; what lacks an input is not applicable, what the judge cannot tell has failed."""
        try:
            missing = self._missing(reading)
            outcome = NotApplicable(missing) if missing is not None else await self._judged(reading, deadline)
        except JudgeError as error:
            outcome = error.outcome()
        return RubricOutcome(self._config.name, self._config.version, outcome)

    async def _judged(self, reading: Reading, deadline: Deadline) -> Outcome:
        blocks = self._blocks(reading)
        if "documents" in self._config.inputs:
            shown = {name: block for name, block in blocks.items() if name != "documents"}
            windows = fit_windows(self._judge, self._rubric, shown, reading)
            if len(windows) > 1:
                raise ContextOverflowError("a rubric is asked once: the documents do not fit the model's window")
            blocks["documents"] = windows[0].blocks()
        filled = self._rubric.fill(blocks, schema=_schema(self._config), draw=self._draw)

        def verify(reply: LabelReply) -> None:
            if _folded(reply.label) not in self._labels:
                raise InvalidReplyError(f"label: one of {', '.join(self._config.labels)}")

        reply = await self._judge.ask(filled, LabelReply, deadline=deadline, verify=verify)
        label, value = self._labels[_folded(reply.label)]
        return Scored(value, label, reply.explanation or None)

    def _missing(self, reading: Reading) -> Reason | None:
        inputs, interaction = self._config.inputs, reading.interaction
        reason = reading.unscorable(needs_contexts="documents" in inputs)
        if reason is not None:
            return reason
        if "answer" in inputs and reading.not_scorable_answer() is Reason.EMPTY_ANSWER:
            return Reason.EMPTY_ANSWER
        if "question" in inputs and not (interaction.question or "").strip():
            return Reason.NO_QUESTION
        if "reference" in inputs and not (interaction.reference or "").strip():
            return Reason.NO_REFERENCE
        return None

    def _blocks(self, reading: Reading) -> dict[str, tuple[Block, ...]]:
        interaction = reading.interaction
        blocks: dict[str, tuple[Block, ...]] = {
            **exchange_blocks(reading),
            "documents": (),
            "reference": (Block("reference", interaction.reference or ""),),
            "system_instructions": (Block("system_instructions", interaction.system_instructions or ""),),
        }
        return {name: blocks[name] for name in self._config.inputs}


def load_rubric_file(path: Path) -> RubricConfig:
    """A user's rubric file.

    Raises:
        ConfigError: the file cannot be read or a field is wrong; names the file, the field and what it wants.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"rubric {path}: cannot be read as TOML: {error}") from error
    try:
        return RubricConfig.model_validate(table)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, f['loc'])) or 'file'}: {f['msg']}" for f in error.errors())
        raise ConfigError(f"rubric {path}: {faults}") from error


def _system(config: RubricConfig) -> str:
    labels = ", ".join(f'"{label}"' for label in config.labels)
    return (
        f'{config.prompt.strip()}\n\nGive "label": exactly one of {labels}; and "explanation": one short sentence, '
        "in the answer's language."
    )


def _user(config: RubricConfig) -> str:
    return "\n\n".join(f"{name.replace('_', ' ').capitalize()}:\n${{{name}}}" for name in config.inputs)


def _schema(config: RubricConfig) -> Mapping[str, object]:
    schema = reply_schema(LabelReply)
    schema["properties"]["label"] = {"type": "string", "enum": list(config.labels)}
    return schema


def _folded(label: str) -> str:
    return " ".join(label.replace("_", " ").split()).casefold()
