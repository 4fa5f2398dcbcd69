"""Tell the entries of a reference list: they are full of names and numbers, and state nothing."""

import regex

_HEADINGS = """references, reference list, references and notes, notes and references, bibliography, works cited,
    literature, literature cited, literatur, literaturverzeichnis, einzelnachweise, quellen, quellenverzeichnis,
    références, bibliographie, notes et références, referencias, bibliografía, bibliografia, riferimenti, referências,
    referenties, literatuur, bronnen, przypisy, referenser, källor, литература, примечания, список литературы,
    参考文献, 参考资料, 參考文獻, 脚注, 출처, 참고문헌, المراجع, مراجع"""
_HEADING = regex.compile(
    r'^(?:[\dIVX]+[.)]?\s+)?(?:' + '|'.join(map(regex.escape, regex.split(r',\s+', _HEADINGS))) + r')\s*:?$',
    regex.IGNORECASE,
)

_SIGNS = (
    regex.compile(r'\bet al\b'),
    regex.compile(r'\b(?:doi|pmid|pmcid|isbn|issn|arxiv)\b|\b10\.\d{4,9}/', regex.IGNORECASE),
    # `2009;170:650`, `155(2):422`, `(2009).`, `, 2009.`
    regex.compile(
        r'\b(?:1[5-9]|20)\d\d[a-z]?;\s?\d|\b\d{1,4}\s?\(\d{1,4}\)\s?[:,]\s?\d|\((?:1[5-9]|20)\d\d[a-z]?\)[.,:]'
        r'|[,.] (?:1[5-9]|20)\d\d[a-z]?\.(?:\s|$)'
    ),
    regex.compile(
        r'\bpp?\.\s?\d|\d[-–]\d+\.?$|\b[Vv]ol\.\s?\d|\([Ee]ds?\.\)|\bIn: |\b(?:Google Scholar|Crossref|PubMed)\b'
    ),
)
# `Shear NH,`, `Smith, J. A. and`
_AUTHORS = regex.compile(
    r"^[^.:]{0,60}?\b\p{Lu}[\p{L}'’-]+,?\s(?:\p{Lu}(?:\.\s?-?|(?=\p{Lu}|\b))){1,3}\s?(?:,|;|&|and\b|\.|\()"
)
_REACH = 1000


def opens_references(heading: str) -> bool:
    """Return whether what stands under a heading is a list of references."""
    return _HEADING.match(heading.strip()) is not None


def is_reference(line: str) -> bool:
    """Return whether a line is the entry of such a list, by two signs or more."""
    reach = line[:_REACH]
    if not any(map(str.isdigit, reach)):
        return False
    signs = sum(sign.search(reach) is not None for sign in _SIGNS)
    return signs > 1 or (signs == 1 and _AUTHORS.match(reach) is not None)
