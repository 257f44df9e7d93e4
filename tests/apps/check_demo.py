"""What the demo's page holds, read as a browser reads it.

usage: check_demo.py PAGE              complains of what is missing
       check_demo.py PAGE --commands   prints the command lines of the page
"""

import base64
import pathlib
import sys
from html.parser import HTMLParser


class Page(HTMLParser):
    """Elements with their attributes, table rows, command lines and the text of each picture's label."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.rows, self.commands, self.labels = [], [], [], {}
        self.open_tags, self.label = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.open_tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag == "svg":
            self.label = dict(attributes).get("aria-label", "")

    def handle_endtag(self, tag):
        while self.open_tags and self.open_tags.pop() != tag:
            pass

    def handle_data(self, data):
        tags = self.open_tags[-2:]
        if tags[-1:] in (["td"], ["th"]):
            self.rows[-1].append(data)
        if tags == ["pre", "code"]:
            self.commands.append(data)
        if "svg" in self.open_tags:
            self.labels[self.label] = self.labels.get(self.label, "") + " " + data

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def complaints(page, can_play):
    sources = [a["src"] for _, a in page.elements if "src" in a]
    if any(not source.startswith("data:") for source in sources) or any("href" in a for _, a in page.elements):
        yield "it asks for something outside of itself"
    if len(page.all("script")) != 1 or page.all("link"):
        yield "it runs other scripts than its own or asks for style sheets"
    if len([a for a in page.all("svg") if a.get("class") == "track"]) != 20:
        yield "not every contestant has a strip under each of 5 videos"
    if can_play:
        videos = [base64.b64decode(a["src"].split(",", 1)[1]) for a in page.all("video")]
        if len(videos) != 5 or any(b"ftyp" not in video[:16] for video in videos):
            yield f"{len(videos)} videos, not an mp4 file for each of 5 prompts"
    if len(page.all("details")) != 1:
        yield "nothing is behind a fold"
    names = [row[0] for row in page.rows if len(row) == 9]
    if names != ["student", "SF", "SGF", "true clips"]:
        yield f"the table of scores has the rows {names}"
    for chart in ("generator loss", "generator gradient norm", "critic loss", "recovery: Pass 2 from Pass 1"):
        words = page.labels.get(chart, "").split()
        if "SF" not in words or "SGF" not in words:
            yield f"the chart '{chart}' does not show both arms"
    for chart in ("valid", "identity error", "landmark drift", "motion"):
        if "true clips" not in page.labels.get(chart, ""):
            yield f"no chart of {chart} with the true clips"


def main():
    page = Page(pathlib.Path(sys.argv[1]).read_text())
    if "--commands" in sys.argv:
        print("\n".join(page.commands))
        return 0
    can_play = (pathlib.Path(sys.argv[1]).parent / "videos").is_dir()
    found = list(complaints(page, can_play))
    for complaint in found:
        print(f"FAIL: sgf demo: the page: {complaint}")
    return bool(found)


sys.exit(main())
