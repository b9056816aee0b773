"""The binary of cerberus. See `cerberus --help`."""
