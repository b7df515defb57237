"""Numbers written in Thai words, which are glued to their neighbours: "ยี่สิบห้าห้อง" are 25 rooms."""

import re
from collections.abc import Iterator, Sequence

_DIGITS = {
    "หนึ่ง": 1, "เอ็ด": 1, "สอง": 2, "ยี่": 2, "สาม": 3, "สี่": 4, "ห้า": 5, "หก": 6, "เจ็ด": 7, "แปด": 8, "เก้า": 9,
}  # fmt: skip
_POWERS = {"สิบ": 10, "ร้อย": 100, "พัน": 1_000, "หมื่น": 10_000, "แสน": 100_000}
_MILLION = "ล้าน"
_VALUES = {**_DIGITS, **_POWERS, _MILLION: 1_000_000}
_NOT_AFTER = {
    "ห้า": "ม(?!ื้อ|้วน|\\.)", "สาม": "ารถ|ี|ัคคี|ัญ", "เก้า": "อี้", "หก": "ล้ม", "สี่": "เหลี่ยม|แยก", "พัน": "ธ", "แสน": "ดี|ย",
    "ล้าน": "นา", "ร้อย": "ละ", "สอง": "แถว",
}  # fmt: skip
"""What makes another word of each: "ห้าม" forbids, "สามารถ" is able to."""
_UNIT = "|".join(
    f"{word}(?!{_NOT_AFTER[word]})" if word in _NOT_AFTER else word for word in sorted(_VALUES, key=len, reverse=True)
)
_RUN = re.compile(rf"(?:{_UNIT})+(?![\u0e30\u0e31-\u0e3a\u0e45\u0e47-\u0e4e])")
_WORD = re.compile(_UNIT)
_MAY_HOLD = re.compile("หนึ่ง|เอ็ด|สอง|ยี่|สาม|สี่|ห้า|หก|เจ็ด|แปด|เก้า|สิบ")
_HOUR = rf"(?:[0-9]{{1,2}}|(?:{_UNIT})+)"
_TIMES = re.compile(
    rf"(?:ตี\s?(?P<night>{_HOUR})|บ่าย\s?(?P<afternoon>{_HOUR})?\s?โมง|(?P<morning>{_HOUR})\s?โมงเช้า|(?P<evening>{_HOUR})\s?โมงเย็น|"
    rf"(?P<late>{_HOUR})\s?ทุ่ม|(?P<plain>{_HOUR})\s?นาฬิกา)(?P<half>ครึ่ง)?"
)
_FROM = {"night": 0, "afternoon": 12, "morning": 0, "evening": 12, "late": 18, "plain": 0}
"""The hour of the day from which each counts."""
_COUNTED = re.compile(
    r"\s?(?:คน|ท่าน|บาท|สตางค์|วัน|คืน|สัปดาห์|เดือน|ปี|ชั่วโมง|ชม|นาที|วินาที|โมง|ทุ่ม|ครั้ง|ห้อง|หลัง|ชั้น|แห่ง|ที่(?!\w)|ตัว|เล่ม|ใบ|"
    r"คัน|ลำ|ชิ้น|อัน|ข้อ|ฉบับ|เม็ด|แผ่น|ขวด|กล่อง|ถุง|แก้ว|จาน|มื้อ|เมตร|กิโล|เซน|ลิตร|กรัม|ไร่|ตาราง|เปอร์เซ็นต์|องศา|ดอลลาร์|ยูโร|"
    r"เท่า|ส่วน|ราย|รายการ|ประเทศ|จังหวัด|ภาษา|คู่|ดวง|ต้น|สาย|เส้น|ทีม|กลุ่ม|ประเภท|ชนิด|วิธี|ขั้นตอน|หน้า|คำ|รอบ|ชุด|ด้าน|สาขา|แสน|ล้าน)"
)
"""What is counted: a digit that stands alone is a number before such a word only."""


def find_thai_numbers(text: str) -> Iterator[tuple[int, int, float]]:
    """Numbers in Thai words, in order, with their places and values."""
    if text.isascii() or _MAY_HOLD.search(text) is None:
        return
    for match in _RUN.finditer(text):
        words = _WORD.findall(match[0])
        if len(words) == 1 and (words[0] not in _DIGITS or _COUNTED.match(text, match.end()) is None):
            continue
        if (value := _value(words)) is not None:
            yield match.start(), match.end(), float(value)


def find_thai_times(text: str) -> Iterator[tuple[int, int, frozenset[int]]]:
    """Times of day in Thai, with their minutes since midnight: "บ่ายสองโมงครึ่ง", "สองทุ่ม"."""
    for match in _TIMES.finditer(text):
        part = next((name for name in _FROM if match[name]), "afternoon")
        written = match[part] or "1"
        hour = int(written) if written.isdigit() else _value(_WORD.findall(written))
        if hour is not None and hour + _FROM[part] <= 24:
            yield match.start(), match.end(), frozenset({(hour + _FROM[part]) * 60 + (30 if match["half"] else 0)})


def _value(words: Sequence[str]) -> int | None:
    """The value of a numeral; None where its words don't make one."""
    total = digit = 0
    below = _VALUES[_MILLION]
    for word in words:
        if word in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[word]
        elif word == _MILLION:
            total, digit, below = (total + digit or 1) * _VALUES[word], 0, _VALUES[_MILLION]
        else:
            if _VALUES[word] >= below:
                return None
            below = _VALUES[word]
            total, digit = total + (digit or 1) * below, 0
    return total + digit
