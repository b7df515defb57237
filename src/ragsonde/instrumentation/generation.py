"""The recording of one model call."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Tracer

from ragsonde import attributes
from ragsonde.instrumentation.content import Content
from ragsonde.instrumentation.failures import FailureLog
from ragsonde.instrumentation.messages import message_records, message_text
from ragsonde.instrumentation.streaming import StreamingRecording

if TYPE_CHECKING:
    from ragsonde.instrumentation.interaction import Interaction


class Generation(StreamingRecording):
    """One model call: the span ``chat <model>``."""

    def __init__(
        self,
        tracer: Tracer,
        *,
        interaction: "Interaction | None",
        model: str | None,
        provider: str | None,
        messages: str | Iterable[Any] | None,
        system: str | None,
        content: Content,
        failures: FailureLog,
        parent: Context | None = None,
    ) -> None:
        super().__init__(
            tracer,
            name=f"chat {model}" if model else "chat",
            kind=SpanKind.CLIENT,
            content=content,
            failures=failures,
            parent=parent,
            given={
                attributes.OPERATION_NAME: "chat",
                attributes.REQUEST_MODEL: model,
                attributes.PROVIDER_NAME: provider,
            },
        )
        self._interaction = interaction
        self._output: str | Iterable[Any] | None = None
        if messages is not None:
            self.input(messages)
        if system is not None and self.recording:
            with self._failures.guard("noting system instructions"):
                sendable = self._content.text(system)
                if sendable is not None:
                    self._write_json(attributes.SYSTEM_INSTRUCTIONS, [{"type": "text", "content": sendable}])

    def input(self, messages: str | Iterable[Any]) -> None:
        """Note the prompt: a string, or messages with ``role`` and ``content``."""
        if self.recording:
            with self._failures.guard("noting the prompt"):
                self._write_messages(attributes.INPUT_MESSAGES, messages, "user")

    def output(self, messages: Any) -> None:
        """Note what the model said: a string, messages, or a result that holds the text."""
        if not self.recording:
            return
        with self._failures.guard("noting the output"):
            text = self._result_text(messages)
            self._output = messages if text is None else text
            if self._interaction is not None:
                self._interaction.generated(message_text(self._output))

    def usage(self, *, input_tokens: int | None = None, output_tokens: int | None = None) -> None:
        """Note the tokens that the call took."""
        if not self.recording:
            return
        with self._failures.guard("noting usage"):
            if input_tokens is not None:
                self._write(attributes.USAGE_INPUT_TOKENS, input_tokens)
            if output_tokens is not None:
                self._write(attributes.USAGE_OUTPUT_TOKENS, output_tokens)

    def response(
        self, *, model: str | None = None, response_id: str | None = None, finish_reason: str | None = None
    ) -> None:
        """Note what the provider said about its reply."""
        if not self.recording:
            return
        with self._failures.guard("noting the response"):
            if model is not None:
                self._write(attributes.RESPONSE_MODEL, model)
            if response_id is not None:
                self._write(attributes.RESPONSE_ID, response_id)
            if finish_reason is not None:
                self._write(attributes.RESPONSE_FINISH_REASONS, [finish_reason])

    def take(self, result: Any) -> None:
        """Note what the recorded function gave back."""
        self.output(result)

    def stream_opened(self) -> None:
        """Put off the end, and that of the interaction, until the stream has been read."""
        super().stream_opened()
        if self._interaction is not None:
            self._interaction.stream_opened()

    def stream_closed(self, error: BaseException | None = None) -> None:
        """Take note of the end of the stream, and let the interaction know."""
        if self._interaction is not None:
            self._interaction.generated("".join(self._parts))
        super().stream_closed(error)
        if self._interaction is not None:
            self._interaction.stream_closed(error)

    def _write_messages(self, key: str, messages: str | Iterable[Any], role: str) -> None:
        if self._content.captured:
            self._write_json(key, message_records(messages, role, self._content))

    def _before_end(self) -> None:
        output = self._output
        if output is None:
            output = self._collected_text(attributes.OUTPUT_MESSAGES)
        if output is not None:
            self._write_messages(attributes.OUTPUT_MESSAGES, output, "assistant")
