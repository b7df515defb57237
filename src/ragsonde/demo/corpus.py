"""The demonstration's documents and questions: one invented organisation per language, written for this purpose."""

import json
from dataclasses import dataclass
from importlib import resources

LANGUAGES = ("en", "pl", "de", "ru", "bs", "ms", "zh")
"""ISO 639-1 codes of the languages that there is a corpus for."""


@dataclass(frozen=True, slots=True)
class DemoDocument:
    """A short document; its sentences are kept apart because the generator quotes them."""

    id: str
    title: str
    sentences: tuple[str, ...]
    joined_by: str = " "

    @property
    def text(self) -> str:
        """The whole document."""
        return self.joined_by.join(self.sentences)


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question and the id of the document that answers it."""

    text: str
    document_id: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """Everything that the demonstration says in one language."""

    language: str
    organisation: str
    documents: tuple[DemoDocument, ...]
    questions: tuple[DemoQuestion, ...]
    unanswerable: tuple[str, ...]
    """Questions that no document answers."""
    greetings: tuple[tuple[str, str], ...]
    """What a user says that is no question, and the reply."""
    refusals: tuple[str, ...]
    inventions: tuple[str, ...]
    """Sentences that no document supports."""
    names: tuple[tuple[str, str], ...]
    """A name in the documents, and another one to put in its place."""
    negations: tuple[tuple[str, str], ...]
    """A phrase in the documents, and one that says the opposite; the longer phrases come before their parts."""


def load_corpus(language: str) -> Corpus:
    """Read the corpus of a language from the package.

    Raises:
        ValueError: there is none for that language.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no demonstration corpus for {language!r}; there is one for {', '.join(LANGUAGES)}")
    raw = json.loads(resources.files(__package__).joinpath("corpus", f"{language}.json").read_text("utf-8"))
    joined_by = "" if language == "zh" else " "
    return Corpus(
        language=language,
        organisation=raw["organisation"],
        documents=tuple(
            DemoDocument(entry["id"], entry["title"], tuple(entry["sentences"]), joined_by)
            for entry in raw["documents"]
        ),
        questions=tuple(DemoQuestion(entry["question"], entry["document"]) for entry in raw["questions"]),
        unanswerable=tuple(raw["unanswerable"]),
        greetings=_pairs(raw["greetings"]),
        refusals=tuple(raw["refusals"]),
        inventions=tuple(raw["inventions"]),
        names=_pairs(raw["names"]),
        negations=_pairs(raw["negations"]),
    )


def load_corpora() -> tuple[Corpus, ...]:
    """Read the corpora of all languages."""
    return tuple(load_corpus(language) for language in LANGUAGES)


def _pairs(raw: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((first, second) for first, second in raw)
