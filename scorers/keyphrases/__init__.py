"""The keyphrase predictor: the importance of each word of an answer for its question."""
