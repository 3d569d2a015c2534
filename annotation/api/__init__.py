"""The REST API of rating studies: each endpoint calls what its page calls."""
