"""Questions to a small web whose answer is some links away, and their traces as lines."""

from collections.abc import Sequence

from summarizer_tool import Settings
from summarizer_tool.evidence.answer.answering import Answerer, GatheredEvidence
from summarizer_tool.evidence.question import AnswerRequest
from tests.support.small_web import ORIGIN, SmallWeb, leaf

START = f'{ORIGIN}/'
QUESTION = 'How many blades has the runner of a Kaplan turbine?'

PAGES = {
    '/': leaf(
        'The tidal plant of Marn stands in the estuary of the Ness.\n\nIt opened in 1931.',
        ('/guide', 'Guide to the plant'),
        ('/news', 'News'),
        ('/login', 'Log in to see the Kaplan turbine'),
        ('/kaplan.zip', 'Kaplan turbine pictures'),
    ),
    '/guide': leaf('The guide tells of each part of the plant.', ('/guide/turbines', 'Turbines'), ('/', 'Home')),
    '/guide/turbines': leaf(
        'The hall has six turbines of two kinds.',
        ('/guide/kaplan', 'Kaplan turbines'),
        ('/guide/bulb', 'Bulb turbines'),
        ('/guide/turbines/', 'Turbines again'),
        ('/guide/log', 'Turbine log'),
    ),
    '/guide/kaplan': leaf(
        'A Kaplan turbine can turn its blades.',
        ('/guide/blades', 'Blades of the runner'),
        ('http://169.254.169.254/data', 'Kaplan runner data'),
    ),
    '/guide/blades': leaf('The runner of each Kaplan turbine has five blades.\n\nThe blades are of bronze.'),
    '/guide/bulb': leaf('The bulb turbine is fixed.'),
    '/news': leaf('Nothing new.'),
}


def answerer(small: SmallWeb, request: AnswerRequest, **more: object) -> Answerer:
    settings = Settings.load(**{name: more.pop(name) for name in list(more) if name.startswith('answer_')})
    more = {'add_page': small.add_page, 'search': small.search, **more}
    return Answerer(small, settings, request, **more)  # pyright: ignore[reportArgumentType]


async def ask(
    small: SmallWeb,
    places: Sequence[str] = (START,),
    text: str = QUESTION,
    **more: object,
) -> GatheredEvidence:
    fields = {name: more.pop(name) for name in list(more) if name in AnswerRequest.model_fields}
    return await answerer(small, AnswerRequest.of({'query': text, **fields}), **more).answer(places)


def trace(answered: GatheredEvidence) -> list[str]:
    """The trace as lines: depth, page, source, failure."""
    return [
        f'{index} d{page.depth} {page.url.removeprefix(ORIGIN)} '
        + (f'FAILED {page.failure}' if page.failure else page.source_id[-2:])
        for index, page in enumerate(answered.pages)
    ] + [f'{answered.rounds} rounds: {answered.stop_reason}']
