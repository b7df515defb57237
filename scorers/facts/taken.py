"""Which characters of a text a fact has taken, so that no other fact takes them again."""


class Taken:
    """The characters taken so far, one byte each: however many facts there are, a look costs only its own length."""

    def __init__(self, length: int) -> None:
        self._mask = bytearray(length)

    def take(self, start: int, end: int) -> bool:
        """Take a stretch; False, and nothing is taken, where a character of it is taken already."""
        if self._mask.find(1, start, end) >= 0:
            return False
        self._mask[start:end] = b"\1" * (end - start)
        return True
