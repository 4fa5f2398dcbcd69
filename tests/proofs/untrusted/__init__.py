"""What becomes of the injections of AgentDojo on their way to a model; see `make untrusted-proof`."""
