"""A research from the first page to the package: crawl, steps, extraction, cross-reference; resumable throughout."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic_ai.models import Model

from researcher_integration.lore import package
from researcher_integration.lore.checkpoint import FILE, Checkpoint, ResearchRequest
from researcher_integration.lore.configuration import Configuration, ResearchSettings
from researcher_integration.lore.material import ResearchError
from researcher_integration.lore.steps.planning import told
from researcher_integration.lore.steps.steps import ResearchProgress, ResearchRun
from researcher_integration.lore.summaries.backends import InProcess
from summarizer_tool import (
    ConfigurationError,
    ExtractiveModel,
    SourceStore,
    alone_in,
    first_error,
    in_io_thread,
    trace_span,
)

STORE_FILE = 'sources.sqlite3'
LOCK = '.lock'


@dataclass
class Research:
    """One research of one zone."""

    request: ResearchRequest
    configuration: Configuration
    settings: ResearchSettings
    folder: Path
    """Where checkpoint, store and package are."""
    model: Model | None = None
    """Of the agents, instead of the one that the settings name."""
    on_progress: Callable[[ResearchProgress], None] = field(default=lambda _: None)
    on_checkpoint: Callable[[Checkpoint], None] = field(default=lambda _: None)
    """Called after each time that the checkpoint was written, with a copy of what was written."""

    async def run(self, *, resume: bool = False, fresh: bool = False) -> package.Package:
        """Run the research, or the part that is missing.

        Args:
            resume: Go on from the checkpoint in the folder.
            fresh: Begin anew even if there is a research in the folder that is not finished; it is put aside.

        Returns:
            The package, which is also written into the folder.

        Raises:
            ResearchError: If there is nothing to go on from, or something that would be lost, or no page at all.
            ConfigurationError: If the model cannot be had, or the request names nothing to read.
            StoreError: If the store cannot be opened.
        """
        if not (resume or self.request.places or self.request.search):
            raise ConfigurationError(
                'there is nothing to read: name pages with --pages, or let the agent search (--search)'
            )
        if self.request.search and self.model is None and self.settings.agent_model() is None:
            raise ConfigurationError(
                'searching needs a model that calls tools, and the embedded one does not: set RESEARCH_MODEL or '
                'LLM_MODEL, or name pages with --pages'
            )
        if resume and not (self.folder / FILE).exists():
            raise ResearchError(f'{self.folder} has no checkpoint to resume; leave --resume out to begin one')
        busy = f'another research is at work in {self.folder}; name another --out'
        with alone_in(self.folder, LOCK, ResearchError, busy=busy, name=str(self.folder), is_private=True):
            checkpoint = await in_io_thread(self._begin, resume=resume, fresh=fresh)
            if resume:
                self.on_progress(ResearchProgress('resume', checkpoint.reused()))
            with trace_span('research zone', zone=checkpoint.request.zone, way=checkpoint.request.way):
                try:
                    async with self._work(checkpoint) as work:
                        if not resume:  # not before it is known that this one can begin
                            await in_io_thread(package.put_aside, self.folder)
                        return await self._run(work)
                except ExceptionGroup as group:  # of tasks that ran at once
                    raise first_error(group) from group

    async def _run(self, work: ResearchRun) -> package.Package:
        checkpoint = work.checkpoint
        if work.model is not None:
            self.on_progress(ResearchProgress('plan', told(work.limits)))
        await work.crawl()
        if not checkpoint.pages and not checkpoint.request.search:
            reasons = '; '.join(failure.told for failure in checkpoint.failures[:5])
            raise ResearchError(f'no page could be crawled: {reasons}')
        await work.assign()
        work.room()  # too small a window shows now
        await work.run_steps()
        if not checkpoint.pages:
            checkpoint.forget_steps()  # so that a resumed research searches again
            await work.save()
            raise ResearchError('the agent found no page; check the search servers of mcp_config.json, then --resume')
        material = await work.material()
        if work.model is not None:
            await work.extract(work.model, material)
        self.on_progress(ResearchProgress('package', f'writing {self.folder}'))
        await work.save()
        built = package.build(
            checkpoint, work.topics, material, via=work.backend.name, has_model=work.model is not None
        )
        await in_io_thread(package.write_to, built, self.folder)
        return built

    def _begin(self, *, resume: bool, fresh: bool) -> Checkpoint:
        found = None if fresh and not resume else Checkpoint.load(self.folder)
        if found is not None and resume:
            _check_same(self.request, found.request, self.folder)
            if 'window_tokens' in self.request.model_fields_set:
                found.request = found.request.model_copy(update={'window_tokens': self.request.window_tokens})
            return found
        # What is finished is put aside.
        if found and not (self.folder / package.STATISTICS_FILE).exists():
            raise ResearchError(
                f'{self.folder} holds an unfinished research of "{found.request.zone}"; go on with --resume, '
                'begin anew with --fresh, or name another --out'
            )
        return Checkpoint(request=self.request)

    @asynccontextmanager
    async def _work(self, checkpoint: Checkpoint) -> AsyncGenerator[ResearchRun]:
        settings = self.settings
        async with AsyncExitStack() as stack:
            model = self.model
            if model is None:
                model = await stack.enter_async_context(settings.connect())
            store_path = settings.store or str(self.folder / STORE_FILE)
            store = await in_io_thread(SourceStore, store_path, max_mb=settings.store_max_mb)
            stack.push_async_callback(in_io_thread, store.close)
            embedded = InProcess(settings, store, ExtractiveModel())
            if settings.mcp_summarizer_url:
                from researcher_integration.lore.summaries.over_mcp import OverMCP

                backend = OverMCP(settings.mcp_summarizer_url, embedded, token=settings.mcp_summarizer_token)
            else:
                backend = InProcess(settings, store)
            yield ResearchRun(
                checkpoint,
                self.folder,
                configuration=self.configuration,
                settings=settings,
                backend=backend,
                embedded=embedded,
                model=model,
                tell=self.on_progress,
                on_checkpoint=self.on_checkpoint,
            )


def _check_same(asked: ResearchRequest, begun: ResearchRequest, folder: Path) -> None:
    """Check that a resumed research has the request it was started with; unset fields take its values."""
    if asked.zone != begun.zone:
        raise ResearchError(f'{folder} holds a research of "{begun.zone}", not of "{asked.zone}"; name another --out')
    for name, value in asked.model_dump(exclude_unset=True, exclude={'zone'}).items():
        before = getattr(begun, name)
        may_be = value in (before, (), False) or (name == 'window_tokens' and value > before)  # a window may grow
        if not may_be:
            option = {'places': 'pages', 'window_tokens': 'window'}.get(name, name)
            raise ResearchError(
                f'{folder} was begun with another value of --{option}; '
                'leave the option out to go on, or name another --out'
            )
