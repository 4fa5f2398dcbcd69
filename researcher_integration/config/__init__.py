"""The configuration files that ship with the package, and how such files are read."""
