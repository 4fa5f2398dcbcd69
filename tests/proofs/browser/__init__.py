"""`make browser-test`: the pages of timelines, against the real server, and of reports, as files, in headless Chromium."""
