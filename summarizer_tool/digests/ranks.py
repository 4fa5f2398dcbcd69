"""How important each sort of statement is, from 0 to about 100: what is higher is told earlier."""

from collections.abc import Mapping

OVERVIEW = 99.0  # how much there is of what, from when to when
ANSWER = 97.0  # most or least of what is asked for, or how many there are
COUNTED = 94.0  # what there is most of, and a string that is output of its own
BROKEN = 90.0  # what was cut off, and the message above changes
ASKED_FIELD = 88.0
END = 84.0  # most or least of a field that is asked for
LACKING = 81.0  # a thing without a field that is asked for
BESIDE = 80.0  # what stands beside data
EACH = 76.0  # a thing, where there are few
CHANGED_FILE = 74.0
NO_OBJECT = 70.0
PLAIN_VALUES = 62.0
VALUE = 56.0  # one that stands alone in data
ODD = 54.0  # a record unlike the others, and more for each bit of surprise
CONSTANT = 44.0
TALLY = 40.0  # what stands most often in a place of lines
WARNED_AGAIN = 42.0
RELEVANT = 30.0  # what is about a question, and RELEVANCE more for what is most about it

SEVERITY: Mapping[str, float] = {'fatal': 92.0, 'error': 86.0, 'warning': 67.0, '': 34.0, 'debug': 18.0}
"""What is said of lines, by how bad they are."""
COLUMN: Mapping[str, float] = {'bad': 68.0, 'few': 60.0, 'numbers': 58.0, 'times': 46.0, 'texts': 42.0}
"""What is said of a field, by the kind of its values."""
INSIDE: Mapping[str, float] = {'overview': 30.0, 'fields': 16.0, 'odd items': 6.0, 'values': 8.0}
"""What is told of things inside others loses, by topic."""

RELEVANCE = 66.0
UNASKED = 70.0  # the highest of what is told anyway where something is asked for,
UNASKED_OVERVIEW = 60.0  # and of an overview that takes much room
SMALL_OVERVIEW = 91.0  # the highest of an overview in a small budget: what is fatal is told first

APART = 8.0  # what an answer loses that is of parts of other things
STEP = 3.0  # what each further one of several alike loses
BIT = 1.5  # what a bit of surprise, or a doubling of how often something is there, gains
WRONG = 14.0  # what a value gains that says that something went wrong,
STATE = 12.0  # and that of a field which says how a thing is
UNSET = 16.0  # what one loses that sets nothing
