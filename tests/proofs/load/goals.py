"""What is measured, and what it should be."""

from dataclasses import dataclass, field


def percentile(values: list[float], share: float) -> float:
    """The value below which a share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


@dataclass
class Goals:
    """The goals that were looked at."""

    missed: list[str] = field(default_factory=list[str])
    met: int = 0

    def note(self, what: str, value: object) -> None:
        """Print a figure that has no goal."""
        print(f'  {what}: {value}')

    def at_most(self, what: str, value: float, goal: float, unit: str = 's') -> None:
        """A figure that should not be larger."""
        self._check(f'{what}: {value:.3g} {unit} (at most {goal:g})', is_met=value <= goal)

    def at_least(self, what: str, value: float, goal: float, unit: str = '') -> None:
        """A figure that should not be smaller."""
        self._check(f'{what}: {value:.3g} {unit} (at least {goal:g})'.replace('  ', ' '), is_met=value >= goal)

    def so(self, what: str, *, is_so: bool) -> None:
        """Something that should be so."""
        self._check(what, is_met=is_so)

    def _check(self, line: str, *, is_met: bool) -> None:
        print(f'  {"ok    " if is_met else "MISSED"} {line}', flush=True)
        if is_met:
            self.met += 1
        else:
            self.missed.append(line)

    def report(self) -> int:
        """Print the sum.

        Returns:
            The exit code.
        """
        print(f'{self.met} goals met, {len(self.missed)} missed')
        return 1 if self.missed else 0
