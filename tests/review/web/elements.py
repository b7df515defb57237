"""What stands in a page."""

from html.parser import HTMLParser


class Elements(HTMLParser):
    """All start tags with their attributes, and the text of the page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._parts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data
        self._parts.append(data)

    @property
    def words(self) -> str:
        """The text with single spaces, also between elements."""
        return " ".join(" ".join(self._parts).split())

    def all(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        """The attributes of all elements of a kind that have these, ``class_`` standing for ``class``."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [found for name, found in self.tags if name == tag and wanted.items() <= found.items()]
