"""What docs/judge.md shows works as it stands."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from ragsonde.scorers.judge.config import JudgeConfig
from ragsonde.scorers.judge.prompt import load_rubric, read_rubric
from ragsonde.scorers.judge.rubric import RubricConfig
from ragsonde.testing.judge_script import Fault, Script

TEXT = (Path(__file__).parents[3] / "docs" / "judge.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("block", [part for block in blocks("yaml") for part in re.split(r"\n(?=# |judge:)", block)])
def test_configuration_snippets_are_valid(block: str) -> None:
    fields = (yaml.safe_load(block) or {}).get("judge")
    if fields is not None:
        JudgeConfig.model_validate({"model": "m", "base_url": "http://judge.test/v1", **fields})


def test_the_rubric_and_the_script_are_valid() -> None:
    rubric, prompt = blocks("toml")
    shown = read_rubric(prompt, source="docs/judge.md")
    assert shown.reply == load_rubric(shown.name).reply
    RubricConfig.model_validate(tomllib.loads(rubric))
    (told,) = blocks("json")
    assert Script.model_validate(json.loads(told)).faults[1].fault is Fault.CUT
    (code,) = blocks("python")
    compile(code, "docs/judge.md", "exec")
