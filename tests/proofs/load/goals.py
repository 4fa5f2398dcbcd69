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
    later: list[str] = field(default_factory=list[str])
    """Misses that are expected: known, bounded, and left to later work."""
    skipped: list[str] = field(default_factory=list[str])
    """What could not be measured here, and why."""
    met: int = 0

    def note(self, what: str, value: object) -> None:
        """Print a figure that has no goal."""
        print(f'  {what}: {value}')

    def skip(self, what: str, why: str) -> None:
        """Something that cannot be measured here: then the proof has not succeeded."""
        line = f'{what}: {why}'
        print(f'  SKIPPED {line}', flush=True)
        self.skipped.append(line)

    def at_most(self, what: str, value: float, goal: float, unit: str = 's', *, bound: float | None = None) -> None:
        """A figure that should not be larger.

        Args:
            what: What it is.
            value: What was measured.
            goal: The most that it should be.
            unit: Of both.
            bound: Where a miss is expected, the most that it may be meanwhile.
        """
        is_expected = bound is not None and value <= bound
        until = '' if bound is None else f', {bound:g} until then'
        self._check(
            f'{what}: {value:.3g} {unit} (at most {goal:g}{until})', is_met=value <= goal, is_expected=is_expected
        )

    def at_least(self, what: str, value: float, goal: float, unit: str = '', *, bound: float | None = None) -> None:
        """A figure that should not be smaller; the arguments are those of `at_most`."""
        is_expected = bound is not None and value >= bound
        until = '' if bound is None else f', {bound:g} until then'
        line = f'{what}: {value:.3g} {unit} (at least {goal:g}{until})'.replace('  ', ' ')
        self._check(line, is_met=value >= goal, is_expected=is_expected)

    def so(self, what: str, *, is_so: bool) -> None:
        """Something that should be so."""
        self._check(what, is_met=is_so)

    def _check(self, line: str, *, is_met: bool, is_expected: bool = False) -> None:
        print(f'  {"ok    " if is_met else "later " if is_expected else "MISSED"} {line}', flush=True)
        if is_met:
            self.met += 1
        else:
            (self.later if is_expected else self.missed).append(line)

    def report(self) -> int:
        """Print the sum.

        Returns:
            The exit code: 1 where a goal is missed, 2 where something could not be measured.
        """
        later = f', {len(self.later)} left to later work and within their bounds' if self.later else ''
        skipped = f', {len(self.skipped)} not measured' if self.skipped else ''
        print(f'{self.met} goals met, {len(self.missed)} missed{later}{skipped}')
        return 1 if self.missed else 2 if self.skipped else 0
