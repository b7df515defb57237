"""Makes the local detector: examples, synthetic ones among them, and the model fitted to them."""
