"""Changes of files, and lists of files."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool.digests.digest import digest, machine_output

CHANGES = """\
diff --git a/mill/gate.py b/mill/gate.py
index 1..2 100644
--- a/mill/gate.py
+++ b/mill/gate.py
@@ -1,3 +1,4 @@ class Gate:
     def close(self):
-        self.turn(1)
+        self.turn(2)
+        self.lock()
         return self
diff --git a/mill/old.py b/mill/old.py
deleted file mode 100644
index 3..0
--- a/mill/old.py
+++ /dev/null
@@ -1,2 +0,0 @@
--- a comment of SQL
-SELECT 1
diff --git a/mill/lock.py b/mill/lock.py
new file mode 100644
--- /dev/null
+++ b/mill/lock.py
@@ -0,0 +1 @@
+LOCKS = 7
diff --git a/docs/a.png b/docs/b.png
similarity index 100%
rename from docs/a.png
rename to docs/b.png
"""


def test_changes_are_told_by_files_with_what_is_done_to_each() -> None:
    assert digest(CHANGES, 300).text == snapshot("""\
changes of 4 files: +3 -3 lines
mill/gate.py: +2 -1
mill/old.py: +0 -2 (deleted file)
mill/lock.py: +1 -0 (new file)
docs/b.png: +0 -0 (rename from docs/a.png)\
""")
    assert machine_output(CHANGES) is not None


def test_a_changed_line_is_told_with_its_file() -> None:
    assert '9| mill/gate.py: + self.lock()' in digest(CHANGES, 200, focus='lock').text


@pytest.mark.parametrize('message', ['commit 1a2b\nAuthor: Ada\n\n    Lock the gates\n\n', ''])
def test_a_message_may_stand_above_changes(message: str) -> None:
    told = digest(message + CHANGES, 300).text
    assert 'changes of 4 files: +3 -3 lines' in told
    assert ('Lock the gates' in told) == bool(message)


def test_text_that_shows_a_change_is_none() -> None:
    text = 'Here is how to mend the gate.\n' * 40 + CHANGES
    assert 'changes of' not in digest(text, 300).text


def test_a_list_of_versions_is_for_readers() -> None:
    versions = [
        f'## 1.{at}.0 (2026-03-0{at})\n\n### Features\n\n* The mill turns {at} ways.\n* It stops.' for at in range(1, 9)
    ]
    assert digest('\n\n\n'.join(versions), 200).kind == 'prose'
