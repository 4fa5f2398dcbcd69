"""A model that researches, extracts and summarizes as a well-behaved one would, for the simulated provider.

As a researcher it looks at the pages of its step, crawls what it is told to, and, where it has the tool, summarizes by
handle each page that is large. As an extractor it makes a record of each name that begins a line. Everything else it
takes for a chunk to summarize.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from tests.support.replies import Json, Message, Reply, Request, Text, summarize

LARGE = 1000
"""Tokens above which a page is summarized at the source."""

_PAGE = re.compile(r'^\[(\d+)\] (src_\w{12}), ([\d,]+) tokens, \w+(, this step)?: (.*)$', re.MULTILINE)
_BUDGET = re.compile(r'This step may keep ([\d,]+) tokens')
_CRAWLED = re.compile(r'src_[0-9a-f]{12}')
_SIZE = re.compile(r'([\d,]+) tokens')
_NAME = re.compile(r"^(?:[A-Z][\w'’-]+ ){1,3}(?=\w)", re.MULTILINE)
_SOURCE = re.compile(r'\[(\d+)\]')


@dataclass
class Researcher:
    """An `Answer` of the provider that plays all the parts of a research."""

    urls: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """What it crawls, by a phrase of the request for the step."""
    records: int = 12
    """How many an extraction finds at most."""

    def __call__(self, request: Request) -> Reply:
        """Answer as the one who is asked."""
        tools = {tool.function.name: tool.function for tool in request.body.tools if tool.function}
        if 'crawl_webpage' in tools:
            return self._research(request, frozenset(tools))
        fields = {name for tool in tools.values() for name in _properties(tool.parameters)}
        if 'records' in fields:
            return Json({'records': []}) if 'of one subject' in request.prompt else self._extract(request)
        return summarize(request)

    def _research(self, request: Request, tools: frozenset[str]) -> Reply:
        turn = _this_turn(request.body.messages)
        asked, results = turn[0].text, [message.text for message in turn if message.role == 'tool']
        if 'Answer with the report alone' in asked:
            names = sorted({title for *_, title in _PAGE.findall(request.prompt)})
            return Text(f'What was read: {"; ".join(names[:5])}.')
        done = len(results)
        urls = [url for phrase, listed in self.urls.items() if phrase in asked for url in listed]
        if done < len(urls):
            return Json({'url': urls[done]}, tool='crawl_webpage')
        if 'summarize_for_extraction' not in tools:
            return Text('The pages of this step have been crawled.')
        large = self._large(asked, results[: len(urls)])
        wanted = list(large.items())[done - len(urls) :]
        if not wanted:
            return Text('The pages of this step have been summarized.')
        handle, size = wanted[0]
        budget = int((_BUDGET.findall(asked) or ['2000'])[0].replace(',', ''))
        share = max(100, int(0.95 * budget * size / max(1, sum(large.values()))) - 40)
        question: JsonValue = {
            'schema_hint': 'names, who did what to whom, places, dates and numbers',
            'source_ids': [handle],
            'max_output_tokens': share,
        }
        return Json(question, tool='summarize_for_extraction')

    def _large(self, asked: str, crawled: Sequence[str]) -> dict[str, int]:
        """Sizes of the large pages of the step, by handle: those listed, and those just crawled."""
        sizes = {handle: int(size.replace(',', '')) for _, handle, size, here, _ in _PAGE.findall(asked) if here}
        for text in crawled:
            handle, size = _CRAWLED.search(text), _SIZE.search(text)
            if handle and size:
                sizes[handle[0]] = int(size[1].replace(',', ''))
        return {handle: size for handle, size in sizes.items() if size > LARGE}

    def _extract(self, request: Request) -> Json:
        numbers = [int(number) for number in _SOURCE.findall(request.prompt)]
        names = list(dict.fromkeys(name.strip() for name in _NAME.findall(request.user_texts[-1])))
        records: list[JsonValue] = [
            {'name': name, 'confidence': 0.8, 'sources': numbers[:1], 'relations': []} for name in names[: self.records]
        ]
        return Json({'records': records})


def _properties(parameters: Mapping[str, JsonValue]) -> Sequence[str]:
    found = parameters.get('properties')
    return list(found) if isinstance(found, dict) else []


def _this_turn(messages: Sequence[Message]) -> Sequence[Message]:
    """From the last request of the user on."""
    last = max(index for index, message in enumerate(messages) if message.role == 'user')
    return messages[last:]
