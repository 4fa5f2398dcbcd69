"""`make browser-test`: the page of the timeline in headless Chromium, against the real server."""
