"""The steps of a research: gather, report, keep, extract."""
