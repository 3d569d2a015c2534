"""What every endpoint of the REST API shares; the endpoints live with what they are about."""
