"""What learned metrics share: one training loop, one form of checkpoint, one card."""
