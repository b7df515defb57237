"""Detecting credentials: API keys and tokens by their known forms or names, private key blocks, passwords in URLs."""

import re
from collections.abc import Iterator

from ragsonde.redaction.finding import Finding
from ragsonde.redaction.named_secrets import find_named_secrets

LABEL = "KEY"

# Every alternative starts at the start of a token, so that each run of characters is looked at once.
_TOKENS = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:
        (?:sk|pk|rk)[-_](?=[A-Za-z0-9_-]{0,255}[0-9])[A-Za-z0-9_-]{16,}+    # OpenAI, Anthropic, Stripe
      | (?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])                   # AWS access key ids
      | gh[pousr]_[A-Za-z0-9]{36,}+ | github_pat_[A-Za-z0-9_]{22,}+          # GitHub
      | gl(?:pat|dt|rt|ft|ptt|cbt|soat)-[A-Za-z0-9_-]{20,}+                  # GitLab
      | (?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}+                             # Slack
      | AIza[A-Za-z0-9_-]{35} | ya29\.[A-Za-z0-9_-]{20,}+                    # Google
      | (?:gsk_|xai-|pplx-|nvapi-|r8_|tgp_v1_|jina_|pcsk_|lsv2_[a-z]{2}_)    # hosts of models, of vectors, of traces
        (?=[A-Za-z0-9_-]{0,255}[0-9])[A-Za-z0-9_-]{20,}+
      | gl(?:sa|c)_[A-Za-z0-9+/_-]{20,}+={0,2} | whsec_[A-Za-z0-9+/_-]{20,}+={0,2}  # Grafana, webhooks
      | do[opr]_v1_[a-f0-9]{40,}+ | dapi[a-f0-9]{32}(?:-[0-9])?              # DigitalOcean, Databricks
      | hv[bs]\.[A-Za-z0-9_-]{20,}+ | dckr_pat_[A-Za-z0-9_-]{20,}+           # Vault, Docker
      | shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{32} | sq0[a-z]{3}-[A-Za-z0-9_-]{20,}+ # Shopify, Square
      | AGE-SECRET-KEY-1[A-Z0-9]{50,}+
      | [0-9]{8,10}:AA[A-Za-z0-9_-]{33}                                      # Telegram
      | hf_[A-Za-z0-9]{30,}+ | npm_[A-Za-z0-9]{36} | pypi-[A-Za-z0-9_-]{16,}+
      | SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+                         # SendGrid
      | eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*+           # JSON Web Token
    )""",
    re.VERBOSE,
)
_AUTHORIZATION = re.compile(
    r"\b(?:bearer|authorization[\"']?:[ \t]{0,8}[\"']?[a-z-]{3,20})[ \t]{1,8}"
    r"(?P<value>(?=[A-Za-z._~+/=-]{0,512}[0-9])[A-Za-z0-9._~+/=-]{16,}+)",
    re.IGNORECASE,
)
# A user may be missing, as in Redis' URLs, and a password may hold an @ that nobody escaped.
_URL_PASSWORD = re.compile(r"(?<=://)[^\s/:@\[\]]{0,64}:[^\s/@]{1,128}(?:@[^\s/@?#]{1,64}){0,3}(?=@)")
_WEBHOOK = re.compile(r"(?<=hooks\.slack\.com/services/)[A-Z0-9]{8,16}/[A-Z0-9]{8,16}/[A-Za-z0-9]{16,}+")
_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BLOCK_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")


def find_secrets(text: str) -> Iterator[Finding]:
    """Yield credentials; a private key block without an end reaches to the end of the text."""
    for match in _TOKENS.finditer(text):
        yield Finding(match.start(), match.end(), LABEL)
    for match in _AUTHORIZATION.finditer(text):
        yield Finding(match.start("value"), match.end("value"), LABEL)
    for pattern in (_URL_PASSWORD, _WEBHOOK):
        for match in pattern.finditer(text):
            yield Finding(match.start(), match.end(), LABEL)
    for first, last in find_named_secrets(text):
        yield Finding(first, last, LABEL)
    position = 0
    while begin := _KEY_BLOCK.search(text, position):
        end = _KEY_BLOCK_END.search(text, begin.end())
        position = end.end() if end else len(text)
        yield Finding(begin.start(), position, LABEL)
