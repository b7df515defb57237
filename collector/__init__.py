"""From transport records to RAG interactions: sources, decoding, conventions, assembly, sampling."""
