"""The pages over judgment sets, runs and boards. Each view fetches, asks a service, answers."""
