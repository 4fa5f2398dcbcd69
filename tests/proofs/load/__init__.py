"""Proof that the server holds under load and after a crash: `python -m tests.proofs.load`."""
