"""A model that errs as real ones do, in known ways and always the same: for what is to find out and put right.

model = ErringModel()
summary = Summarizer(settings, model=model.model).summarize_sync(CHRONICLE, max_output_tokens=400)
assert not any(lie in summary.text for lie in model.lies)
"""

import json
import random
import zlib
from dataclasses import dataclass, field
from functools import cached_property

import anyio
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from summarizer_tool import prompts

STRANGERS = ('Quillon Arkwright', 'Tamsin Vole')
"""Names that no text has."""


@dataclass
class ErringModel:
    """Answers each request with sentences of its lines, some of them spoilt; which ones depends on the request alone."""

    spoilt: float = 0.5
    """The share of its facts that have an error."""
    slowest: float = 0.02
    """Seconds that an answer may take."""
    lies: set[str] = field(default_factory=set[str])
    """What it has said of people and figures that its lines do not say."""
    misplaced: int = 0
    """Facts that it gave with the numbers of other lines."""
    halves: int = 0
    """Facts that end in the middle of their line."""

    @cached_property
    def model(self) -> FunctionModel:
        """For agents."""
        return FunctionModel(self._answer, model_name='erring')

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        content = messages[0].parts[-1].content
        assert isinstance(content, str)
        chance = random.Random(zlib.crc32(content.encode()))
        await anyio.sleep(chance.random() * self.slowest)
        if not info.output_tools:
            return ModelResponse(parts=[TextPart(content)])
        lines = [
            (line.number, sentence.strip().rstrip('.') + '.')
            for source in prompts.parse(content).sources
            for line in source.lines
            for sentence in line.text.split('. ')
            if len(sentence.split()) > 5
        ]
        # Now nearly all that there is, and now a line or two.
        chosen = [line for line in lines if chance.random() < chance.choice((0.2, 0.5, 0.9))]
        facts = [self._fact(number, text, lines, chance) for number, text in chosen]
        arguments = json.dumps({'facts': facts, 'entities': [*STRANGERS]})
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, arguments)])

    def _fact(self, number: int, text: str, lines: list[tuple[int, str]], chance: random.Random) -> dict[str, object]:
        evidence = [number]
        words = text.split()
        if chance.random() < self.spoilt:
            match chance.choice(('place', 'name', 'figure', 'half')):
                case 'place':
                    self.misplaced += 1
                    evidence = [chance.choice(lines)[0], 100_000]
                case 'name':
                    text = f'{chance.choice(STRANGERS)} {" ".join(words[2:])}'
                    self.lies.add(text)
                case 'figure':
                    text = f'{text.rstrip(".")}, {chance.randint(100_000, 999_999)} in all.'
                    self.lies.add(text)
                case _:
                    self.halves += 1
                    text = ' '.join(words[: len(words) // 2])
        return {'text': text, 'importance': chance.randint(1, 5), 'evidence': evidence}
