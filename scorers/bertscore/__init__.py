"""BERTScore: cosines of contextual token vectors, matched greedily."""
