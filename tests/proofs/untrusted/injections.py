"""The injections of AgentDojo: each of its attacks with each of its injection tasks."""

from collections.abc import Iterator
from dataclasses import dataclass

from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
from agentdojo.attacks.attack_registry import ATTACKS, load_attack
from agentdojo.task_suite.load_suites import get_suites

VERSION = 'v1.2.2'

BUILT_ON = frozenset({'direct', 'ignore_previous', 'dos'})
"""Attacks by which the forms of `reader_forms.toml` were made, with all that are called `important_instructions`."""


@dataclass(frozen=True, slots=True)
class Injection:
    """One text that tries to be an instruction."""

    attack: str
    task: str
    text: str
    is_held_out: bool
    """Whether no form was made by its attack or its task, but for one task: a hotel that is to be booked."""
    is_built_on: bool
    """Whether forms were made by both."""


class _Named(BasePipelineElement):
    """What attacks take the name of the attacked model from."""

    name = 'gpt-4o-2024-05-13'

    def query(self, *args: object, **kwargs: object) -> object:
        raise NotImplementedError


def injections() -> list[Injection]:
    """All of them, in the order of suites, attacks and tasks; forms were made by every other task."""
    suites = get_suites(VERSION)
    tasks = [f'{name}/{task}' for name, suite in suites.items() for task in suite.injection_tasks]
    odd = set(tasks[1::2])
    return [
        Injection(attack, task, text, not known and task in odd, known and task not in odd)
        for attack, task, text in _texts(suites)
        for known in [attack in BUILT_ON or attack.startswith('important_instructions')]
    ]


def _texts(suites: dict) -> Iterator[tuple[str, str, str]]:
    for name, suite in suites.items():
        for attack in ATTACKS:
            if attack == 'manual':  # asks a person for its text
                continue
            made = load_attack(attack, suite, _Named())
            for task_id, task in suite.injection_tasks.items():
                texts = (made.attack(user_task, task) for user_task in suite.user_tasks.values())
                yield attack, f'{name}/{task_id}', next(next(iter(each.values())) for each in texts if each)
