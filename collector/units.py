"""Which parts of a trace are answered questions: usually the whole trace, sometimes several chains under one wrapper.

The rule, from the top down:

* A span that has a question and an answer of its own is one answered question, with all below it.
* A span that has not (an HTTP server span, a batch, a conversation, roots side by side) is taken apart into those of
  its children that answer on their own, if there are at least two, they ask different questions, none feeds the next,
  and no generation after them puts their answers together. Where some of the children retrieve, only those count: a
  chain that only routes, checks or titles is not an answered question. Where no generation was traced at all, chains
  that retrieved and made an answer of it count.
* Where retrievals and generations follow each other under it without chains around them, each run of retrievals with
  the generation after it is one turn, if every generation was asked what its own retrieval looked for, the turns ask
  different questions, and none was given an earlier answer. An agent's loop is not: its queries are its own.
* Everything else is one answered question as a whole.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragsonde.collector.conventions import Role
from ragsonde.collector.formatted_documents import is_only_documents
from ragsonde.collector.prompt import folded
from ragsonde.collector.span_tree import Node, SpanTree

RETRIEVING = (Role.RETRIEVAL, Role.RERANK)
ENVELOPING = (Role.AGENT, Role.CHAIN)
_MAX_COMPARED = 50
"""Answers looked for in later prompts; a wrapper of more chains than this is a batch, whose chains do not feed on."""


@dataclass(frozen=True)
class Unit:
    """One answered question: the spans that belong to it."""

    top: Node | None
    """The span that holds all others; None where several roots stand side by side."""
    nodes: tuple[Node, ...]
    """All spans but those inside guardrails, parents before children."""

    def with_role(self, *roles: Role) -> tuple[Node, ...]:
        """Return the spans of some roles, in the same order."""
        return tuple(node for node in self.nodes if node.role in roles)


def find_units(tree: SpanTree) -> tuple[Unit, ...]:
    """Take a trace apart into answered questions, in order of start."""
    if not tree.roots:
        return ()
    if len(tree.roots) == 1:
        return tuple(_split(tree.roots[0]))
    return tuple(_parts(tree.roots, wrapper=())) or (Unit(None, tuple(_content(tree.roots))),)


def holds(node: Node, *roles: Role) -> bool:
    """Whether a node or one below it has one of the roles, outside guardrails."""
    return not node.inside.isdisjoint(roles)


def asks_and_answers(node: Node) -> bool:
    """Whether a span has a question and an answer of its own, around others that work them out."""
    reading = node.reading
    return (
        reading.question is not None
        and reading.answer is not None
        and reading.role not in (Role.GENERATION, Role.EMBEDDING, Role.GUARDRAIL, *RETRIEVING)
    )


def _unit(top: Node) -> Unit:
    return Unit(top, tuple(_content([top])))


def _content(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield nodes and all below them, parents first, leaving out guardrails with all that is below."""
    stack = [*reversed(nodes)]
    while stack:
        node = stack.pop()
        if node.role is not Role.GUARDRAIL:
            yield node
            stack.extend(reversed(node.children))


def _split(top: Node) -> list[Unit]:
    """Descend through spans that only wrap, to where several parts answer on their own; else the whole is one."""
    node = top
    while not asks_and_answers(node):
        parts = _parts(node.children, wrapper=[node])
        if parts:
            return parts
        working = [child for child in node.children if holds(child, Role.GENERATION, *RETRIEVING)]
        if len(working) != 1:
            break
        node = working[0]
    return [_unit(top)]


def _parts(siblings: Sequence[Node], wrapper: Sequence[Node]) -> list[Unit]:
    chains = _independent(siblings, wrapper)
    return [_unit(chain) for chain in chains] if chains else _turns(siblings)


def _turns(siblings: Sequence[Node]) -> list[Unit]:
    """Cut a sequence of retrievals and generations after each generation that answered what was looked for."""
    turns: list[list[Node]] = [[]]
    for node in siblings:
        turns[-1].append(node)
        if node.role is Role.GENERATION and node.reading.answer and any(n.role in RETRIEVING for n in turns[-1]):
            turns.append([])
    rest = turns.pop()
    if len(turns) < 2:
        return []
    asked = [folded(next((n.reading.question or "" for n in turn if n.role in RETRIEVING), "")) for turn in turns]
    answers: set[str] = set()
    for question, turn in zip(asked, turns, strict=True):
        if not question or not _prompts_hold(turn[-1], {question}) or _prompts_hold(turn[-1], answers):
            return []
        answers.add(folded(turn[-1].reading.answer or ""))
    turns[-1] += rest
    return [Unit(None, tuple(_content(turn))) for turn in turns] if len(set(asked)) == len(asked) else []


def _independent(siblings: Sequence[Node], wrapper: Sequence[Node]) -> list[Node]:
    """Return the siblings that each answer a question of their own, if there are several; else nothing."""
    declared = [node for node in siblings if node.reading.declared]
    if len(declared) > 1:  # the application itself says that each is one
        return declared
    answering = [node for node in siblings if _answers(node)] or _untraced(siblings)
    retrieving = [node for node in answering if holds(node, *RETRIEVING)]
    chosen = retrieving or answering
    if len(chosen) < 2 or _is_summed_up(chosen, siblings, wrapper):
        return []
    questions = [folded(question) for node in chosen if (question := question_of(node))]
    if len(set(questions)) < len(chosen) or _feed_each_other(chosen):
        return []
    return chosen


def _answers(node: Node) -> bool:
    if asks_and_answers(node):
        return node.role is Role.AGENT or holds(node, Role.GENERATION)
    may_wrap = node.role in (*ENVELOPING, Role.OTHER, Role.TOOL)
    return may_wrap and holds(node, Role.GENERATION) and holds(node, *RETRIEVING)


def _untraced(siblings: Sequence[Node]) -> list[Node]:
    """Return the chains that answer where no generation was traced at all, if each of them retrieved for itself."""
    answering = [node for node in siblings if asks_and_answers(node)]
    is_traced = any(holds(node, Role.GENERATION) for node in siblings)
    return answering if not is_traced and all(_answers_from_documents(node) for node in answering) else []


def _answers_from_documents(node: Node) -> bool:
    return holds(node, *RETRIEVING) and not is_formatted_documents(node)


def is_formatted_documents(node: Node) -> bool:
    """Whether a chain only retrieved and put the texts together: that is a context, not an answer."""
    if holds(node, Role.GENERATION) or not node.reading.answer:
        return False
    documents = [found for below in node.below() if below.role in RETRIEVING for found in below.reading.documents or ()]
    is_outermost = not any(above.reading.question or above.reading.answer for above in node.upwards() if above != node)
    return is_only_documents(node.reading.answer, documents, node.reading.question, is_outermost=is_outermost)


def question_of(node: Node) -> str | None:
    """Return the first question asked in a subtree: its own, else that of its first retrieval."""
    if node.reading.question:
        return node.reading.question
    asked = (below.reading.question for below in _content([node]) if below.role in (*ENVELOPING, *RETRIEVING))
    return next((question for question in asked if question), None)


def _is_summed_up(chosen: Sequence[Node], siblings: Sequence[Node], wrapper: Sequence[Node]) -> bool:
    """Whether a generation outside the chosen, after the last of them, makes one answer of theirs."""
    last = max(node.ended for node in chosen)
    others = [below for node in siblings if node not in chosen for below in _content([node])] + [*wrapper]
    return any(node.role is Role.GENERATION and node.reading.answer and node.started[0] >= last[0] for node in others)


def _feed_each_other(chosen: Sequence[Node]) -> bool:
    """Whether the answer of one is the question of a later one, as where a chain rewrites the question for the next.

    Where all retrieve, an answer that comes up again in a later prompt is the history of a conversation, not a feed.
    """
    all_retrieve = all(holds(node, *RETRIEVING) for node in chosen)
    answers: set[str] = set()
    for node in chosen:
        if folded(question_of(node) or "") in answers:
            return True
        if not all_retrieve and _prompts_hold(node, answers):
            return True
        answers |= {folded(node.reading.answer)} if node.reading.answer else set()
    return False


def _prompts_hold(node: Node, answers: set[str]) -> bool:
    if len(answers) > _MAX_COMPARED:
        return False
    messages = (message for below in _content([node]) for message in below.reading.messages)
    prompts = [folded(message.text) for message in messages if message.role == "user" and message.text]
    return any(answer in prompt for prompt in prompts for answer in answers)
