"""AEv, a plane of metrics from BLEU-like precision to ROUGE-like recall (Soricut and Brill, 2004).

`words` and `preparation` turn a text into what is counted, `counts` counts, `family` is the
formulas over counts of any grouping (an item, a system), `metric` what the registry knows.
"""
