"""The judge with a real language model at its end: what a small one makes of the prompts, and how that ends."""
