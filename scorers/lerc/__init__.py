"""LERC (Chen et al., 2020) and the sentence similarity baseline: regressions on ratings."""
