from pathlib import Path

import pytest

from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.judge.prompt import load_rubric
from ragsonde.scorers.judge.prompts import read_prompts
from tests.scorers.judge.judging import InProcess, config, outcomes, reading, script

CHINESE = '''
name = "regenerate_questions"
version = "zh-1"
language = "zh"
reply = "QuestionsReply"
system = "写出所给答案能够回答的问题。"
user = """
问题数量：${number}

答案：
${answer}
"""
'''


def written(folder: Path, text: str, name: str = "own.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_prompt_for_one_language_leaves_the_others_their_own(tmp_path: Path) -> None:
    prompts = read_prompts([written(tmp_path, CHINESE)])
    assert prompts.prompt("regenerate_questions", "zh").version == "zh-1"
    assert prompts.prompt("regenerate_questions", "pl") is load_rubric("regenerate_questions")
    assert prompts.prompt("extract_claims", "zh") is load_rubric("extract_claims")


def test_near_identical_languages_share_a_prompt(tmp_path: Path) -> None:
    prompts = read_prompts([written(tmp_path, CHINESE.replace('"zh"', '"hr"'))])
    assert prompts.prompt("regenerate_questions", "bs").language == "hr"


def test_a_prompt_without_a_language_stands_in_for_all_but_those_with_one(tmp_path: Path) -> None:
    general = written(tmp_path, CHINESE.replace('language = "zh"\n', "").replace("zh-1", "all-1"), "all.toml")
    prompts = read_prompts([general, written(tmp_path, CHINESE)])
    assert [prompts.prompt("regenerate_questions", code).version for code in ("zh", "en")] == ["zh-1", "all-1"]


def test_versions_name_every_prompt_that_may_be_used(tmp_path: Path) -> None:
    names = ["extract_claims", "regenerate_questions"]
    assert read_prompts([written(tmp_path, CHINESE)]).versions(names) == [
        *((name, load_rubric(name).version) for name in names),
        ("regenerate_questions.zh", "zh-1"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('name = "regenerate_questions"', 'name = "invented"', "name: there is no shipped prompt 'invented'"),
        ('"QuestionsReply"', '"MergedReply"', "reply: QuestionsReply is what is read"),
        ("${answer}", "${reply}", "user: must hold ${answer}, ${number}"),
        ('language = "zh"', "language = 7", "language must be an ISO 639 code"),
        ('reply = "QuestionsReply"', 'reply = "QuestionsReply"\nlabels = 3', "labels must be a table"),
    ],
)
def test_a_prompt_that_could_not_be_used_is_refused_with_its_file_and_field(
    tmp_path: Path, old: str, new: str, named: str
) -> None:
    path = written(tmp_path, CHINESE.replace(old, new))
    with pytest.raises(ConfigError) as refused:
        read_prompts([path])
    assert named in str(refused.value)
    assert str(path) in str(refused.value)


def test_two_prompts_for_one_language_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="keep one of them"):
        read_prompts([written(tmp_path, CHINESE, "a.toml"), written(tmp_path, CHINESE, "b.toml")])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.toml: cannot be read"):
        read_prompts([tmp_path / "absent.toml"])


def test_the_judge_is_asked_in_the_answers_language(tmp_path: Path) -> None:
    shipped = load_rubric("merged")
    text = f'name = "merged"\nversion = "zh-1"\nlanguage = "zh"\nreply = "{shipped.reply}"\nsystem = "核查一次问答。"\n'
    settings = config(prompts=[str(written(tmp_path, f'{text}user = """{shipped.user}"""\n'))])
    server = InProcess(script())
    outcomes(reading("公司成立于2010年，总部位于上海。", ["公司成立于2010年。"], "公司何时成立？"), server, settings)
    outcomes(reading("The firm was founded in 2010 in Leeds.", ["The firm was founded in 2010."]), server, settings)
    chinese, english = (str(prompt) for prompt in server.prompts())
    assert "核查一次问答。" in chinese
    assert "核查一次问答。" not in english
