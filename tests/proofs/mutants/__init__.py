"""What the tests do not notice, where they guard something."""
