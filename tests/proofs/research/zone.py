"""Harrow Sound, a made-up zone of eight pages, and a research of it against a local site and a simulated provider."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from researcher_integration.lore.checkpoint import Checkpoint, ResearchRequest
from researcher_integration.lore.configuration import Configuration, Limits, ResearchSettings, load_tiers, load_topics
from researcher_integration.lore.crawl.researcher import Way
from researcher_integration.lore.material import TopicId
from researcher_integration.lore.pipeline import Research
from researcher_integration.lore.steps.steps import ResearchProgress
from summarizer_tool.text import tokens
from tests.proofs.research.simulated import Researcher
from tests.proofs.research.site import Site, site
from tests.support import provider, replies
from tests.support.provider import Provider
from tests.support.replies import Answer, Behaviour

ZONE = 'Harrow Sound'

_PLACES = (
    'Tern Rock',
    'Cold Ferry',
    'the Rime Gate',
    'Saltmother Steps',
    'Wick Island',
    'Drum Cove',
    'the Ashen Mole',
    'Pell Strand',
)

_PEOPLE = (
    # Name, title, kind, faction, deed
    ('Isaude Merrow', 'Warden of the Nine Lamps', 'human', 'Lantern Wardens', 'relit the lamp of Tern Rock alone'),
    ('Corvin Hask', 'Harbourmaster', 'dwarf', 'Ropemakers', 'sank the toll boats rather than hand them over'),
    ('Yssa Torrel', 'Reader of Wrecks', 'human', 'Drowned Chapter', 'copied the last page of the Brine Ledger'),
    ('Old Peverin', 'Ferryman', 'gnome', 'Ropemakers', 'carried the dead of the siege across without pay'),
    ('Maud Sexley', 'Captain of the Grey Wake', 'human', 'Wake Raiders', 'burned the granary of Cold Ferry'),
    ('Bram Oddery', 'Smith', 'dwarf', 'Lantern Wardens', 'forged the hinge of the Rime Gate twice'),
    ('Tolliver Crane', 'Envoy', 'elf', 'Heron Court', 'signed the Truce of Drum Cove under a false name'),
    ('Lady Amarind', 'Heron Queen', 'elf', 'Heron Court', 'drowned her brother Osric in the Saltmother pool'),
    ('Osric the Wet', 'Ghost of the pool', 'undead', 'none', 'names his murderer to whoever brings a silver hook'),
    ('Gret Vantry', 'Cook', 'human', 'Wake Raiders', 'poisoned eleven raiders and spared the cabin boy'),
    ('Hollis Penn', 'Lampwright', 'gnome', 'Lantern Wardens', 'hid the ninth lamp under the Ashen Mole'),
    ('Sister Quill', 'Archivist', 'human', 'Drowned Chapter', 'sold two chapters of the ledger to Tolliver Crane'),
    ('Rook Dallow', 'Deserter', 'human', 'Wake Raiders', 'betrayed Maud Sexley for a passage to Wick Island'),
    ('Una Strake', 'Netmaker', 'dwarf', 'Ropemakers', 'adopted the cabin boy and taught him the nine knots'),
)

_FACTIONS = (
    # Name, leader, seat, goal, founded, enemy, highest rank, leader before
    ('Lantern Wardens', 'Isaude Merrow', 'Tern Rock', 'keep nine lamps burning', 212, 'Wake Raiders', 'Lampmaster', 'Ansel Merrow'),
    ('Ropemakers', 'Corvin Hask', 'Cold Ferry', 'hold the ferry and its tolls', 187, 'Heron Court', 'Knotmaster', 'Corvin Hask the Elder'),
    ('Drowned Chapter', 'Sister Quill', 'Saltmother Steps', 'read what the sea gives back', 244, 'Lantern Wardens', 'Prior', 'Prior Umber'),
    ('Wake Raiders', 'Maud Sexley', 'Drum Cove', 'open the Rime Gate for the winter fleet', 301, 'Lantern Wardens', 'Wakelord', 'Black Tam'),
    ('Heron Court', 'Lady Amarind', 'Wick Island', 'rule the sound as before the flood', 96, 'Ropemakers', 'Plume', 'King Ruard'),
)  # fmt: skip

_EVENTS = (
    ('the Founding of Cold Ferry', 'Corvin Hask the Elder', 'the first rope was drawn over the strait'),
    ('the Flood of Saltmother', 'the Heron Court', 'seven villages went under in one night'),
    ('the Lighting of the Nine', 'Hollis Penn', 'ships came home in fog for the first time'),
    ('the Oath of the Chapter', 'Sister Quill', 'the drowned were promised a grave on land'),
    ('the Burning of the Granary', 'Maud Sexley', 'two winters of hunger followed'),
    ('the Siege of Tern Rock', 'the Wake Raiders', 'the garrison ate its own candles and held'),
    ('the Truce of Drum Cove', 'Tolliver Crane', 'neither side kept it beyond the thaw'),
    ('the Murder in the Pool', 'Lady Amarind', 'the ghost of Osric began to speak at low tide'),
    ('the Closing of the Rime Gate', 'Bram Oddery', 'the winter fleet was crushed in the ice'),
    ('the Night of Eleven Cups', 'Gret Vantry', 'the raiders lost every officer but one'),
    ('the Theft of the Ninth Lamp', 'Rook Dallow', 'the western channel has been dark since'),
    ('the Return of the Ledger', 'Yssa Torrel', 'every family learned what its dead had owed'),
)

_ITEMS = (
    ('the Brine Ledger', 'book', 'Sister Quill', 'Owe the sea nothing; it collects.'),
    ('the Silver Hook', 'relic', 'Osric the Wet', 'Pull once for the truth.'),
    ('the Ninth Lamp', 'relic', 'Hollis Penn', 'Not for ships.'),
    ('Greywake', 'sword', 'Maud Sexley', 'Cut the rope, keep the knot.'),
    ('Letter to the Cabin Boy', 'letter', 'Gret Vantry', 'Do not drink tonight, little one.'),
    ('the Hinge Key', 'key', 'Bram Oddery', 'Left, then never right.'),
    ('the Heron Crown', 'crown', 'Lady Amarind', 'Worn wet.'),
    ('the False Treaty', 'scroll', 'Tolliver Crane', 'Signed by nobody, kept by nobody.'),
)


def _overview() -> str:
    places = '\n\n'.join(
        f'## {place[0].upper()}{place[1:]}\n\n'
        f'{place[0].upper()}{place[1:]} is a settlement {3 + number} miles {side} of the strait, at the coast, with '
        f'{140 + 37 * number} inhabitants in the last count. It is a landmark for levels {40 + number}-{43 + number}. '
        f'Its terrain is {ground}, and the climate is colder there than anywhere else in the region. The river '
        f'{river} ends {number + 2} paces from its well, where a town wall of {12 + number} towers stood before the '
        f'flood. A road leads from it to {_PLACES[(number + 3) % len(_PLACES)]} and a border stone names the old zone.'
        for number, (place, side, ground, river) in enumerate(
            zip(
                _PLACES,
                ('north', 'east', 'south', 'west') * 2,
                ('basalt', 'shingle', 'ice', 'terraces', 'peat', 'reed', 'rubble', 'dunes'),
                ('Arn', 'Little Arn', 'Hobble', 'Sele', 'Wend', 'Dray', 'Mossel', 'Pell'),
                strict=True,
            )
        )
    )
    return (
        f'# {ZONE}\n\nHarrow Sound is a zone of the region Northmarch on the continent of Aldrey, made for levels '
        '40-50. Its geography is a strait with eleven islands between two coasts. The map shows five settlements, two '
        f'dungeons and the frozen Rime Gate. It borders the zones Vesper Downs and Hallowmoor.\n\n{places}\n'
    )


def _people() -> str:
    shapes = (
        '{name}, {title}, is a {kind} who can be found at {place}. A member of the {faction}, this character {deed}. '
        'Level {level}; alive when last seen. {name} gives the quest "{quest}" and ends it after three visits. '
        'The family of {name} came from {origin} in the year {year}. {name} is a friend of {friend}, and a merchant '
        'nearby tells that both once served the same captain.',
        'At {place} stands {name}, whom the residents call {title}. {name}, a {kind} of level {level}, {deed}. '
        'Allegiance: {faction}. {friend} is the enemy of {name} since the year {year}, when both courted one person. '
        'The quest "{quest}" begins with this character, who was born at {origin} and has no other family alive.',
    )
    entries = '\n\n'.join(
        f'## {name}\n\n'
        + shapes[number % 2].format(
            name=name,
            title=title,
            kind=kind,
            faction=faction,
            deed=deed,
            place=_PLACES[number % len(_PLACES)],
            origin=_PLACES[(number + 5) % len(_PLACES)],
            level=41 + number % 9,
            year=360 + 3 * number,
            quest=f'{title.split()[-1]} and {_ITEMS[number % len(_ITEMS)][0]}',
            friend=_PEOPLE[(number + 4) % len(_PEOPLE)][0],
        )
        for number, (name, title, kind, faction, deed) in enumerate(_PEOPLE)
    )
    return (
        f'# Characters of {ZONE}\n\nThe NPCs of the sound: every character, merchant, captain and boss.\n\n{entries}\n'
    )


def _factions(title: str, listed: Sequence[int]) -> str:
    entries = '\n\n'.join(
        f'## {name}\n\n'
        f'The faction {name} is led by {leader}, who holds court at {seat}, its headquarters. Its goal is to {goal}. It '
        f'was founded in the year {founded} by {7 + number} oathsworn members, and its army counts {33 + 46 * number} '
        f'today. The enemy of the {name} is the guild called {enemy}; the war between the two has lasted {5 + number} '
        f'winters. An alliance with the {_FACTIONS[(number + 2) % 5][0]} ended when a treaty was broken. The ranks of '
        f'the order are Deckhand, Oath, Keeper and {highest}. Reputation with the {name} opens at rank Oath, and a '
        f'member who leaves the faction loses name and boat. The leader before {leader} was {before}.'
        for number in listed
        for name, leader, seat, goal, founded, enemy, highest, before in [_FACTIONS[number]]
    )
    return f'# {title}\n\nEvery faction, guild and order that wages war over {ZONE}.\n\n{entries}\n'


def _history() -> str:
    entries = '\n\n'.join(
        f'## Year {210 + 13 * number}: {name}\n\n'
        f'In the year {210 + 13 * number} of the Salt Era came {name}, an event of {2 + number} days. {who} is named '
        f'by the chronicle as its cause, and {outcome}. {31 + 17 * number} people died, most of them at '
        f'{_PLACES[number % len(_PLACES)]}. The legend adds a prophecy: "When the lamp of {_PLACES[(number + 2) % 8]} '
        f'is dark for {number + 3} nights, {_EVENTS[(number + 1) % len(_EVENTS)][0]} will come again." The story is '
        f'told in every age since, and it led to {_EVENTS[(number + 1) % len(_EVENTS)][0]} 13 years later.'
        for number, (name, who, outcome) in enumerate(_EVENTS)
    )
    return f'# History of {ZONE}\n\nThe timeline of the Salt Era: each battle, siege, flood and curse.\n\n{entries}\n'


def _siege() -> str:
    days = '\n\n'.join(
        f'## Day {day}\n\nOn day {day} of the siege the raiders shot {20 + 3 * day} burning arrows at the tower, and '
        f'{who} answered with {what}. The chronicle counts {day + 1} dead and a broken {thing}. The battle moved to '
        f'{_PLACES[day % len(_PLACES)]} at dusk, where the ancient oath was sworn again in the old tongue.\n\n'
        f'In the night {watcher} heard {sound} below the rock. {who} forbade the garrison to sleep, and {day + 4} '
        f'candles were eaten instead of bread. A legend says that the curse of the tower began in this hour, when a '
        f'stone with {day + 7} names on it fell into the surf.\n\n'
        f'The history written {10 * day} years later by {_PEOPLE[(day + 5) % len(_PEOPLE)][0]} blames the losses of '
        f'this day on a quarrel about {cause}. In the myth of the islanders the god of the strait took {day} of the '
        f'{11 + day} boats at the mole and gave back one {thing} of gold.'
        for day, (who, what, thing, watcher, sound, cause) in enumerate(
            (
                ('Isaude Merrow', 'boiling fat', 'ladder', 'Hollis Penn', 'oars wrapped in wool', 'a dog'),
                ('Bram Oddery', 'red-hot nails', 'ram', 'Sister Quill', 'a drum without a drummer', 'wages'),
                ('Hollis Penn', 'mirrors and lamp oil', 'mast', 'Gret Vantry', 'two women singing', 'a borrowed knife'),
                ('Yssa Torrel', 'the reading of names', 'bell', 'Old Peverin', 'chains on shingle', 'the last onion'),
                ('Old Peverin', 'a night crossing', 'keel', 'Una Strake', 'her own name', 'the right of the stair'),
                ('Una Strake', 'nets over the stair', 'gate', 'Bram Oddery', 'silence', 'a prayer said twice'),
            ),
            1,
        )
    )
    return (
        '# The Siege of Tern Rock\n\nThe siege is the best known battle in the history of the sound: six days, told '
        f'in the chronicle of the age and in legend.\n\n{days}\n'
    )


def _items() -> str:
    entries = '\n\n'.join(
        f'## {name[0].upper()}{name[1:]}\n\n'
        f'{name[0].upper()}{name[1:]} is a {kind} that belongs to {owner}. Inscription: "{text}" The item is found in '
        f'a chest at {_PLACES[(number + 1) % len(_PLACES)]}, behind {2 + number} locks, and drops from no enemy. It '
        f'was made in the year {188 + 11 * number} by {_PEOPLE[(number + 6) % len(_PEOPLE)][0]}, stolen by '
        f'{_PEOPLE[(number + 9) % len(_PEOPLE)][0]}, and is asked for in the quest "{name.split()[-1]} and tide". '
        f'Whoever carries the {kind} gains {5 + number} endurance; the reward for its return is {40 + number} crowns. '
        'A treasure map beside it shows the next key, and a journal names the artifact a fake.'
        for number, (name, kind, owner, text) in enumerate(_ITEMS)
    )
    return f'# Items and Books of {ZONE}\n\nEach relic, book, letter, key and weapon with a story.\n\n{entries}\n'


def _biography() -> str:
    chapters = '\n\n'.join(
        f'## {when}\n\nIsaude Merrow, {what}, spent this part of her life at {_PLACES[number]}. As a captain she led '
        f'{12 + 5 * number} people, and a merchant named {who} was her trainer. Her family wrote {3 + number} letters, '
        f'of which none was answered. She gave the quest "{when} on the rock" to every resident of level {42 + number}.\n\n'
        f'{who} lent her {4 + number} crowns at {_PLACES[(number + 3) % len(_PLACES)]} and never asked for them. Her '
        f'race was held against her by {_PEOPLE[number + 6][0]}, who was then {20 + number} years old and alive only '
        f'by her mercy. A vendor of lamp oil swears that the two shared one cup in the winter of {402 + 6 * number}.\n\n'
        f'The person who knew her best was {friend}, a {trade} of Pell Strand. {friend} kept {7 + 2 * number} of her '
        f'buttons in a jar, told {number + 2} lies to protect her, and is buried {number + 1} steps from the lamp that '
        f'she lit on the day of {_EVENTS[number + 2][0]}.'
        for number, (when, what, who, friend, trade) in enumerate(
            (
                ('Childhood', 'daughter of Ansel Merrow', 'Dorn Pike', 'Lettice Bram', 'goose girl'),
                ('Apprentice', 'oathsworn at fourteen', 'Elsin Vary', 'Marrow Finch', 'caulker'),
                ('Keeper', 'rival of Maud Sexley', 'Jory Flint', 'Sabine Holt', 'midwife'),
                ('Warden', 'commander of the nine lamps', 'Tamsin Roe', 'Edric Moss', 'bell founder'),
                ('Old age', 'blind in one eye', 'Perrin Lusk', 'Wilmot Grey', 'gravedigger'),
            )
        )
    )
    return f'# Isaude Merrow\n\nA character of the sound and its best known resident.\n\n{chapters}\n'


PAGES = {
    'harrow-sound': _overview(),
    'characters': _people(),
    'factions': _factions(f'Factions of {ZONE}', range(5)),
    'history': _history(),
    'siege-of-tern-rock': _siege(),
    'items': _items(),
}
"""What a research is given, by name: 500 to 2,200 tokens each."""

FURTHER = {
    'isaude-merrow': _biography(),
    'lantern-wardens': _factions('The Lantern Wardens and their enemy', [0, 3]),
}
"""What only an agent finds."""

GATHER: dict[TopicId, str] = {
    'zone_overview': f'what kind of place {ZONE} is',
    'npcs': f'Find the characters of {ZONE}',
    'factions': f'Find the factions of {ZONE}',
    'lore': f'Find what has happened in {ZONE}',
    'narrative_items': f'Find the things of {ZONE}',
}
"""A phrase of the request to the agent by which its step is known."""

WINDOW = 5_500

CHUNK = 1_500


@dataclass(frozen=True, slots=True)
class Places:
    """Where the site and the provider are."""

    host: str
    """Of the site, with its port."""
    base_url: str
    """Of the provider."""

    def url(self, name: str, form: str = 'md') -> str:
        return f'http://{self.host}/{name}.{form}'

    def research(
        self,
        folder: Path,
        *,
        names: Sequence[str] = tuple(PAGES),
        form: str = 'md',
        way: Way = 'in-pipeline',
        window: int = WINDOW,
        limits: Limits | None = None,
        on_progress: Callable[[ResearchProgress], None] = lambda _: None,
        on_checkpoint: Callable[[Checkpoint], None] = lambda _: None,
        **settings: Any,
    ) -> Research:
        """A research of the zone with an agent at the provider, and the embedded model for summaries.

        Args:
            folder: Where the package goes.
            names: Of the pages that are given.
            form: `md` or `html`.
            way: Who summarizes.
            window: Of the extraction, in tokens.
            limits: Instead of those of the topics.
            on_progress: As of `Research`.
            on_checkpoint: As of `Research`.
            settings: Instead of the defaults: `llm_model=replies.MODEL` lets the provider summarize.
        """
        topics = load_topics()
        given = {
            'llm_model': 'extractive',
            'research_model': replies.MODEL,
            'openrouter_base_url': self.base_url,
            'fetch_allow_hosts': self.host,
            'default_chunk_size_tokens': CHUNK,
            'llm_max_retries': 0,
        }
        return Research(
            ResearchRequest(
                zone=ZONE, places=tuple(self.url(name, form) for name in names), way=way, window_tokens=window
            ),
            Configuration(topics if limits is None else topics.model_copy(update={'limits': limits}), load_tiers()),
            ResearchSettings.load(**{**given, **settings}),
            folder,
            on_progress=on_progress,
            on_checkpoint=on_checkpoint,
        )


@dataclass(frozen=True, slots=True)
class World:
    """A site with the pages, and a provider."""

    site: Site
    provider: Provider

    @property
    def places(self) -> Places:
        return Places(self.site.host, self.provider.base_url)

    def research(self, folder: Path, **options: Any) -> Research:
        """As `Places.research`."""
        return self.places.research(folder, **options)

    def answer_with(self, answer: Answer) -> None:
        """Let the provider answer otherwise from now on."""
        self.provider.behaviour = Behaviour(answer)

    def agent_crawls(self, **names: str) -> None:
        """Let the agent crawl a page, by its name, in a step, by its id."""
        self.answer_with(
            Researcher(urls={GATHER[step]: [self.places.url(name)] for step, name in names.items() if step in GATHER})
        )


@contextmanager
def world(answer: Answer | None = None) -> Iterator[World]:
    """Serve the zone and a provider until the block ends.

    Args:
        answer: Of the provider; by default a well-behaved `Researcher`.
    """
    with site({**PAGES, **FURTHER}) as wiki, provider.serve(Behaviour(answer or Researcher())) as running:
        yield World(wiki, running)


Role = Literal['agent', 'extraction', 'cross-reference', 'summary']


def role(asked: replies.Request) -> Role:
    """Who asks the provider."""
    tools = asked.body.model_dump_json(include={'tools'})
    if '"crawl_webpage"' in tools:
        return 'agent'
    return 'cross-reference' if '"first_source"' in tools else 'extraction' if '"records"' in tools else 'summary'


def sent_tokens(asked: replies.Request) -> int:
    """All that a model has to read, as it came over the wire: messages, calls in them, and the schemas of tools."""
    extra = [message.model_extra for message in asked.body.messages if message.model_extra]
    schemas = asked.body.model_dump_json(include={'tools', 'tool_choice', 'response_format'}, exclude_unset=True)
    return tokens.count('\n'.join([asked.prompt, json.dumps(extra) if extra else '', schemas]))
