"""A page as a browser meets it."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """What it shows and what it would load; tags must be closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.loads: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)
        result = dict(attrs)
        self.loads += [
            value
            for name in ("src", "href", "xlink:href")
            if (value := result.get(name)) and value[0] != "#"
        ]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)
