"""AEv: a family of metrics from BLEU-like precision to ROUGE-like recall (Soricut and Brill, 2004).

`preparation` turns texts into words, `counts` counts n-grams, `family` has the formulas
over the counts of an item or a system, and `metric` is the registered metric.
"""
