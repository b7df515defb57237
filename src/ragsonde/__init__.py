"""Ragsonde watches a live RAG application and says how far its answers can be trusted."""

__version__ = "0.1.0"
