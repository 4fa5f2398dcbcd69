"""How far to go for an answer: pages to fetch, links to follow, and when to stop."""
