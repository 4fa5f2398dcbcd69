"""LaTeX as markdown."""

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.formats import latex
from summarizer_tool.formats.reading import plain_text

_PAPER = r"""
\documentclass{article}
\title{Gates of the \emph{Mola} Valley}
\author{Ada Orme \and
 K. Finn}
\begin{document}
\maketitle
\begin{abstract}
We watched 31 gates~\cite{orme16} for 3 years. % cite more
Nine were used, which is 29\% ($p < 0.01$).
\end{abstract}
\section{Methods}\label{sec:methods}
G\"odel's lamp and \ss{} were set 1--2~m above, as \textbf{Erd\H{o}s} says\footnote{Not in winter.}:
\begin{itemize}
\item one lamp,
  which burns
\item[oil] two jars
\end{itemize}
\begin{equation}
  x = \beta_0
\end{equation}
\begin{table}[h]
\caption{Gates by kind}
\begin{tabular}{lr}
\toprule
Kind & Used \\
\midrule
Iron & 5 \\
Wood \& rope & $x$ \\
\bottomrule
\end{tabular}
\end{table}
\begin{verbatim}
lamp --on % now
\end{verbatim}
\end{document}
"""


def test_a_paper() -> None:
    """Headings, paragraphs, items, formulas, tables and code; what is not printed is left out."""
    assert plain_text(_PAPER) == snapshot("""\
# Gates of the Mola Valley

Ada Orme, K. Finn

## Abstract

We watched 31 gates for 3 years. Nine were used, which is 29% ($p < 0.01$).

## Methods

Gödel's lamp and ß were set 1–2 m above, as Erdős says (Not in winter.):

- one lamp, which burns

- oil: two jars

$$x = \\beta_0$$

Gates by kind

| Kind | Used |
|---|---|
| Iron | 5 |
| Wood & rope | $x$ |

```
lamp --on % now
```
""")


def test_a_table_on_one_line_and_an_own_command() -> None:
    """Nothing of either is lost."""
    said = latex.markdown(
        r'\section{A} \newword{Mola} \begin{tabular}{@{}ll} a & b \\ c & d \end{tabular}', is_named_so=True
    )
    assert said == '## A\n\nMola\n\n| a | b |\n|---|---|\n| c | d |\n'


def test_another_text_is_left_alone() -> None:
    """One command is none of a document."""
    assert latex.markdown(r'Write \section{Methods} above it.') == ''


@given(st.text(alphabet='\\{}[]$%&~ab-\n\x02\x03', max_size=200))
def test_any_text(text: str) -> None:
    """Nothing fails."""
    assert latex.markdown(text, is_named_so=True)
