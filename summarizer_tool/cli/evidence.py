"""The commands that work with what is stored: search it, answer from it and the web, add to it, list it, and `call`."""

import json
import sys
from dataclasses import asdict
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from summarizer_tool.cli.stored import (
    STDIN,
    add_all,
    handles_of,
    on_store,
    read_given,
    read_places,
    require_store,
    stored_place,
)
from summarizer_tool.cli.terminal import ExitCode, complain, configured, ending, say, stop, write
from summarizer_tool.errors import RequestError
from summarizer_tool.evidence.brief import MIN_BUDGET
from summarizer_tool.evidence.question import ResearchMode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from summarizer_tool import RequestOptions, Retriever, Settings
    from summarizer_tool.service.operations import Operation
    from summarizer_tool.service.retrieval import EvidenceBrief

MaxTokens = Annotated[
    int,
    typer.Option(
        min=0, help='Of the brief, from 500; 0: MCP_RESPONSE_TOKEN_BUDGET (24,000 unless set), which is the most.'
    ),
]
Intent = Annotated[str, typer.Option(help='What the answer is for.')]
AsJson = Annotated[
    bool, typer.Option('--json', help='Print text, tokens, handles and figures as JSON; also where nothing was found.')
]


def search(
    query: Annotated[str, typer.Argument(help='The question.')],
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar='FILE|URL|HANDLE|-', help='Where to look; none: in all of SUMMARIZER_STORE.'),
    ] = None,
    intent: Intent = '',
    top_k: Annotated[
        int,
        typer.Option(min=0, help='Passages, neighbours not counted; 0: 20, and what else --max-tokens has room for.'),
    ] = 0,
    max_tokens: MaxTokens = 0,
    as_json: AsJson = False,
) -> None:
    """Find passages about a question.

    Prints a brief: sources, verbatim evidence, citations with their lines. Links are not followed; answer does that.
    With SUMMARIZER_STORE set, what is named is added to that store, and pages that are in it are not fetched again.
    """
    asked = {'query': query, 'intent': intent, 'top_k': top_k, 'max_tokens': max_tokens}
    _look('search', asked, places or [], 'name files or URLs to search in', as_json=as_json)


def answer(
    query: Annotated[str, typer.Argument(help='The question.')],
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar='URL|FILE|HANDLE|-', help='Where to begin; none: all of SUMMARIZER_STORE.'),
    ] = None,
    mode: Annotated[
        ResearchMode,
        typer.Option(help='Follow links: never, while the evidence is not enough, or until it does not grow any more.'),
    ] = 'auto',
    intent: Intent = '',
    constraints: Annotated[
        list[str] | None,
        typer.Option(help='What the answer must keep to, such as years; site:HOST for links; may be repeated.'),
    ] = None,
    pages: Annotated[
        int | None,
        typer.Option(min=0, help='Pages to fetch by following links, at most SUMMARIZER_ANSWER_MAX_PAGES.'),
    ] = None,
    max_tokens: MaxTokens = 0,
    as_json: AsJson = False,
) -> None:
    """Gather evidence, following links.

    Prints a brief: sources, verbatim evidence, citations and how it was looked for. It does not write the answer.
    With SUMMARIZER_STORE set, what is read is kept there, and pages that are in it are not fetched again.
    """
    asked = {'query': query, 'intent': intent, 'constraints': constraints or (), 'max_tokens': max_tokens}
    asked |= {'expansion_budget': pages, 'research_mode': mode}
    _look('answer', asked, places or [], 'name URLs or files to begin with', as_json=as_json)


def add(
    places: Annotated[list[str], typer.Argument(metavar='FILE|URL|-', help='What to store; web pages are fetched.')],
) -> None:
    """Store texts and web pages.

    They go into SUMMARIZER_STORE. Prints a line for each: handle, tokens, title.
    """
    with ending():
        settings = _settings_of_store('add keeps sources')
        added = on_store(settings, lambda retriever, _: add_all(retriever.service, places, settings))
    from summarizer_tool.evidence.brief import quoting

    write(
        '\n'.join(
            f'{source.id}  {source.tokens:,} tokens  {quoting.label(source.title, quoting.TITLE_TOKENS) or "untitled"}'
            for source in added
            if not isinstance(source, str)
        )
    )
    if lost := [each for each in added if isinstance(each, str)]:
        for why in lost:
            say(' '.join(why.split()))
        sys.exit(ExitCode.INPUT)


def status(
    place: Annotated[
        str,
        typer.Argument(metavar='FILE|URL|HANDLE', help='Of one source; none: all of the store.', show_default=False),
    ] = '',
    as_json: AsJson = False,
) -> None:
    """Say what is stored.

    That is what SUMMARIZER_STORE holds: documents, passages, tokens, titles, when they were fetched.
    """
    with ending():
        settings = _settings_of_store('status tells of kept sources')

        evidence = on_store(
            settings, lambda stored, _: stored.status(place and stored_place(stored.service, place, settings))
        )
    _print(evidence.text, asdict(evidence) if as_json else None, is_found=not evidence.is_error)


def diff(
    place: Annotated[str, typer.Argument(metavar='FILE|URL|HANDLE', help='The newer version.', show_default=False)],
    older: Annotated[
        str, typer.Argument(metavar='HANDLE', help='What to compare it with; none: the version stored before.')
    ] = '',
    max_tokens: Annotated[int, typer.Option(min=50, max=20_000, help='Of what is shown.')] = 2000,
) -> None:
    """Show what a newer version of a page or file changes, line by line.

    Versions are what was added to SUMMARIZER_STORE from one URL or path or, without one, under one title.
    """
    from summarizer_tool.service.operations import DiffSourceRequest

    with ending():
        settings = _settings_of_store('diff compares kept sources')

        async def compare(retriever: 'Retriever', _: 'RequestOptions') -> str:
            newer, before = (each and stored_place(retriever.service, each, settings) for each in (place, older))
            request = DiffSourceRequest(source_id=newer, older_id=before, max_tokens=max_tokens)
            return await retriever.service.diff_source(request)

        write(on_store(settings, compare))


def _without_model() -> 'Settings':
    """The settings of a command that asks no model: whatever is wrong with that, it does not matter."""
    return configured().model_copy(update={'llm_model': 'extractive'})


def _settings_of_store(why: str) -> 'Settings':
    """Those of a command that needs a store, and ranks nothing."""
    settings = _without_model().model_copy(update={'embedding_model': None})
    require_store(settings, why)
    return settings


def _look(name: str, asked: dict[str, Any], places: list[str], advice: str, *, as_json: bool) -> None:
    """Search or answer, and print the brief; where no passage has a word of the question, nothing was found."""
    with ending():
        settings = _without_model()
        if not asked['query'].strip():
            stop(ExitCode.USAGE, 'the query is empty; ask a question')
        if 0 < (budget := asked['max_tokens']) < MIN_BUDGET:
            stop(ExitCode.USAGE, f'--max-tokens {budget} is less than a brief needs; give at least {MIN_BUDGET}')
        named = read_places(places, settings, advice)

        async def work(retriever: 'Retriever', options: 'RequestOptions') -> 'EvidenceBrief':
            from summarizer_tool.evidence.question import AnswerRequest
            from summarizer_tool.service.operations import SearchRequest

            # An answer fetches by itself.
            handles = await handles_of(retriever.service, named, fetches=name == 'search')
            search, answer = {**asked, 'source_ids': handles}, {**asked, 'url': handles}
            request = SearchRequest.of(search) if name == 'search' else AnswerRequest.of(answer)
            return await retriever.run(request, options)

        evidence = on_store(settings, work)
    is_found = not evidence.is_error and bool(evidence.figures.get('hits'))
    _print(evidence.text, asdict(evidence) if as_json else None, is_found=is_found)
    if not evidence.figures.get('matched'):
        sys.exit(ExitCode.FAILED)


def _print(text: str, shown: 'Mapping[str, object] | None', *, is_found: bool) -> None:
    """Print a text, or all that is shown as JSON; where nothing was found, say so on stderr and end."""
    if shown is not None:
        write(json.dumps(shown, ensure_ascii=False, indent=2))
    elif is_found:
        write(text)
    else:
        complain(text)
    if not is_found:
        sys.exit(ExitCode.FAILED)


def caller_of(asked: 'Operation[Any]') -> 'Callable[..., None]':
    """The command that calls an operation, with an option for each of its parameters."""

    def call(*, as_json: AsJson = False, **given: list[str] | None) -> None:
        with ending():
            settings = configured()
            if asked.effect != 'keeps' and not asked.is_brief:
                require_store(settings, f'{asked.name} works on kept sources')
            arguments: dict[str, object] = {}
            for name, words in given.items():
                values = [read_given(STDIN, settings).document.text if word == STDIN else word for word in words or ()]
                arguments[name] = values if len(values) > 1 else next(iter(values), None)
            try:
                request = asked.read(arguments)
            except RequestError as error:
                stop(ExitCode.USAGE, str(error))
            reply = on_store(settings, lambda retriever, options: asked.answer(retriever, request, options))
        shown = {'text': reply.text, 'is_error': reply.is_error, 'figures': dict(reply.figures)}
        _print(reply.text, shown if as_json else None, is_found=not reply.is_error)

    required = asked.schema()['required']
    call.__annotations__ = {'as_json': AsJson} | {  # what typer looks at
        name: Annotated[
            list[str] | None,
            typer.Option(metavar='VALUE', help=f'{description} (required)' if name in required else description),
        ]
        for name, description in asked.text().parameters.items()
    }
    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in call.__annotations__.items()
    ]
    call.__signature__ = Signature(parameters)  # pyright: ignore[reportFunctionMemberAccess] - it may have one
    return call
