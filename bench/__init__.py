"""Measurements that are too long or need too much data for the test suite."""
