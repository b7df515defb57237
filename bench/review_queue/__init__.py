"""How long the pages of a large review queue take to answer."""
