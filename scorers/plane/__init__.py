"""The evaluation plane of Soricut and Brill (2004): which member of AEv explains ratings best?

`statistics` counts the texts once. `grid` computes the 11 x 4 table of R^2 over systems from the
counts, and the uncertainty of its best cell. `position` predicts that cell by the paper's rules.
`flooding` simulates raters who penalise extraneous sentences. Raises PlaneError for invalid data.
"""
