"""The producing side: seal an exam, open a run, sit it, score it, close it; and bring in other harnesses' results."""
