"""Rules of plain technical English, as far as a program can check them, over pages, docstrings, comments and messages."""

from __future__ import annotations

import re
from collections.abc import Iterator

AVOIDED = {
    "but for": "except",
    "there is none": "no ... exists",
    "there are none": "no ... exist",
    "nobody": "say who does not",
    "somebody": "say who",
    "whoever": "say who",
    "takes? along": "terminates",
    "as can be": "as small as possible",
    "goes? by": "uses, depends on",
    "tells?": "reports, gives",
    "told": "given, reported",
    "has another one": "name the thing",
    "behind": "after, or the place",
    "made by": "computed with",
    "of it": "its",
    "what there is": "name the things",
    ", so that": "therefore",
}
HISTORY = ("had been", "used to be", "formerly", "nowadays", "until now", "in the past", "years ago", "at that time", "recently")
NO_SUBJECTS = ("What", "Who", "Whoever", "Those", "Nobody", "Of what")

NO_STARTS = (*NO_SUBJECTS, "Of", "Whether", "By", "How", "Where", "As", "Which", "With", "That")


def blocks(text: str) -> Iterator[str]:
    """Yields paragraphs, list items and cells of no table, each on one line, without code blocks and titles."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for block in re.split(r"\n\s*\n", text):
        lines: list[str] = []
        for line in block.splitlines():
            if (re.match(r"(    |\t)\S", line) and not lines) or line.startswith(("#", "|", "![")):
                continue
            if lines and re.match(r"\s*([-*]|\d+\.) ", line):
                yield " ".join(lines)
                lines = []
            lines.append(re.sub(r"^\s*([-*]|\d+\.) ", "", line).strip())
        if lines:
            yield " ".join(lines)


def sentences(text: str) -> list[str]:
    """Returns the sentences of a page. A piece of code counts as one word, a link as its text."""
    found = []
    for block in blocks(text):
        plain = re.sub(r"`[^`]*`", "Code", block)
        plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", plain)
        plain = re.sub(r"(\*\*|\*|\b_|_\b)", "", plain)
        found += [each for each in re.split(r"(?<=[.!?])[)\"']?\s+(?=[A-Z(\"'0-9])", plain) if re.search(r"[A-Za-z]", each)]
    return found


def words(sentence: str) -> int:
    return len(re.findall(r"\S*\w\S*", sentence))


def cells(text: str) -> list[str]:
    """Returns the cells of tables, without code and targets of links."""
    plain = re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)
    rows = re.findall(r"^\|(.*)\|$", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain), re.MULTILINE)
    return [cell.strip() for row in rows for cell in re.split(r"(?<!\\)\|", row)]


def titles(text: str) -> list[str]:
    without_code = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"^#+ (.+)$", without_code, re.MULTILINE)


def offences(text: str) -> list[str]:
    """Returns each title, sentence and cell of a page that breaks a rule, after the rule."""
    long = [f"title of more than five words: {title}" for title in titles(text) if len(title.split()) > 5]
    return long + wrong_sentences(text)


def wrong_sentences(text: str) -> list[str]:
    """Returns each sentence and cell that breaks a rule, after the rule."""
    found = []
    for sentence in sentences(text):
        if words(sentence) > 40:
            found.append(f"more than 40 words: {sentence}")
        if sentence.count(";") > 1:
            found.append(f"two semicolons: {sentence}")
        if re.match(rf"({'|'.join(NO_SUBJECTS)})\b", sentence) and not sentence.endswith("?"):
            found.append(f"no noun as subject: {sentence}")
    for piece in [*sentences(text), *cells(text)]:
        found += [f"write {better!r}: {piece}" for bad, better in AVOIDED.items() if re.search(rf"(?<!\w){bad}\b", piece, re.IGNORECASE)]
        found += [f"history: {piece}" for bad in HISTORY if re.search(rf"\b{bad}\b", piece, re.IGNORECASE)]
    return found
