"""A server in use for minutes, whose provider fails now and then: what it holds, and whether anything is lost."""
