"""AVA (Vu and Moschitti, NAACL 2021): judging whether an answer is correct, given a reference."""
