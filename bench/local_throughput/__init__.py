"""How many interactions a second one core scores with the local scorers, and what an encoder alone would cost."""
