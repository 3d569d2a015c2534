"""AVA (Vu and Moschitti, NAACL 2021): is an answer correct, given a reference?"""
