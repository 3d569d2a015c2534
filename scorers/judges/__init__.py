"""Shared by the trained judges of answers (LERC, STS, AVA): rows, features, network, scoring."""
