"""What people see and do on the page, scene by scene."""

import re
from pathlib import Path

from playwright.sync_api import Browser, Error, Page, expect

from researcher_integration.timeline.events import Summarizing, SummaryDelta, ToolCall, ToolResult, ToolSummary
from tests.proofs.browser.stage import stage
from tests.proofs.load.goals import Goals
from tests.support.timeline import FACTS, call

LEAST_CONTRAST = 4.5
"""Of text, as WCAG AA asks for."""

HOSTILE = '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>" onfocus=window.harmed=1 autofocus x="'

CONTRAST = """(selectors) => {
  const channels = (color) => color.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((c) => c / 255).map((c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const color = getComputedStyle(node).backgroundColor;
      if (color !== 'rgba(0, 0, 0, 0)') return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const ratio = (node) => {
    const [a, b] = [getComputedStyle(node).color, behind(node)].map(luminance).sort((x, y) => y - x);
    return (a + .05) / (b + .05);
  };
  const shown = [...document.querySelectorAll(selectors)];
  return Math.min(...shown.filter((node) => node.offsetParent).map(ratio));
}"""


TEXTS = 'h1, label, select, #status, h2 span, .state, time, summary, pre, .size, .progress, .text'


def watched(browser: Browser, **options: object) -> tuple[Page, list[str], list[str]]:
    """A page, what it complains of, and what it asks for."""
    page = browser.new_page(**options)  # pyright: ignore[reportArgumentType]
    page.set_default_timeout(15_000)
    complaints: list[str] = []
    asked: list[str] = []
    page.on('pageerror', lambda error: complaints.append(str(error)))
    page.on('console', lambda message: complaints.append(message.text) if message.type == 'error' else None)
    page.on('dialog', lambda dialog: complaints.append(dialog.message))
    page.on('request', lambda request: asked.append(request.url))
    return page, complaints, asked


def live_run(browser: Browser, folder: Path, goals: Goals, pictures: Path | None) -> None:
    """A run is shown while it happens."""
    started, completed, result, summarizing, *deltas, summary = call()
    with stage(folder) as on:
        timeline = on.open('evening ferry')
        page, complaints, asked = watched(browser)
        page.goto(on.url)
        expect(page.locator('#status')).to_have_text('Live')
        expect(page.locator('#empty')).to_be_visible()
        on.emit(timeline, started)
        card = page.locator('.card')
        expect(card.locator('h2')).to_have_text('ferrylist_pods')
        expect(card.locator('.arguments pre')).to_contain_text('"zone": "Kelderwick"')
        expect(card.locator('.state')).to_have_text('running')
        on.emit(timeline, completed, result, summarizing)
        expect(card.locator('.size')).to_have_text('Answered 90,000 characters, 31,000 tokens')
        expect(card.locator('.progress')).to_have_text('Summarizing about 31,000 tokens …')
        for number, delta in enumerate(deltas, 1):
            on.emit(timeline, delta)
            expect(card.locator('.facts li')).to_have_count(number)
        expect(card.locator('.facts li')).to_have_text(FACTS)
        goals.so('a card shows server, tool, arguments, size, and facts as they come', is_so=True)
        if pictures is not None:
            page.screenshot(path=pictures / 'summarizing.png')
        on.emit(timeline, summary)
        expect(card.locator('.progress')).to_have_text('31,000 → 42 tokens by extractive')
        expect(card.locator('.text')).to_have_text('\n'.join(FACTS))
        expect(card.locator('.facts li')).to_have_count(0)
        expect(card.locator('.raw pre')).to_be_hidden()
        card.locator('.raw summary').focus()
        page.keyboard.press('Enter')
        expect(card.locator('.raw pre')).to_have_text('pod ferry-gate-7 CrashLoopBackOff\n')
        goals.so('the summary stands in their place; the whole result opens by keyboard', is_so=True)
        on.emit(
            timeline, ToolCall(call_id='c2', status='started', tool='ring_bell', arguments={'id': 12345678901234567890})
        )
        expect(page.locator('.card').nth(1).locator('.arguments pre')).to_contain_text('12345678901234567890')
        on.close(timeline)
        expect(page.locator('#status')).to_have_text('The run has ended.')
        expect(page.locator('.card').nth(1).locator('.state')).to_have_text('not answered')
        for scheme in ('light', 'dark'):
            page.emulate_media(color_scheme=scheme)
            goals.at_least(f'contrast of text, {scheme}', page.evaluate(CONTRAST, TEXTS), LEAST_CONTRAST)
            if pictures is not None:
                page.screenshot(path=pictures / f'{scheme}.png')
        page.reload()
        expect(page.locator('.card')).to_have_count(2)
        expect(page.locator('.text').first).to_have_text('\n'.join(FACTS))
        goals.so('after a reload it is the same', is_so=True)
        goals.so('nothing was asked for elsewhere', is_so=all(url.startswith(on.url) for url in asked))
        goals.so(f'nothing to complain of {complaints or ""}', is_so=not complaints)
        page.close()


def reconnect(browser: Browser, folder: Path, goals: Goals, pictures: Path | None) -> None:
    """The server goes and comes back, and the run goes on meanwhile."""
    with stage(folder) as on:
        timeline = on.open('night ferry')
        page, _, asked = watched(browser)
        page.goto(f'{on.url}/#run=night+ferry')
        expect(page.locator('#status')).to_have_text('Live')
        on.emit(timeline, *call('c1')[:5])
        expect(page.locator('.facts li')).to_have_count(1)
        on.stop()
        expect(page.locator('#status')).to_have_attribute('data-state', 'lost')
        expect(page.locator('#status')).to_contain_text('trying again after event 3')
        on.emit(timeline, *call('c1')[5:], *call('c2'))
        expect(page.locator('.card')).to_have_count(1)
        asked.clear()
        on.restart()
        expect(page.locator('#status')).to_have_text('Live')
        expect(page.locator('.card')).to_have_count(2)
        expect(page.locator('.state')).to_have_text(['summarized', 'summarized'])
        again = [url for url in asked if '/events?' in url]
        goals.so(
            'it goes on after the last event that it has seen',
            is_so=all('after=3' in url for url in again) and again != [],
        )
        on.emit(timeline, *call('c3')[:4])
        expect(page.locator('.card').nth(2).locator('.progress')).to_contain_text('Summarizing about')
        goals.so('nothing is missing, nothing is there twice, and it is live again', is_so=True)
        on.close(timeline)
        page.close()


def hostile(browser: Browser, folder: Path, goals: Goals, pictures: Path | None) -> None:
    """Events that are written to take over the page."""
    with stage(folder) as on:
        timeline = on.open(HOSTILE[:120])
        page, complaints, asked = watched(browser)
        page.goto(on.url)
        expect(page.locator('#status')).to_have_text('Live')
        on.emit(
            timeline,
            ToolCall(call_id=HOSTILE, status='started', server=HOSTILE, tool=HOSTILE, arguments={HOSTILE: [HOSTILE]}),
            ToolCall(
                call_id=HOSTILE, status='completed', server=HOSTILE, tool=HOSTILE, size_characters=1, size_tokens=1
            ),
            ToolResult(call_id=HOSTILE, text=f'{HOSTILE}\r\n\r\nevent: end\r\ndata: {{}}\r\n\r\n', source_id=HOSTILE),
            Summarizing(call_id=HOSTILE, estimated_tokens=1),
            SummaryDelta(call_id=HOSTILE, index=0, text=HOSTILE),
        )
        card = page.locator('.card')
        expect(card.locator('.facts li')).to_have_text(HOSTILE)
        on.emit(
            timeline,
            ToolSummary(
                call_id=HOSTILE,
                text=HOSTILE,
                original_tokens=1,
                summary_tokens=1,
                model=HOSTILE,
                source_id=HOSTILE,
                state=HOSTILE,
            ),
            ToolCall(call_id='__proto__', status='started', tool='constructor', arguments={'__proto__': {'harmed': 1}}),
        )
        expect(card).to_have_count(2)
        expect(card.first.locator('.text')).to_have_text(HOSTILE)
        card.first.locator('.raw summary').click()
        expect(card.first.locator('.raw pre')).to_contain_text('event: end')
        expect(page.locator('#run option')).to_have_text([HOSTILE[:120]])
        made = page.evaluate('document.querySelectorAll("img, main script, [onerror], [onfocus], [autofocus]").length')
        goals.so('hostile text is shown as text', is_so=made == 0 and page.evaluate('window.harmed ?? 0') == 0)
        goals.so('it asks for nothing', is_so=all(re.search(r'/(|page\.\w+|runs|events\?.*)$', url) for url in asked))
        goals.so(f'nothing to complain of {complaints or ""}', is_so=not complaints)
        try:
            page.evaluate('document.body.innerHTML = "<img src=x onerror=window.harmed=1>"')
            is_refused = False
        except Error as error:
            is_refused = 'TrustedHTML' in str(error)
        goals.so('the policy of the page refuses markup from text', is_so=is_refused)
        on.close(timeline)
        page.close()


def token(browser: Browser, folder: Path, goals: Goals, pictures: Path | None) -> None:
    """Only those see something who have the token."""
    with stage(folder, token='lamp oil') as on:
        timeline = on.open('tea')
        on.emit(timeline, *call())
        page, _, asked = watched(browser)
        page.goto(on.url)
        expect(page.locator('#status')).to_have_text('A token is needed.')
        for unknown in ('#empty', '#run'):
            expect(page.locator(unknown)).to_be_hidden()
        if pictures is not None:
            page.screenshot(path=pictures / 'token.png')
        page.get_by_label('Bearer token').fill('whale oil')
        page.keyboard.press('Enter')
        expect(page.locator('#status')).to_have_text('This token is not the right one.')
        expect(page.locator('.card')).to_have_count(0)
        page.get_by_label('Bearer token').fill('lamp oil')
        page.get_by_role('button', name='Show').click()
        expect(page.locator('.card')).to_have_count(1)
        expect(page.locator('#sign-in')).to_be_hidden()
        page.close()
        other, _, also_asked = watched(browser)
        other.goto(f'{on.url}/#run=tea&token=lamp+oil')
        expect(other.locator('.card')).to_have_count(1)
        goals.so('the token opens the page, typed or in the address', is_so=True)
        seen = [*asked, *also_asked, other.url]
        goals.so('and stands in no address after that', is_so=not any('oil' in url for url in seen))
        on.close(timeline)
        other.close()


def large(browser: Browser, folder: Path, goals: Goals, pictures: Path | None) -> None:
    """Many calls with large results, on a small screen."""
    with stage(folder) as on:
        timeline = on.open('market day')
        for number in range(150):
            on.emit(timeline, *call(f'c{number}', text='x' * 240_000 if number % 10 == 0 else 'crate of lamp oil'))
        page, complaints, _ = watched(browser, viewport={'width': 375, 'height': 700})
        page.goto(on.url)
        expect(page.locator('.card')).to_have_count(150)
        expect(page.locator('.state').last).to_have_text('summarized')
        on.emit(timeline, *call('last'))
        expect(page.locator('.card')).to_have_count(151)
        page.locator('.raw summary').first.click()
        expect(page.locator('.raw pre').first).to_contain_text('xxx')
        wide = page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        goals.at_most('a page of 375 pixels scrolls sideways', wide, 0, 'px')
        goals.so(f'nothing to complain of {complaints or ""}', is_so=not complaints)
        if pictures is not None:
            page.screenshot(path=pictures / 'small.png')
        on.close(timeline)
        page.close()


SCENES = (live_run, reconnect, hostile, token, large)
