"""The topics of a research, one for each step: what to look for, what to write down, what must not be lost.

They are read from a YAML file, `config/research_topics.yml` unless another is named.
"""

import re
from decimal import Decimal
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints, field_validator

from researcher_integration.config.files import FOLDER, Strict, read_yaml, shown
from researcher_integration.lore.material import TOPIC_IDS, TopicId

SHIPPED_TOPICS = FOLDER / 'research_topics.yml'

_BRACES = re.compile(r'\{\{.*?\}\}|\{\{|\}\}', re.DOTALL)


def _only_the_zone(template: str) -> str:
    if found := _BRACES.search(template.replace('{{zone}}', '')):
        raise ValueError(f'has {shown(found.group())}; {{{{zone}}}} is the only placeholder, without spaces')
    return template


_Filled = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Template = Annotated[_Filled, AfterValidator(_only_the_zone)]
"""Text with `{{zone}}` where the name of the zone is put in."""
Header = Annotated[_Filled, StringConstraints(pattern=r'^[^#\n][^\n]*$')]
Keyword = Annotated[_Filled, StringConstraints(pattern=r'^\w+$')]
"""One word: pages are searched for words."""
Amount = Annotated[int, Field(strict=True, gt=0)]


class Instructions(Strict):
    """The instructions of a step: templates with the placeholder `{{zone}}`."""

    gather: Template
    """The first phase: what to look for, which pages to crawl, when to stop."""
    report: Template
    """The second: what to write down of it."""


class Topic(Strict):
    """The topic of one research step."""

    id: TopicId
    header: Header
    """Over the section and the brief of this topic."""
    instructions: Instructions
    schema_hint: _Filled
    """What will be extracted, in field names and a few words."""
    preserve: Annotated[tuple[_Filled, ...], Field(min_length=1)]
    """What no summary may lose, one kind of thing each."""
    keywords: Annotated[tuple[Keyword, ...], Field(min_length=1)]
    """Words by which a page is recognized as being most about the topic, in the singular; capitals do not matter."""
    share: Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)] = 1.0
    """Of the zone's token budget and limits, relative to the other topics: 2.0 gets twice what 1.0 gets."""

    @property
    def hint(self) -> str:
        """The `schema_hint` for the summarizer: the fields, then what must be preserved."""
        return '\n'.join((self.schema_hint, '', 'Preserve:', *(f'- {each}' for each in self.preserve)))


RAISED_BY = 'limits: in the file of the topics raises it'
"""The setting that a limit is raised with."""


class Limits(Strict):
    """The limits of one zone, over the calls of agent and summaries; the topics share them."""

    requests: Amount = 200
    """Calls of a model. A summary makes one for each chunk. Agents and summaries may have two fifths of them each."""
    input_tokens: Amount | None = None
    output_tokens: Amount | None = None
    cost: Annotated[Decimal, Field(gt=0)] | None = None
    """In US dollars, where the price of a model is known."""


class ResearchTopics(Strict):
    """The topics in the order of the file, and their common limits."""

    topics: tuple[Topic, ...]
    limits: Limits = Limits()

    @field_validator('topics')
    @classmethod
    def _each_once(cls, topics: tuple[Topic, ...]) -> tuple[Topic, ...]:
        given = [topic.id for topic in topics]
        problems = [f'{topic} stands twice' for topic in TOPIC_IDS if given.count(topic) > 1]
        problems += [f'{topic} is missing' for topic in TOPIC_IDS if topic not in given]
        headers = [topic.header for topic in topics]
        twice = [header for header in dict.fromkeys(headers) if headers.count(header) > 1]
        if twice and not problems:  # each is the name of a section
            problems = [f'the header "{header}" stands twice' for header in twice]
        if problems:
            raise ValueError(', '.join(problems))
        return topics


def load_topics(path: Path = SHIPPED_TOPICS) -> ResearchTopics:
    """Load `topics` and, where the defaults do not fit, `limits` from a YAML file.

    Raises:
        ConfigurationError: If the file is wrong; one line with file, key and reason.
    """
    return read_yaml(path, ResearchTopics)
