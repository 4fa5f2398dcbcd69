"""Threads, processes, deadlines and limits."""
