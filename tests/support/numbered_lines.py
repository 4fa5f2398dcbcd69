"""Texts as the extractive model reads them: lines with numbers, and what they state."""

from summarizer_tool.extractive.statements import statements
from summarizer_tool.prompts import NumberedLine


def numbered(text: str) -> list[NumberedLine]:
    lines: list[NumberedLine] = []
    for number, line in enumerate(text.strip('\n').split('\n'), 1):
        if line.strip():
            lines.append(NumberedLine(number, line))
        elif lines:
            lines[-1] = NumberedLine(lines[-1].number, lines[-1].text, blank_after=True)
    return lines


def read(text: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(said.said(said.text), said.evidence) for said in statements(numbered(text))[0]]
