"""Take secrets out of what a tool returned, before it is stored, traced or shown to a model."""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from json import JSONDecodeError
from types import MappingProxyType

import regex

from researcher_integration.masking.detectors import DEFAULT_GROUPS, Group, detectors
from researcher_integration.masking.escapes import MAX_DEPTH, as_shown, unescaped
from researcher_integration.masking.findings import Find, Finding, Masked, lowered, replace
from researcher_integration.masking.masked_values import in_json, put_back
from researcher_integration.masking.patterns import Pattern
from summarizer_tool import ConfigurationError, SummarizerError

MAX_PASSES = 8
"""Over one text. A second finds nothing but what stood half in a secret; more are for texts made to need them."""

MAX_PATTERN = 2_000  # characters of an operator's expression

_NAME = regex.compile(r'[A-Za-z][A-Za-z0-9_]{0,39}')

NO_PATTERNS: Mapping[str, str] = MappingProxyType({})


class MaskingError(SummarizerError):
    """A text or a value could not be searched for secrets; what it is must be withheld."""


class Masker:
    """Finds secrets and writes `[MASKED_<KIND>]` in their place; may be shared by threads.

    It works on the text and on what the strings in it say once their escapes are undone, so that a secret within JSON
    within JSON is found. Masking what is masked changes nothing. A text is masked as a whole or, with a `MaskingError`,
    not at all.
    """

    def __init__(self, groups: Sequence[Group] = DEFAULT_GROUPS, patterns: Mapping[str, str] = NO_PATTERNS) -> None:
        """Compile the operator's expressions, so that a mistake shows at start-up, as a `ConfigurationError`.

        Args:
            groups: What to look for, of `ALL_GROUPS`.
            patterns: Expressions of one's own, by name; the name in capitals is the kind. Where one has a group
                called `secret`, that is masked, else all that it matches. They come before all others.
        """
        self._own: Sequence[Find] = [compile_pattern(name, expression) for name, expression in patterns.items()]
        self._known: Sequence[Find] = detectors(frozenset(groups))
        self._all = (*self._own, *self._known)

    def mask(self, text: str) -> Masked:
        """Mask the secrets in a text of any kind: a log, JSON, YAML, prose.

        Raises:
            MaskingError: If anything goes wrong, such as an expression that takes too long.
        """
        with _failing():
            return self._mask(text, self._all)

    def mask_value(self, value: object) -> tuple[object, Mapping[str, int]]:
        """Mask the secrets in a structure: in its texts and keys, and all that stands under the name of a secret.

        Args:
            value: What a tool returned or was given: texts, bytes, numbers, mappings, sequences, sets, pydantic models
                and dataclasses, in each other. Anything else becomes what it is in JSON.

        Returns:
            The same shape, and how many secrets of each kind were masked; the very same object if none were.

        Raises:
            MaskingError: If anything goes wrong, such as a value that cannot be written as JSON.
        """
        with _failing():
            if type(value) is str:
                return self._mask(value, self._all)
            return self._mask_structure(value) if self._all else (value, {})

    def _mask_structure(self, value: object) -> tuple[object, Mapping[str, int]]:
        """A structure, masked as JSON; where masks would break that, as half a key may, its texts before all of it."""
        # An operator's expression may ask where a text begins or ends, so it reads each alone.
        masked = self._mask_json(value, self._own)
        try:
            return (put_back(value, masked.text) if masked.counts else value), masked.counts
        except JSONDecodeError:
            whole, masked = masked, self._mask_json(value, self._all)
            if '-----END' in masked.text:  # of a key in members that stand at other depths
                return whole
        except ValueError:
            return masked
        try:
            return put_back(value, masked.text), masked.counts
        except ValueError:
            return masked

    def _mask_json(self, value: object, of_texts: Sequence[Find]) -> Masked:
        counts: Counter[str] = Counter()

        def mask_text(text: str) -> str:
            masked = self._mask(text, of_texts)
            counts.update(masked.counts)
            return masked.text

        text, found = self._mask(in_json(value, mask_text), self._known, MAX_DEPTH + 1)
        return Masked(text, dict(counts + Counter(found)))

    def _mask(self, text: str, detectors: Sequence[Find], depth: int = MAX_DEPTH) -> Masked:
        if not detectors:
            return Masked(text, {})
        counts: Counter[str] = Counter()
        for _ in range(MAX_PASSES):
            text, found = replace(text, self._findings(text, depth, detectors))
            if not found:
                return Masked(text, dict(counts))
            counts += found
        raise MaskingError(
            f'masks had to be put in over {MAX_PASSES} times; a pattern may match what stands around them'
        )

    def _findings(self, text: str, depth: int, detectors: Sequence[Find]) -> list[Finding]:
        lower = lowered(text)
        findings = [finding for find in detectors for finding in find(text, lower)]
        for view in (unescaped(text), as_shown(text)) if depth else ():
            if view is None:
                continue
            findings += [view.original(finding) for finding in self._findings(view.text, depth - 1, detectors)]
        return findings


def compile_pattern(name: str, expression: str) -> Pattern:
    """Make a detector of an expression of `regex`; raises `ConfigurationError` if that or its name is wrong."""
    if not _NAME.fullmatch(name):
        raise ConfigurationError(
            f'{name[:60]!r} is no name for a pattern: letters, digits and _, at most 40, a letter first'
        )
    if len(expression) > MAX_PATTERN:
        raise ConfigurationError(f'the pattern {name} has {len(expression)} characters, over {MAX_PATTERN}; split it')
    try:
        compiled = regex.compile(expression)
        if compiled.search('', timeout=1):
            raise ConfigurationError(
                f'the pattern {name} matches an empty text, so it would put masks between all characters; have it '
                'take one at least, as `.+` does'
            )
    except (regex.error, RecursionError, OverflowError, ValueError, TypeError) as error:
        raise ConfigurationError(
            f'the pattern {name} is no regular expression: {" ".join(str(error).split())}'
        ) from None
    except TimeoutError:
        raise ConfigurationError(f'the pattern {name} takes over a second on an empty text; simplify it') from None
    return Pattern(name.upper(), compiled)


@contextmanager
def _failing() -> Generator[None]:
    """Say what kind of failure it was, whatever it is, and nothing that it says: it may repeat the secret."""
    try:
        yield
    except MaskingError:
        raise
    except Exception as error:  # noqa: BLE001 - the text must not go on
        reason = 'an expression took too long' if isinstance(error, TimeoutError) else type(error).__name__
        raise MaskingError(f'could not be searched for secrets: {reason}') from None
