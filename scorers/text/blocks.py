"""The Markdown blocks of a text, with offsets into that text.

Plain text is Markdown without marks, so one reader serves answers and documents. Rules of CommonMark that misread what
models and crawlers write are switched off: indented lines are not code, a line under a paragraph does not turn it into
a heading, HTML stays text, and ``[1]: …`` stays where it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import regex
from markdown_it import MarkdownIt
from markdown_it.token import Token


class BlockKind(StrEnum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    LIST_ITEM = "list_item"
    QUOTE = "quote"
    TABLE_HEADER = "table_header"
    TABLE_ROW = "table_row"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """A leaf block. ``lines`` are the ranges of its text, one a line, without ``>``, bullets, and indentation."""

    kind: BlockKind
    lines: tuple[tuple[int, int], ...]
    header: tuple[str, ...] = ()
    """The header cells above a table row."""
    cells: tuple[str, ...] = ()
    """The cells of a table row."""

    @property
    def start(self) -> int:
        """Offset of the first character."""
        return self.lines[0][0]

    @property
    def end(self) -> int:
        """Offset after the last character."""
        return self.lines[-1][1]


_CARRIAGE_RETURN = regex.compile(r"\r(\n?)")
_BULLET = regex.compile(r"[•●○▪▫■□◦‣⁃∙·➤►▶✓✔★*+–—-][ \t\u00a0\u3000]+(?=\S)|[•●▪■◦‣➤►✓✔](?=\S)")
_ENUMERATOR = regex.compile(
    r"(?:\(?\d{1,2}[.)][ \t\u00a0]+|[（(]?\d{1,2}[、．）]\s*|[①-⑳]\s*|\([a-zA-Z]\)\s+"
    r"|[（(][一二三四五六七八九十]{1,3}[)）]\s*|[一二三四五六七八九十]{1,3}、)(?=\S)"
)
_BOLD_LINE = regex.compile(r"(\*\*|__)(?!\s)(?:(?!\1).){1,100}\1[:：]?")
_UNDERLINE = regex.compile(r"=+|-+")
_MAY_BE_MARKED = re.compile(r"(?m)^[ \t]*(?:[#>*+`~_=|:-]|[0-9]{1,9}[.)](?:[ \t]|$))|[^\S\n ]|\0")
"""What only the parser can read: a line that begins as a mark does, or white space that it takes for a letter."""
_WORDLIKE = regex.compile(r"[\p{L}\p{N}]")


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table").disable(["code", "html_block", "reference", "lheading"])


def find_blocks(text: str) -> tuple[Block, ...]:
    """The leaf blocks of ``text``, in order; together they hold every letter of it."""
    if _MAY_BE_MARKED.search(text) is None:
        paragraphs = (Block(BlockKind.PARAGRAPH, lines) for lines in _plain_paragraphs(text))
        return tuple(block for paragraph in paragraphs for block in _split_at_bullets(text, paragraph))
    # Same length, so that offsets stay: the parser itself would fold CRLF into one character and replace NUL.
    source = _CARRIAGE_RETURN.sub(lambda match: " \n" if match[1] else "\n", text).replace("\0", "\ufffd")
    lines = _line_ranges(source)
    tokens: list[Token] = []
    parser = _parser()
    parser.block.parse(source, parser, {}, tokens)
    found: list[Block] = []
    next_line = 0
    for first, after, block in _leaf_blocks(source, lines, tokens):
        # The parser drops what is nested too deeply: keep it as plain paragraphs.
        found.extend(_leftovers(source, lines[next_line:first]))
        found.extend(_split_at_bullets(source, block))
        next_line = max(next_line, after)
    found.extend(_leftovers(source, lines[next_line:]))
    return tuple(found)


def _plain_paragraphs(text: str) -> Iterator[tuple[tuple[int, int], ...]]:
    """The lines of each paragraph of a text in which no line begins as a mark of Markdown does."""
    lines: list[tuple[int, int]] = []
    for start, end in _line_ranges(text):
        line = _strip(text, start, end)
        if line[0] < line[1]:
            lines.append(line)
        elif lines:
            yield tuple(lines)
            lines = []
    if lines:
        yield tuple(lines)


def _line_ranges(source: str) -> list[tuple[int, int]]:
    ranges = []
    start = 0
    for line in source.split("\n"):
        ranges.append((start, start + len(line)))
        start += len(line) + 1
    return ranges


def _leaf_blocks(source: str, lines: list[tuple[int, int]], tokens: list[Token]) -> Iterator[tuple[int, int, Block]]:
    """Each leaf with its first line and the line after its last."""
    containers: list[str] = []
    header: tuple[str, ...] = ()
    for index, token in enumerate(tokens):
        if token.nesting == 1:
            containers.append(token.type)
        elif token.nesting == -1:
            containers.pop()
        if token.map is None or token.map[0] >= len(lines):
            continue
        first, after = token.map
        if token.type == "fence":
            yield first, after, Block(BlockKind.CODE, tuple(lines[first:after]))
        elif token.type == "tr_open":
            cells = tuple(_row_cells(tokens, index))
            is_header = "thead_open" in containers
            header = cells if is_header else header
            kind = BlockKind.TABLE_HEADER if is_header else BlockKind.TABLE_ROW
            block = Block(kind, (_strip(source, *lines[first], also="|"),), () if is_header else header, cells)
            # The line of dashes under the header belongs to it.
            yield first, after + (1 if is_header else 0), block
        elif token.type == "inline" and containers[-1] not in ("th_open", "td_open"):
            ranges = _content_ranges(source, lines[first:after], token.content)
            if ranges:
                yield first, after, Block(_kind(containers), ranges)


def _row_cells(tokens: list[Token], index: int) -> Iterator[str]:
    for number in range(index + 1, len(tokens)):
        token = tokens[number]
        if token.type == "tr_close":
            return
        if token.type == "inline":
            yield token.content.strip()


def _kind(containers: list[str]) -> BlockKind:
    if containers[-1] == "heading_open":
        return BlockKind.HEADING
    if "blockquote_open" in containers:
        return BlockKind.QUOTE
    return BlockKind.LIST_ITEM if "list_item_open" in containers else BlockKind.PARAGRAPH


def _content_ranges(source: str, lines: list[tuple[int, int]], content: str) -> tuple[tuple[int, int], ...]:
    """Where the lines of ``content`` stand in the source lines, whose prefixes and indentation it lacks."""
    ranges = []
    wanted_lines = content.split("\n")
    for number, (start, end) in enumerate(lines):
        wanted = wanted_lines[number].strip() if number < len(wanted_lines) else ""
        at = source.rfind(wanted, start, end) if wanted else -1
        found = (at, at + len(wanted)) if at >= 0 else _strip(source, start, end)
        if found[0] < found[1]:
            ranges.append(found)
    return tuple(ranges)


def _strip(source: str, start: int, end: int, also: str = "") -> tuple[int, int]:
    while start < end and (source[start].isspace() or source[start] in also):
        start += 1
    while end > start and (source[end - 1].isspace() or source[end - 1] in also):
        end -= 1
    return start, end


def _leftovers(source: str, lines: list[tuple[int, int]]) -> Iterator[Block]:
    for start, end in lines:
        stripped = _strip(source, start, end, also=">")
        if _WORDLIKE.search(source, *stripped):
            yield Block(BlockKind.PARAGRAPH, (stripped,))


def _split_at_bullets(source: str, block: Block) -> Iterator[Block]:
    """Bullets and numbers that CommonMark does not know, or not in the middle of a paragraph, start list items too."""
    if block.kind in (BlockKind.CODE, BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW, BlockKind.HEADING):
        yield block
        return
    kind, lines = block.kind, list[tuple[int, int]]()
    for start, end in block.lines:
        bullet = _BULLET.match(source, start, end) or _ENUMERATOR.match(source, start, end)
        if bullet:
            if lines:
                yield _paragraph(source, kind, lines)
            item = kind if kind is BlockKind.QUOTE else BlockKind.LIST_ITEM
            kind, lines = item, []
            # A letter or a character number may be part of what is said: only pure marks are left out.
            begin = start if _has_letter(bullet[0]) else bullet.end()
            lines.append((begin, end))
        else:
            lines.append((start, end))
    if lines:
        yield _paragraph(source, kind, lines)


def _has_letter(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _paragraph(source: str, kind: BlockKind, lines: list[tuple[int, int]]) -> Block:
    first = source[slice(*lines[0])]
    if len(lines) == 1 and kind is BlockKind.PARAGRAPH and _BOLD_LINE.fullmatch(first):
        kind = BlockKind.HEADING
    if len(lines) == 2 and kind is BlockKind.PARAGRAPH and _UNDERLINE.fullmatch(source[slice(*lines[1])]):
        kind, lines = BlockKind.HEADING, lines[:1]
    return Block(kind, tuple(lines))
