"""Citations: markers in the answer, the documents they name, and whether those support what is said."""
