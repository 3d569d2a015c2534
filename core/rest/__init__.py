"""What all endpoints of the REST API share. The endpoints are in the packages of their features."""
