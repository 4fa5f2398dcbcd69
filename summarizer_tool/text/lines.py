"""Text on one line."""


def one_line(text: str, longest: int = 0) -> str:
    """Collapse white space, and cut off, with an ellipsis, what is over `longest` characters; 0 for any number."""
    line = ' '.join((text[: 4 * longest] if longest else text).split())
    return f'{line[: longest - 1].rstrip()}…' if 0 < longest < len(line) else line
