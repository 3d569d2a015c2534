"""The keyphrase predictor: how much each word of an answer matters to its question.

Its training data, its network and training, and the weights it gives.
"""
