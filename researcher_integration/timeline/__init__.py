"""What happens to the tool results of a run, as events that a front end can follow while they happen."""
