"""Words put in another's place where nothing is written between words, beside the same said in other words."""

import pytest

from ragsonde.scorers.score import Verdict
from tests.scorers.reading_builders import verdicts

COMPANY = "本公司成立于2005年，总部位于深圳市南山区，主要从事智能家居产品的研发。公司在上海、成都和武汉设有分公司。"
NOVEL = "《红楼梦》是清代作家曹雪芹创作的长篇小说。"
PANDA = "大熊猫主要分布在四川、陕西和甘肃的山区，以竹子为主食。"


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("公司总部设在南京。", "公司总部设在北京。"),
        ("项目由财政部批准。", "项目由教育部批准。"),
        ("该车使用柴油发动机。", "该车使用汽油发动机。"),
        ("桥的颜色是红色的。", "桥的颜色是蓝色的。"),
        ("冠军是巴西队。", "冠军是德国队。"),
        ("猫吃鱼。", "猫吃草。"),
        ("該橋的顏色是紅色的。", "該橋的顏色是藍色的。"),
        ("该公司被谷歌收购。", "该公司被微软收购。"),
        ("王小明获得了一等奖。", "李大伟获得了一等奖。"),
        ("本店接受现金。", "本店接受支票。"),
        (COMPANY, "公司在上海、重庆和武汉设有分公司。"),
        (COMPANY, "公司主要从事智能手机产品的研发。"),
        (NOVEL, "《红楼梦》是明代作家曹雪芹创作的长篇小说。"),
        (NOVEL, "《红楼梦》是清代作家吴敬梓创作的长篇小说。"),
        (PANDA, "大熊猫主要分布在云南、陕西和甘肃的山区。"),
        (PANDA, "大熊猫以树叶为主食。"),
        ("สำนักงานใหญ่อยู่ที่เชียงใหม่", "สำนักงานใหญ่อยู่ที่ภูเก็ต"),
        ("โครงการได้รับอนุมัติจากกระทรวงการคลัง", "โครงการได้รับอนุมัติจากกระทรวงศึกษาธิการ"),
        ("สะพานมีสีแดง", "สะพานมีสีน้ำเงิน"),
    ],
)
def test_a_word_in_anothers_place_is_not_borne_out(context: str, claim: str) -> None:
    assert verdicts(context, claim) == [Verdict.NOT_FOUND]


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("会议在上海举行。", "会议是在上海举行的。"),
        ("会议在上海举行。", "会议于上海召开。"),
        ("会议在上海举行，由市政府主办。", "会议由市政府主办，在上海举行。"),
        ("項目由財政部批准。", "项目由财政部批准。"),
        ("项目由财政部批准。", "財政部批准了該項目。"),
        ("全程大约需要30分钟。", "全程约需30分钟。"),
        ("该公司位于北京市朝阳区。", "该公司位于北京朝阳区。"),
        ("我们的总部在深圳。", "他们的总部在深圳。"),
        ("员工应将申请表提交给部门经理。", "员工应该把申请表交给部门经理。"),
        ("在提交申请后，我们会在两天内回复。", "在递交申请后，我们会在两天内回复。"),
        ("该功能用于管理用户权限。", "该功能用于控制用户权限。"),
        ("患者应当避免饮酒。", "病人应避免饮酒。"),
        ("北京大学创办于1898年。", "北大创办于1898年。"),
        (COMPANY, "该公司的总部坐落在深圳市南山区。"),
        (COMPANY, "公司在上海、成都及武汉设有分支机构。"),
        (NOVEL, "《红楼梦》的作者是清代作家曹雪芹。"),
        (PANDA, "大熊猫主要生活在四川、陕西和甘肃的山区，主食是竹子。"),
        ("สำนักงานใหญ่อยู่ที่เชียงใหม่", "สำนักงานใหญ่ของบริษัทตั้งอยู่ที่เชียงใหม่"),
        ("สะพานมีสีแดง", "สะพานเป็นสีแดง"),
    ],
)
def test_the_same_in_other_words_is_supported(context: str, claim: str) -> None:
    assert set(verdicts(context, claim)) == {Verdict.SUPPORTED}


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("猫是哺乳动物；猫吃鱼。", "猫是哺乳动物；猫吃鱼；它们会飞。"),
        ("Cats are mammals; cats eat fish.", "Cats are mammals; cats eat fish; they can fly."),
    ],
)
def test_a_clause_that_nothing_bears_out_does_not_hide_behind_a_semicolon(context: str, claim: str) -> None:
    assert Verdict.NOT_FOUND in verdicts(context, claim)


def test_a_clause_after_a_semicolon_that_the_contexts_know_is_supported() -> None:
    context = "Cats are mammals. Cats eat fish."
    assert verdicts(context, "Cats are mammals; they eat fish.") == [Verdict.SUPPORTED]
