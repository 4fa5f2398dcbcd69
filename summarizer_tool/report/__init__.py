"""A summary as a page to look at, beside its sources."""
