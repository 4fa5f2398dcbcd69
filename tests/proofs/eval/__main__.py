"""`make eval`: what summaries keep, how they read, whether they answer, and what the gate lets through.

    make eval ARGUMENTS='--model openai/gpt-4o-mini --json build/mini.json --against build/extractive.json'

Ends with 1 where a figure is under its bound, or a case has failed.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import anyio
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator, EvaluatorContext
from pydantic_evals.reporting import EvaluationReport

from summarizer_tool import Settings, Summarizer
from tests.proofs.eval.suite import GROUPS, Figures, Measured, everything, means, missed


@dataclass
class Given(Evaluator[Measured, Figures]):
    """The figures of a case as its scores."""

    def evaluate(self, ctx: EvaluatorContext[Measured, Figures]) -> dict[str, float]:
        return dict(ctx.output)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog='python -m tests.proofs.eval', description='Measure summaries, and fail under a bound.'
    )
    parser.add_argument('--model', default='extractive', help='as LLM_MODEL')
    parser.add_argument('--only', default='', help=f'groups, with commas: {",".join(GROUPS)}')
    parser.add_argument('--every', type=int, default=6, help='ask every so many of the questions about meetings')
    parser.add_argument('--at-once', type=int, default=1, help='cases at once')
    parser.add_argument('--json', type=Path, default=Path('build/eval.json'), help='where the figures go')
    parser.add_argument('--against', type=Path, help='the figures of an earlier run')
    arguments = parser.parse_args()
    earlier = _read(arguments.against) if arguments.against else {}  # before it may be written over
    only: list[str] = arguments.only.split(',')
    cases = [each for each in everything(arguments.every) if only == [''] or each.group in only]
    report = anyio.run(_run, cases, Settings.load(llm_model=arguments.model), arguments.at_once)
    report.print(include_averages=False)
    figures = {
        (case.inputs.group, case.inputs.name): {name: score.value for name, score in case.scores.items()}
        for case in report.cases
    }
    found = means(figures)
    print(_table(found, earlier))
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    rows = [{'group': group, 'name': name, **one} for (group, name), one in figures.items()]
    written = {'model': arguments.model, 'means': found, 'cases': rows}
    arguments.json.write_text(json.dumps(written, indent=1, ensure_ascii=False), encoding='utf-8')
    wrong = [*(f'{case.name}: {case.error_message}' for case in report.failures), *missed(found)]
    if unmeasured := [group for group in GROUPS if group not in found and only == ['']]:
        print(f'not measured, for want of data or tools: {", ".join(unmeasured)}')
    print('\n'.join(wrong) or 'no figure is under its bound')
    sys.exit(bool(wrong))


async def _run(cases: list[Measured], settings: Settings, at_once: int) -> EvaluationReport[Measured, Figures, None]:
    summarizer = Summarizer(settings)

    async def measure(case: Measured) -> Figures:
        return await case.measure(summarizer)

    named = [Case(name=f'{each.group}: {each.name[:60]}', inputs=each) for each in cases]
    dataset = Dataset[Measured, Figures, None](name='summaries', cases=named, evaluators=[Given()])
    return await dataset.evaluate(measure, name=summarizer.model_name, max_concurrency=at_once, progress=False)


def _read(path: Path) -> dict[str, Figures]:
    return json.loads(path.read_text(encoding='utf-8'))['means']


def _table(found: dict[str, Figures], earlier: dict[str, Figures]) -> str:
    """The means by group, and the differences to an earlier run."""
    lines: list[str] = []
    for group, figures in found.items():
        for name, value in figures.items():
            before = earlier.get(group, {}).get(name)
            change = '' if before is None else f'  {value - before:+.3f}'
            lines.append(f'{group:10} {name:12} {value:.3f}{change}')
    return '\n'.join(lines)


if __name__ == '__main__':
    main()
