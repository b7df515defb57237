"""People in the loop: which scored interactions are worth a look, what people say of them, and the pages for it."""
