"""The answers of models that all workers of a database share: what one has paid for, none pays for again."""

from dataclasses import dataclass

from summarizer_tool.batch.database import BatchDatabase


@dataclass(frozen=True, slots=True)
class SharedAnswers:
    """Answers by what was asked, whoever asked it: whoever goes on with a document finds those that it has already.

    The calls of a document are no steps of its workflow: DBOS knows steps by the order in which they begin, which must
    be the same when a workflow runs again, and calls begin when others end. Their content is the same.
    """

    database: BatchDatabase

    def answer(self, key: str, *, least: int, most: int) -> str | None:
        """The answer for the smallest target in a range, if any."""
        return self.database.answer(key, least, most)

    def keep_answer(self, key: str, target: int, answer: str) -> None:
        """Keep an answer made for a target."""
        self.database.keep_answer(key, target, answer)

    def summary(self, key: str) -> None:
        """None: whole results are what DBOS keeps of a step."""

    def keep_summary(self, key: str, summary: str) -> None:
        """Keep nothing."""
