"""The LLM judge: asks a model what the contexts say of an answer, and believes only what can be checked."""
