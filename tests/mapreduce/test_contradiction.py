"""What a fact says is held against the wording of its lines: another name in one place, a negation more or less."""

import pytest

from summarizer_tool.mapreduce.grounding import ground
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.schemas import ChunkSummary, Fact

SOURCE = """\
# Willi Drossen
Wilhelm "Willi" Drossen (born 13 March 1963 in Kalm) is a skeleton racer who competed from 1992 to 2002.
He won a gold medal in 1998 and a bronze in 1999. Drossen also finished ninth at the 2002 Winter Games in Salt City.
In July 2012 Drossen agreed a two-year contract to coach the Vesk team; the federation refused to extend it.
# Harl Bridge
The Harl Bridge, designed by Edda Lund and built by the Norrin Company between 1871 and 1874, spans the River Ost.
It was not damaged in the flood of 1903, but the older Mill Bridge was destroyed. No trucks are allowed.
The council never approved the second bridge, although Mayor Tom Rusk supported it until 1911.
# Guild
Captain Sera Vole leads the Ash Guild from Port Hale. Her deputy is Orin Vole, who is not related to her.
The guild was founded in 412 by Bren Hask; in 430 it lost the war against the Reed Court, led by Queen Ysa.
No. The remote will have no LCD screen; it will use rubber buttons instead.
Nobody objected to dropping Windows 7 in release 9. Ilse Brandt said the budget is 40,000 euros, not 50,000.
The miller pays £7,450 per month plus tax, or £80,000 a year. Three of the 60 wheels leak, of 140 nobody knows.
It grew by 15% to 1,200 visitors a day.
Ilse Brandt did not win the seat; Tom Rusk won it by 3.2m votes, and weighs 90 kg. She did not pay until 2004.
The guild denied that it had sold 40 thousand barrels. None of the 12 kegs was lost. It is false that Ysa broke it. Ysa did not write it.
Die Kiste wiegt 80 kg und kostet 5 Millionen Euro; sie misst 5 m. The gate takes 30 ms, the twelve-day trip 12 miles."""
LINES = [NumberedLine(number, text) for number, text in enumerate(SOURCE.splitlines(), 1)]


def is_kept(text: str, line: int) -> bool:
    return bool(ground(ChunkSummary(facts=[Fact(text=text, evidence=[line])]), LINES).facts)


@pytest.mark.parametrize(
    ('text', 'line'),
    [
        ('Willi Drossen won gold in 1998 and bronze in 1999.', 3),
        ('Willi Drossen came ninth at the 2002 Winter Games in Salt City.', 3),
        ('Drossen finished ninth at the 2002 Winter Games, after a gold medal in 1998.', 3),
        ('Wilhelm Drossen was born in Kalm on 13.3.1963.', 2),
        ('The federation did not extend the contract of Willi Drossen.', 4),
        ('Edda Lund designed the Harl Bridge.', 6),
        ('The Norrin Company built the Harl Bridge from 1871 to 1874.', 6),
        ('The flood of 1903 destroyed the Mill Bridge but did not damage the Harl Bridge.', 7),
        ('Trucks are not allowed on the Harl Bridge.', 7),
        ('Trucks are banned from the Harl Bridge.', 7),
        ('The council did not approve a second bridge.', 8),
        ('Orin Vole is the deputy of Captain Sera Vole of the Ash Guild.', 10),
        ('The Ash Guild, led by Captain Sera Vole, was founded in 412.', 11),
        ('The Ash Guild did not win the war of 430 against the Reed Court.', 11),
        ('The remote uses rubber buttons and has no LCD screen.', 12),
        ('Release 9 drops Windows 7 without objection.', 13),
        ('Ilse Brandt wants a budget of 40,000 euros instead of 50,000.', 13),
        ('The miller pays GBP 7,450 each month, or 80,000 annually.', 14),
        ('3 of 60 wheels leak.', 14),
        ('It grew by 15 percent.', 15),
        ('1,200 people visit it daily.', 15),
        ('Tom Rusk won the seat by 3.2 million votes.', 16),
        ('Tom Rusk weighs 90 kilograms.', 16),
        ('Ilse Brandt paid in 2004.', 16),
        ('The guild denied having sold 40,000 barrels.', 17),
        ('The guild did not sell 40k barrels.', 17),
        ('80 Kilogramm wiegt die Kiste.', 18),
        ('5 Meter misst die Kiste.', 18),
        ('The gate takes 30 milliseconds.', 18),
        ('The trip took 12 days.', 18),
    ],
)
def test_what_is_true_stays_in_other_words(text: str, line: int) -> None:
    assert is_kept(text, line)


@pytest.mark.parametrize(
    ('text', 'line'),
    [
        ('Willi Drossen finished ninth at the 1999 Winter Games in Salt City.', 3),
        ('The Harl Bridge, designed by Sera Vole, spans the River Ost.', 6),
        ('Sera Vole designed the Harl Bridge.', 6),
        ('The Harl Bridge was damaged in the flood of 1903.', 7),
        ('Trucks are allowed on the bridge.', 7),
        ('The council approved the second bridge.', 8),
        ('Captain Edda Lund leads the Ash Guild from Port Hale.', 10),
        ('Port Hale leads the Ash Guild from Captain Sera Vole.', 10),
        ('The Ash Guild was not founded by Bren Hask.', 11),
        ('Tom Rusk founded the guild in 412.', 11),
        ('The remote will have LCD screen.', 12),
        ('The miller pays $7,450 per month.', 14),
        ('It grew by $15.', 15),
        ('It grew by 15 crowns.', 15),
        ('Tom Rusk won it by 3.2bn votes.', 16),
        ('Tom Rusk weighs 90 g.', 16),
        ('The guild denied that it had sold 40 million barrels.', 17),
        ('12 kegs was lost.', 17),
        ('Ysa wrote it.', 17),
        ('Die Kiste kostet 5 Milliarden Euro.', 18),
        ('The gate takes 30 s.', 18),
    ],
)
def test_what_the_lines_say_otherwise_goes(text: str, line: int) -> None:
    assert not is_kept(text, line)


@pytest.mark.parametrize(
    ('text', 'line', 'kept'),
    [
        ('Ada Smith is the director.', 'Ada Smith is no longer the director.', False),
        ('Ada was born before 1840.', 'Ada was born after 1840.', False),
        ('Sales increased by 5% in 2020.', 'Sales decreased by 5% in 2020.', False),
        ('The gate is closed to trucks.', 'The gate is open to trucks.', False),
        ('The gate was opened to trucks.', 'The gate is open to trucks.', True),
        ('Le pont est ouvert aux camions.', "Le pont n'est plus ouvert aux camions.", False),
        ("Le maire n'habite plus la ville.", "Le maire n'habite pas la ville.", True),
        ('Le train circule.', 'Le train ne circule plus.', False),
        ('Die Brücke hält.', 'Die Brücke hält nicht.', False),
        ('De brug werkt.', 'De brug werkt niet.', False),
        ('桥开放.', '桥不开放。', False),
        ('２０１９年桥开放。', '2019年桥不开放。', False),
        ('3 million people died.', 'About 2.3 million people died.', False),
        ("L'usine a 3 portes.", "L'usine n'a plus que 3 portes.", True),
        ('Die Brücke ist für Lastwagen freigegeben.', 'Die Brücke ist für Lastwagen nicht freigegeben.', False),
        ('Die Brücke ist für Busse frei.', 'Die Brücke ist nicht nur für Busse frei, sondern für alle.', True),
        ('Die Brücke ist für alle frei.', 'Die Brücke ist nicht für Busse, sondern für alle frei.', True),
        ('Le pont est ouvert aux camions.', "Le pont n'est pas ouvert aux camions.", False),
        ("L'usine produit 300 voitures par an.", "L'usine ne produit que 300 voitures par an.", True),
        ("L'usine produit 300 voitures par an.", "L'usine ne produit pas 300 voitures par an.", False),
        ("L'entreprise compte seulement 12 employés.", "L'entreprise ne compte que 12 employés.", True),
        (
            "L'accord dure, à moins que la ville le prolonge.",
            "L'accord dure, à moins que la ville ne le prolonge.",
            True,
        ),
        ('La fabbrica produce 300 auto.', 'La fabbrica non produce 300 auto.', False),
        ('La puerta abre a las 9.', 'Sin embargo, la puerta abre a las 9.', True),
        ('Мост открыт для грузовиков.', 'Мост не открыт для грузовиков.', False),
        ('桥梁对卡车开放。', '桥梁不对卡车开放。', False),
        ('桥梁不对卡车开放。', '桥梁不对卡车开放。', True),
        ('庭にコンピュータがある。', '庭にコンピューターがある。', True),
    ],
)
def test_a_denial_is_known_in_many_words_and_languages(text: str, line: str, kept: bool) -> None:
    found = ground(ChunkSummary(facts=[Fact(text=text, evidence=[1])]), [NumberedLine(1, line)])
    assert bool(found.facts) == kept


def test_names_in_a_row_may_change_places() -> None:
    source = [NumberedLine(1, 'Ada Brook and Morn Keld met in Marn.')]
    facts = [Fact(text='Morn Keld and Ada Brook met in Marn.', evidence=[1])]
    assert ground(ChunkSummary(facts=facts), source).facts
