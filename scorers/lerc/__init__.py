"""LERC (Chen et al., 2020) and the sentence similarity baseline STS: regressions on ratings."""
