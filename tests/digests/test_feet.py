"""Lines that end blocks, and name none."""

from summarizer_tool.digests.digest import digest


def test_what_stands_below_a_foot_is_not_called_by_it() -> None:
    woods = ('oak', 'elm', 'ash', 'fir', 'yew', 'box')
    answers = ''.join(
        '\n'.join(f' {"  " * at}->  Scan on {woods[(at + number) % 6]}_{number}' for at in range(3 + number % 4))
        + f'\n Execution: {number * 7} ms\n({4 + number % 4} rows)\n\n'
        for number in range(12)
    )
    told = digest(answers, 300, focus='How long did yew_7 take?').text
    assert 'yew_7' in told
    assert ' rows): ' not in told
