"""One request and its answer: the connection, the client with a file for each resource, and the models."""
