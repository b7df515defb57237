"""Scripts that write no full stop are cut at the spaces between their phrases."""

from collections.abc import Iterator

import regex

_WITHOUT_STOPS = regex.compile(r"[\p{Thai}\p{Lao}]")
_SELDOM_STOPS = regex.compile(r"[\p{Khmer}\p{Myanmar}\p{Tibetan}]")
_THAI_SPACE = regex.compile(r"(?<=[\p{Thai}\p{Lao}\p{N})\]】”\"])[ \u00a0]+(?=[\p{Thai}\p{Lao}])")
_OTHER_SPACE = regex.compile(r"(?<=[\p{Khmer}\p{Myanmar}\p{Tibetan}])[ \u00a0]+(?=[\p{Khmer}\p{Myanmar}\p{Tibetan}])")
# Words that carry a phrase on: "and, or, but, that, which, by, for, in, of, with, from, to, namely, is".
_CARRIES_ON = regex.compile(
    r"และ|หรือ|แต่|ที่|ซึ่ง|โดย|เพื่อ|ใน|ของ|กับ|จาก|ว่า|ได้แก่|คือ|เป็น|ถึง|ตาม|เช่น|รวมทั้ง|รวมถึง|ตลอดจน|จึง|ก็|แล้ว|ปี|บาท|วัน|เดือน|คน|ครั้ง|"
    r"เมตร|กิโล|เปอร์เซ็นต์|ๆ|ແລະ|ຫຼື|ແຕ່|ທີ່|ເຊິ່ງ|ໂດຍ|ເພື່ອ|ໃນ|ຂອງ|ກັບ|ຈາກ|ປີ|ກີບ"
)
_MIN_PHRASE = 25
_LONG_RUN = 300


def split_phrases(text: str) -> Iterator[int]:
    """Offsets at which a new phrase begins; none for scripts that write full stops."""
    if len(text) < 2 * _MIN_PHRASE or text.isascii():
        return
    if _WITHOUT_STOPS.search(text):
        spaces = _THAI_SPACE
    elif len(text) > _LONG_RUN and _SELDOM_STOPS.search(text):
        spaces = _OTHER_SPACE
    else:
        return
    begin = 0
    for space in spaces.finditer(text):
        enough = space.start() - begin >= _MIN_PHRASE and len(text) - space.end() >= _MIN_PHRASE // 2
        if enough and not _CARRIES_ON.match(text, space.end()):
            begin = space.end()
            yield begin
