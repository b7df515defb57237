"""Finding the question among the arguments of a decorated function."""

import inspect
from collections.abc import Callable
from typing import Any

QUESTION_NAMES = ("question", "query", "prompt", "message", "user_message", "user_input", "input", "text", "q")
"""Parameter names that are taken for the question, in this order, when none is named."""


class Arguments:
    """Reads arguments of a function by parameter name."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._signature: inspect.Signature | None
        try:
            self._signature = inspect.signature(function)
        except (TypeError, ValueError):  # some built-in callables have none
            self._signature = None

    def check(self, *names: str | None) -> None:
        """Raise unless the function has every one of these parameters.

        Raises:
            ValueError: it has not; the message lists those that it has.
        """
        if self._signature is None:
            return
        known = self._signature.parameters
        takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in known.values())
        for name in names:
            if name is not None and name not in known and not takes_any:
                raise ValueError(f"the function has no parameter {name!r}; it has {', '.join(known) or 'none'}")

    def value(self, name: str | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the argument for parameter ``name``; None where it was not given."""
        return None if name is None else self._bound(args, kwargs).get(name)

    def question(self, name: str | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        """Return the named argument, else the first that has a usual name, else the first string."""
        bound = self._bound(args, kwargs)
        names = QUESTION_NAMES if name is None else (name,)
        for candidate in names:
            if isinstance(bound.get(candidate), str):
                return str(bound[candidate])
        if name is not None:
            return None
        return next((value for value in (*args, *kwargs.values()) if isinstance(value, str)), None)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        if self._signature is None:
            return kwargs
        try:
            bound = self._signature.bind_partial(*args, **kwargs)
        except TypeError:  # the call itself will raise it for the application to see
            return kwargs
        bound.apply_defaults()
        return {**bound.arguments, **kwargs}
