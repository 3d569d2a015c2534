"""The KPQA family: BLEU-1, ROUGE-L and BERTScore with a weight for each unit of the answers."""
