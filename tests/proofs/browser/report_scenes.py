"""What people see and do on the page of a report, scene by scene; it is opened as a file, without a server."""

import re
import time
from pathlib import Path

from playwright.sync_api import Browser, Error, Page, expect

from summarizer_tool import (
    Audit,
    Document,
    Evidence,
    Part,
    SourcedFact,
    Stats,
    Summary,
    count_tokens,
    render_report,
)
from summarizer_tool.schemas import LostItem
from summarizer_tool.text.own_lines import as_line
from tests.proofs.browser.scenes import CONTRAST, HOSTILE, LEAST_CONTRAST, watched
from tests.proofs.load.goals import Goals
from tests.report.test_page import part

DOCUMENTS = 16
LINES = 1250
FACT_EVERY = 50
MAX_SECONDS = 1.0
TRIES = 3
"""The best counts: others may be at work on the machine."""

TEXTS = 'h1, h2, h3, p, li, th, td, kbd, button, .fact, .where, .line, .cited, .name, .detail, #legend span'
"""All that is to be read."""

BEYOND = "Math.max(...[...document.querySelectorAll('.value')].map((each) => each.scrollWidth - each.clientWidth))"

LONGEST_TASK = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.longest = Math.max(window.longest, task.duration);
  }).observe({ type: 'longtask', buffered: true });
}"""


def document(number: int, lines: int) -> Document:
    text = '\n'.join(
        f'{line}. Ferry {number * lines + line} left pier {line % 47}.' if line % 20 else f'\n## Watch {line // 20}\n'
        for line in range(1, lines + 1)
    )
    return Document(text, title=f'Log of harbour {number + 1}')


def summarized(documents: list[Document], *, every: int, state: str = 'summarized', reason: str = '') -> Summary:
    """A summary with a fact of every so many segments; the last document is in another state."""
    facts: list[SourcedFact] = []
    lines: list[str] = []
    parts: list[Part] = []
    for each in documents:
        last = len(each.segment_starts)
        lines.append(f'# {each.title}')
        for segment in range(1, last, every):
            evidence = [
                Evidence(source_id=each.id, segment=number, line=each.segment(number).line)
                for number in (segment, segment + 1)
            ]
            facts.append(SourcedFact(text=each.segment_text(segment), importance=3, names=[], evidence=evidence))
            lines.append(as_line(each.segment_text(segment)))
        parts.append(part(each, state, reason) if each is documents[-1] else part(each, 'summarized'))
    tokens_in = sum(count_tokens(each.text) for each in documents)
    text = '\n'.join(lines)
    stats = Stats(tokens_in=tokens_in, tokens_out=count_tokens(text), budget=20_000, map_calls=24, reduce_calls=3,
                  cached_calls=5, facts_in=2 * len(facts), facts_out=len(facts), model='extractive')  # fmt: skip
    return Summary(text=text, state='complete', facts=facts, parts=parts, stats=stats)


def opened(browser: Browser, folder: Path, page: str, **options: object) -> tuple[Page, list[str], list[str]]:
    (folder / 'report.html').write_text(page, encoding='utf-8', newline='\n')
    shown, complaints, asked = watched(browser, **options)
    shown.goto((folder / 'report.html').as_uri())
    return shown, complaints, asked


def both_ways(browser: Browser, folder: Path, goals: Goals, pictures: Path | None) -> None:
    """A fact lights up its lines, and a line its facts."""
    documents = [document(number, 200) for number in range(3)]
    made = summarized(documents, every=19, state='degraded', reason='timed out')
    lost = LostItem(**made.facts[8].evidence[1].model_dump(), text='Ferry 150', kind='name', times=1)
    made.coverage = Audit(total=1, losses=[lost])
    made.text = made.text.replace('\n', '\n## Evening\n', 1)
    made.stats.tokens_in, made.stats.dropped.superseded = 1_234_567, 3
    page, complaints, asked = opened(browser, folder, render_report(made, documents))
    expect(page.locator('#facts h4')).to_have_text('Evening')
    expect(page.locator('.figure').nth(1)).to_contain_text(f'3 superseded, {len(made.facts) - 3} merged')
    facts, lit = page.locator('.fact'), page.locator('.cited.lit')
    expect(facts).to_have_count(len(made.facts))
    expect(page.locator('#contents li')).to_have_count(3)
    expect(page.locator('#contents li.degraded')).to_have_text(
        ['3 Log of harbour 311 facts · 219 lines · 219 degraded']
    )
    facts.nth(2).hover()
    expect(lit).to_have_count(2)
    page.mouse.move(0, 0)
    expect(lit).to_have_count(0)
    goals.so('pointing at a fact lights up its lines, as long as it is pointed at', is_so=True)
    last = facts.nth(len(made.facts) - 2)
    last.click()
    expect(last).to_have_attribute('aria-pressed', 'true')
    expect(lit).to_have_count(2)
    expect(lit.last).to_be_in_viewport()
    expect(page.locator('.mark.lit')).to_have_count(2)
    expect(page.locator('#said')).to_contain_text('3 Log of harbour 3, line')
    goals.so('a click keeps them lit and brings them into view, in another document too', is_so=True)
    page.keyboard.press('Escape')
    expect(page.locator('.lit')).to_have_count(0)
    page.locator('.cited').first.click()
    expect(facts.first).to_have_class('fact lit')
    expect(facts.first).to_be_in_viewport()
    expect(page.locator('.fact.lit')).to_have_count(1)
    goals.so('a line lights up its facts and brings them into view', is_so=True)
    page.locator('.place').click()
    expect(page.locator('.line.lit')).to_be_in_viewport()
    goals.so('a place in a table leads to its line', is_so=True)
    for scheme in ('light', 'dark'):
        page.emulate_media(color_scheme=scheme)
        facts.nth(1).click()
        goals.at_least(f'contrast of text, {scheme}', page.evaluate(CONTRAST, TEXTS), LEAST_CONTRAST)
        if pictures is not None:
            page.screenshot(path=pictures / f'report-{scheme}.png')
        page.keyboard.press('Escape')
    page.set_viewport_size({'width': 820, 'height': 1100})
    goals.at_most('a figure stands out of its place', page.evaluate(BEYOND), 0, 'px')
    page.emulate_media(media='print')
    printed = page.locator('.line:visible').count()
    goals.so('on paper stand the lines that are cited', is_so=printed == page.locator('.line:has(.cited)').count())
    goals.so('nothing is asked for but the file', is_so=len(asked) == 1)
    goals.so(f'nothing to complain of {complaints or ""}', is_so=not complaints)
    page.close()


def printed(browser: Browser, folder: Path, goals: Goals, _: Path | None) -> None:
    """A text that has pages names them."""
    text = '\n\n\f\n\n'.join(document(number, 30).text for number in range(3))
    made = summarized([Document(text, title='Printed log')], every=50)
    page, *_ = opened(browser, folder, render_report(made, [Document(text, title='Printed log')]))
    page.locator('.fact').last.click()
    expect(page.locator('#said')).to_contain_text(re.compile(r'p\. [23], line \d+'))
    expect(page.locator('.page')).to_have_text(['p. 1', 'p. 2', 'p. 3'])
    goals.so('pages are named, over their lines and with a place', is_so=True)
    page.close()


def by_keyboard(browser: Browser, folder: Path, goals: Goals, pictures: Path | None) -> None:
    """Everything goes without a pointer."""
    documents = [document(number, 200) for number in range(2)]
    made = summarized(documents, every=19)
    page, complaints, _ = opened(browser, folder, render_report(made, documents))
    facts = page.locator('.fact')
    page.keyboard.press('Tab')
    expect(facts.first).to_be_focused()
    expect(page.locator('.cited.lit')).to_have_count(2)
    outline = facts.first.evaluate('(node) => getComputedStyle(node).outlineStyle')
    goals.so('the first fact is the first stop, and shows it', is_so=outline == 'solid')
    page.keyboard.press('ArrowDown')
    page.keyboard.press('ArrowDown')
    expect(facts.nth(2)).to_be_focused()
    page.keyboard.press('Enter')
    line = page.locator('.cited:focus')
    expect(line).to_have_class('cited lit')
    expect(line).to_be_in_viewport()
    page.keyboard.press('ArrowDown')
    expect(facts.nth(3)).to_have_class('fact lit')
    page.keyboard.press('Enter')
    expect(facts.nth(3)).to_be_focused()
    page.keyboard.press('End')
    expect(facts.last).to_be_focused()
    expect(page.locator('.cited.lit').last).to_be_in_viewport()
    page.keyboard.press('Escape')
    expect(page.locator('.lit')).to_have_count(0)
    goals.so('arrows go on, Enter goes to the source and back, Escape puts out the lights', is_so=True)
    page.keyboard.press('Tab')
    expect(page.locator('#contents button').first).to_be_focused()
    page.keyboard.press('Tab')
    page.keyboard.press('Enter')
    expect(page.locator('.document').nth(1)).to_be_in_viewport()
    goals.so('a document of the list comes into view', is_so=True)
    goals.so(f'nothing to complain of {complaints or ""}', is_so=not complaints)
    page.close()


def hostile(browser: Browser, folder: Path, goals: Goals, pictures: Path | None) -> None:
    """Texts that are written to take over the page."""
    text = f'</script><!--<script>{HOSTILE}\u2028'
    document = Document(f'{text}\n{text}', title=text, url='javascript:window.harmed=1')
    made = summarized([document], every=1, state='failed', reason=text)
    made.warnings.append(text)
    made.text += f'\n{text}'
    made.stats.model = text
    lost = LostItem(**made.facts[0].evidence[0].model_dump(), text=text, kind='name', times=1)
    made.coverage = Audit(total=1, losses=[lost])
    page, complaints, asked = opened(browser, folder, render_report(made, [document]))
    expect(page.locator('.fact')).to_contain_text(text.strip())
    expect(page.locator('.line')).to_have_count(2)
    expect(page.locator('#warnings li')).to_have_text(text)
    page.locator('.fact').click()
    made_of_it = page.evaluate('document.querySelectorAll("img, a, [onerror], [onfocus], [autofocus]").length')
    scripts = page.evaluate('document.scripts.length')
    harmed = page.evaluate('window.harmed ?? 0')
    goals.so('hostile text is shown as text', is_so=(made_of_it, scripts, harmed) == (0, 2, 0))
    for markup in (
        'document.body.innerHTML = "<img src=x onerror=window.harmed=1>"',
        'document.body.append(Object.assign(document.createElement("script"), { text: "window.harmed=1" }))',
    ):
        try:
            page.evaluate(markup)
            is_refused = False
        except Error as error:
            is_refused = 'Trusted' in str(error)
        goals.so('the policy of the page refuses markup and scripts from text', is_so=is_refused)
    goals.so('nothing is asked for but the file', is_so=len(asked) == 1)
    others = [complaint for complaint in complaints if 'Trusted' not in complaint]
    goals.so(f'nothing else to complain of {others or ""}', is_so=not others)
    page.close()


def large(browser: Browser, folder: Path, goals: Goals, pictures: Path | None) -> None:
    """200,000 tokens, on a desk and on a phone."""
    documents = [document(number, LINES) for number in range(DOCUMENTS)]
    made = summarized(documents, every=FACT_EVERY)
    started = time.perf_counter()
    (folder / 'report.html').write_text(html := render_report(made, documents), encoding='utf-8')
    goals.note('tokens, lines, facts', f'{made.stats.tokens_in:,}, {DOCUMENTS * LINES:,}, {len(made.facts)}')
    goals.note('written in seconds, megabytes', f'{time.perf_counter() - started:.2f}, {len(html) / 1e6:.2f}')
    for name, size in {'desk': (1440, 900), 'phone': (390, 844)}.items():
        page, complaints, _ = watched(browser, viewport={'width': size[0], 'height': size[1]})
        page.add_init_script(f'({LONGEST_TASK})()')
        seen: list[float] = []
        ready: list[float] = []
        for _ in range(TRIES):
            page.goto('about:blank')
            started = time.perf_counter()
            page.goto((folder / 'report.html').as_uri(), wait_until='commit')
            page.locator('.fact').nth(3).click()
            expect(page.locator('.cited.lit').last).to_be_in_viewport()
            seen.append(time.perf_counter() - started)
            page.wait_for_selector('html[data-ready]')
            ready.append(int(page.evaluate('document.documentElement.dataset.ready')) / 1000)
        goals.at_most(f'{name}: until a fact is clicked and its lines are seen', min(seen), MAX_SECONDS)
        goals.at_most(f'{name}: until all lines are there', min(ready), MAX_SECONDS)
        goals.note(f'{name}: longest task that blocks the page, ms', round(page.evaluate('window.longest')))
        started = time.perf_counter()
        page.locator('.fact').last.click()
        expect(page.locator('.cited.lit').last).to_be_in_viewport()
        goals.at_most(f'{name}: from the first document to the last', time.perf_counter() - started, MAX_SECONDS)
        expect(page.locator('.line')).to_have_count(DOCUMENTS * LINES)
        wide = page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        goals.at_most(f'{name}: scrolls sideways', wide, 0, 'px')
        goals.so(f'nothing to complain of {complaints or ""}', is_so=not complaints)
        if pictures is not None:
            page.screenshot(path=pictures / f'report-{name}.png')
        page.close()


REPORT_SCENES = (both_ways, printed, by_keyboard, hostile, large)
