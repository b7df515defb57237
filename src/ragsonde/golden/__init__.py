"""Golden sets: questions with what is known to be right, kept as versioned JSON lines."""
