"""`make proxy-proof`."""
