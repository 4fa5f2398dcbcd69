"""Which boxes of a page are notes to the reader, and what they call themselves."""

import re

_KINDS = {
    **{name: name.capitalize() for name in ('note', 'warning', 'tip', 'important', 'caution', 'danger', 'hint')},
    **{name: name.capitalize() for name in ('attention', 'error', 'info', 'success')},
    'information': 'Info',
    'seealso': 'See also',
    'primary': 'Note',
    'secondary': 'Note',
    'warn': 'Warning',
}
_ALONE = frozenset({'note', 'warning', 'tip', 'important', 'caution', 'danger', 'hint', 'attention'})
"""Names that say enough by themselves."""
_FAMILY = re.compile(
    r'(?:^|\s)(?:admonition|markdown-alert|alert|callout|theme-admonition|custom-block|notice|hint)(?=$|[\s_-])'
)
_TITLE = re.compile(
    r'(?:^|[\s_-])(?:admonition|alert|callout|custom-block|notice|note|hint)[\w-]*[_-](?:title|heading)(?:$|\s)'
)
_MAX_NAMES = 300
_MAX_TITLE = 200


def label(names: str) -> str:
    """What a box with these class names is to the reader, such as `Warning`; empty if it is no note."""
    if len(names) > _MAX_NAMES:
        return ''
    words = names.lower().split()
    if any(word in _ALONE for word in words):
        return next(_KINDS[word] for word in words if word in _ALONE)
    if not _FAMILY.search(names):
        return ''
    for word in words:
        kind = word.rpartition('-')[2]
        if kind in _KINDS:
            return _KINDS[kind]
    return 'Note' if 'admonition' in words else ''


def is_title(names: str) -> bool:
    """Return whether a box with these class names holds the title of a note."""
    return len(names) <= _MAX_NAMES and _TITLE.search(names) is not None


def titled(label: str, title: str) -> str:
    """What a note that has a title is called: the title alone, where it says what the note is."""
    title = ' '.join(title.split()).strip(' :!')[:_MAX_TITLE]
    if not label or title.lower().startswith(label.lower()):
        return title or label
    return f'{label}: {title}' if title else label
