"""Calls to other people's servers: to judged addresses alone, bounded in bytes and time."""
