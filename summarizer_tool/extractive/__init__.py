"""The embedded model: it needs no key, no network and no weights."""
