"""The command line: text in, the result alone on stdout, everything else on stderr."""
