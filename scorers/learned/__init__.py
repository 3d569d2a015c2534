"""Shared by all learned metrics: the training loop, the checkpoint folder and its card."""
