"""Detecting credentials: API keys and tokens by their known forms, private key blocks, passwords in URLs."""

import re
from collections.abc import Iterator

from ragsonde.redaction.finding import Finding

LABEL = "KEY"

# Every alternative starts at the start of a token, so that each run of characters is looked at once.
_TOKENS = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:
        (?:sk|pk|rk)[-_](?=[A-Za-z0-9_-]{0,255}[0-9])[A-Za-z0-9_-]{16,}+    # OpenAI, Anthropic, Stripe
      | (?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])                   # AWS access key ids
      | gh[pousr]_[A-Za-z0-9]{36,}+ | github_pat_[A-Za-z0-9_]{22,}+          # GitHub
      | glpat-[A-Za-z0-9_-]{20,}+                                            # GitLab
      | xox[abeoprs]-[A-Za-z0-9-]{10,}+                                      # Slack
      | AIza[A-Za-z0-9_-]{35}                                                # Google
      | hf_[A-Za-z0-9]{30,}+ | npm_[A-Za-z0-9]{36} | pypi-[A-Za-z0-9_-]{16,}+
      | SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+                         # SendGrid
      | eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*+           # JSON Web Token
    )""",
    re.VERBOSE,
)
_AUTHORIZATION = re.compile(
    r"\b(?:bearer|authorization:[ \t]{0,8}basic)[ \t]{1,8}"
    r"(?P<value>(?=[A-Za-z._~+/=-]{0,512}[0-9])[A-Za-z0-9._~+/=-]{16,}+)",
    re.IGNORECASE,
)
_URL_PASSWORD = re.compile(r"(?<=://)[^\s/:@\[\]]{1,64}:[^\s/@]{1,128}(?=@)")
_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BLOCK_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")


def find_secrets(text: str) -> Iterator[Finding]:
    """Yield credentials; a private key block without an end reaches to the end of the text."""
    for match in _TOKENS.finditer(text):
        yield Finding(match.start(), match.end(), LABEL)
    for match in _AUTHORIZATION.finditer(text):
        yield Finding(match.start("value"), match.end("value"), LABEL)
    for match in _URL_PASSWORD.finditer(text):
        yield Finding(match.start(), match.end(), LABEL)
    position = 0
    while begin := _KEY_BLOCK.search(text, position):
        end = _KEY_BLOCK_END.search(text, begin.end())
        position = end.end() if end else len(text)
        yield Finding(begin.start(), position, LABEL)
