"""The REST API of judgment sets, their runs and boards: each endpoint calls what its page calls."""
