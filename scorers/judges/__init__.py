"""What the learned judges of answers (LERC, STS, AVA) share: rows, features, network, serving."""
