"""The version, in the one place that packaging, metadata and code read it from."""

__version__ = "0.1.0"
