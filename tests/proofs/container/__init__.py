"""The container files, read and followed without a container engine."""
