"""What all pages share: their frame and look, their words, and the marks in answers and passages."""
