"""Attribute names that Ragsonde writes and reads. A leaf module: it imports nothing.

The GenAI names are pinned here because the OpenTelemetry packages mark theirs deprecated whenever they move
(semantic-conventions-genai, development channel; last compared with v1.41 of the main repository).
"""

# OpenTelemetry GenAI ----------------------------------------------------------------------------------------
OPERATION_NAME = "gen_ai.operation.name"
PROVIDER_NAME = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
RESPONSE_MODEL = "gen_ai.response.model"
RESPONSE_ID = "gen_ai.response.id"
RESPONSE_FINISH_REASONS = "gen_ai.response.finish_reasons"
CONVERSATION_ID = "gen_ai.conversation.id"
WORKFLOW_NAME = "gen_ai.workflow.name"
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
SYSTEM_INSTRUCTIONS = "gen_ai.system_instructions"
RETRIEVAL_QUERY_TEXT = "gen_ai.retrieval.query.text"
RETRIEVAL_DOCUMENTS = "gen_ai.retrieval.documents"
RETRIEVAL_TOP_K = "gen_ai.retrieval.top_k"
DATA_SOURCE_ID = "gen_ai.data_source.id"
USAGE_INPUT_TOKENS = "gen_ai.usage.input_tokens"
USAGE_OUTPUT_TOKENS = "gen_ai.usage.output_tokens"

# Ragsonde ---------------------------------------------------------------------------------------------------
QUESTION = "ragsonde.question"
ANSWER = "ragsonde.answer"
CONTENT_CAPTURE = "ragsonde.content_capture"
"""``full``, ``redacted`` or ``off``: lets the collector tell a silent capture from a missing one."""
ANSWER_STATE = "ragsonde.answer.state"
"""``complete`` or ``cancelled``: a stream that the reader left is an incomplete answer."""
CITED_IDS = "ragsonde.cited_ids"
FEEDBACK = "ragsonde.feedback"
"""The user's feedback on the answer, -1 (bad) to 1 (good)."""
OWN_SPAN = "ragsonde.own"
"""True on spans of Ragsonde itself: they never become interactions."""
OWN_SCOPE_PREFIX = "ragsonde.sidecar"
"""Instrumentation scope names of Ragsonde's own work start with this."""
CONTENT_TRUNCATED = "ragsonde.content_truncated"
"""Names of attributes that were left empty because the SDK's length limit would have cut them."""
