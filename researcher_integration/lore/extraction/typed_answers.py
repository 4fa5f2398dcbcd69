"""Ask a model for a typed list, keep what is whole of a broken answer, and know beforehand what is sent."""

import json
import logging
from copy import copy
from dataclasses import dataclass, replace
from typing import Generic, Literal

from pydantic import TypeAdapter
from pydantic_ai import (
    Agent,
    NativeOutput,
    OutputTokenLimitExceeded,
    PromptedOutput,
    ToolOutput,
    UnexpectedModelBehavior,
)
from pydantic_ai.exceptions import AgentRunError, ContentFilterError, UsageLimitExceeded
from pydantic_ai.messages import InstructionPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.output import OutputObjectDefinition, OutputSpec
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import GenerateToolJsonSchema, ToolDefinition
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.extraction.recover_partial import EnvelopeT, RecoveryState, SalvageMembers
from summarizer_tool import count_tokens, failure_reason, load_prompt

OutputMode = Literal['auto', 'tool', 'native', 'prompted']
"""How the form of the answer is asked for; `auto`: as the model's profile says."""

RETRIES = 2
"""Times that a request is made again when nothing of the answer could be read."""

_TOOL = 'final_result'
_TOOL_DESCRIPTION = 'The final response which ends this conversation'
"""What pydantic-ai calls the tool that takes an answer, and says of it."""

_logger = logging.getLogger('researcher_integration')


@dataclass(frozen=True, slots=True)
class TypedAnswer(Generic[EnvelopeT]):
    """An answer, or in a few words why there is none."""

    output: EnvelopeT | None
    usage: RunUsage
    """Of all attempts together."""
    salvaged: bool = False
    reason: str = ''
    """`HTTP 429`, `timeout`, `cut off`, `invalid output`, `usage limit`, or the name of an error's type."""


class TypedQuestion(Generic[EnvelopeT]):
    """One kind of typed question: instructions, and the form of the answer."""

    def __init__(
        self,
        name: str,
        instructions: str,
        envelope: type[EnvelopeT],
        key: str,
        *,
        output_mode: OutputMode = 'auto',
        trace_content: bool = False,
    ) -> None:
        """Build the agent.

        Args:
            name: Of the agent, in traces.
            instructions: What stays the same in all requests.
            envelope: A model with one list.
            key: The list's name.
            output_mode: How the form of the answer is asked for.
            trace_content: Whether prompts and answers go into traces.
        """
        form = OutputObjectDefinition(
            TypeAdapter(envelope).json_schema(schema_generator=GenerateToolJsonSchema), name=envelope.__name__
        )
        self._parameters = ModelRequestParameters(
            output_mode=output_mode,
            output_object=form,
            output_tools=[
                ToolDefinition(
                    name=_TOOL,
                    description=_TOOL_DESCRIPTION,
                    parameters_json_schema=form.json_schema,
                    kind='output',
                )
            ],
            allow_text_output=False,
            instruction_parts=[InstructionPart(instructions)],
        )
        forms: dict[OutputMode, OutputSpec[EnvelopeT]] = {
            'auto': envelope,
            'tool': ToolOutput(envelope),
            'native': NativeOutput(envelope),
            'prompted': PromptedOutput(envelope),
        }
        self._agent = Agent(
            name=name,
            deps_type=RecoveryState,
            output_type=forms[output_mode],
            instructions=instructions,
            capabilities=[SalvageMembers(envelope, key)],
        )
        # Content stays out of the traces whatever the application instruments globally.
        self._agent.instrument = InstrumentationSettings(
            include_content=trace_content, include_binary_content=trace_content
        )

    def tokens(self, model: Model | None, request: str) -> int:
        """What a request sends: instructions, user prompt, and the form of the answer as JSON, in cl100k tokens.

        Args:
            model: Who is asked: how the form is sent depends on it. The largest of them, if it falls back on others;
                without one, as most models are sent it.
            request: The user prompt.

        Raises:
            UserError: If the model cannot answer in the output mode.
        """
        sent = [candidate.prepare_request(None, self._parameters)[1] for candidate in _candidates(model)]
        if not sent:
            sent = [replace(self._parameters, output_mode='tool', output_object=None)]
        return count_tokens(request) + max(map(_tokens_beside, sent))

    async def ask(
        self,
        model: Model,
        request: str,
        *,
        usage: RunUsage,
        usage_limits: UsageLimits | None,
        model_settings: ModelSettings | None = None,
    ) -> TypedAnswer[EnvelopeT]:
        """Ask until something of an answer can be read, at most three times; a failure is an answer without output.

        An attempt after the first is a new run with the same request and a line more (`again`), rather than one that
        repeats the broken answer to the model: so that every request keeps to the window.

        Args:
            model: Who is asked.
            request: The user prompt.
            usage: Counts what all questions of a research have cost; this one's is added. Several may run at once.
            usage_limits: For `usage` and this question together.
            model_settings: For the requests.
        """
        # Of a copy, so that what questions cost that run beside this one is not taken for its own.
        before, own = copy(usage), copy(usage)
        task = RecoveryState()
        output: EnvelopeT | None = None
        reason = ''
        try:
            for attempt in range(RETRIES + 1):
                try:
                    result = await self._agent.run(
                        again(request) if attempt else request,
                        model=model,
                        deps=task,
                        model_settings=model_settings,
                        usage=own,
                        usage_limits=usage_limits,
                        retries=0,
                    )
                except UnexpectedModelBehavior as error:
                    if isinstance(error, OutputTokenLimitExceeded | ContentFilterError) or attempt == RETRIES:
                        raise
                else:
                    output = result.output
                    break
        except UsageLimitExceeded:
            reason = 'usage limit'
        except Exception as error:  # noqa: BLE001 - whatever a provider's code raises, the research goes on without
            reason = failure_reason(error)
            level = logging.WARNING if isinstance(error, AgentRunError | OSError) else logging.ERROR
            _logger.log(level, 'model call failed', extra={'agent': self._agent.name, 'reason': reason})
        finally:
            spent = own - before
            usage.incr(spent)
        return TypedAnswer(output, spent, task.salvaged, reason)


def again(request: str) -> str:
    """A request whose last answer could not be read."""
    return f'{request}\n\n{load_prompt("research/answer_again")}'


def _candidates(model: Model | None) -> list[Model]:
    while isinstance(model, WrapperModel):
        model = model.wrapped
    if isinstance(model, FallbackModel):
        return [candidate for one in model.models for candidate in _candidates(one)]
    return [] if model is None else [model]


def _tokens_beside(sent: ModelRequestParameters) -> int:
    """What is sent beside the user prompt."""
    forms: list[object] = [
        {'name': tool.name, 'description': tool.description, 'parameters': tool.parameters_json_schema}
        for tool in sent.output_tools
    ]
    if sent.output_object is not None and sent.output_mode == 'native':
        forms.append({'name': sent.output_object.name, 'schema': sent.output_object.json_schema})
    # In prompted mode the form stands in the instructions.
    instructions = InstructionPart.join(sent.instruction_parts or []) or ''
    return count_tokens(instructions) + sum(count_tokens(json.dumps(form)) for form in forms)
