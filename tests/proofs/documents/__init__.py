"""What is kept of real documents, and how long it takes, beside other readers; `python -m tests.proofs.documents`."""
