"""Text in any language: blocks, sentences, statements, abstention, negation, folding, language."""
