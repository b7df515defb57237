"""Business records with gaps, and descriptions of them with and without faults: for contexts that are data.

What goes wrong when a model writes prose from a record is not what goes wrong with prose: a value that is null is
told as a fact, no becomes yes, one day's hours become every day's, reviews say what nobody wrote. The parts are in
listings.toml; the choice among them is seeded.
"""

import json
import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_PARTS = tomllib.loads(Path(__file__).with_name("listings.toml").read_text(encoding="utf-8"))
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_QUESTION = "Write an objective overview about the following local business based only on the provided structured data."
_JOINED, _LISTED = 0.35, 0.4
_MOVABLE = frozenset({"It", "There", "The", "Guests", "Customers", "Reviewers", "One", "Some", "No", "Free", "Many"})


@dataclass(frozen=True, slots=True)
class Listing:
    """A record and a description of it."""

    context: str
    answer: str
    question: str
    faults: tuple[tuple[int, int], ...]
    """The stretches of the answer that the record does not bear out."""


@dataclass(slots=True)
class _Text:
    """A description as it grows."""

    sentences: list[tuple[str, bool]] = field(default_factory=list)

    def add(self, sentence: str, *, right: bool = True) -> None:
        self.sentences.append((sentence[0].upper() + sentence[1:], right))

    def joined(self, draw: random.Random) -> tuple[str, tuple[tuple[int, int], ...]]:
        """The text with its faults; some neighbours are made one sentence, as writers do."""
        text, faults = "", []
        for sentence, right in self.sentences:
            said = sentence
            if text and draw.random() < _JOINED and sentence.split()[0] in _MOVABLE:
                text = text.removesuffix(".") + draw.choice((", and", ", while", "; also,"))
                said = sentence[0].lower() + sentence[1:]
            start = len(text) + bool(text)
            text = f"{text} {said}" if text else said
            if not right:
                faults.append((start, len(text)))
        return text, tuple(faults)


def make_listings(count: int, seed: int) -> Iterator[Listing]:
    """Make listings; the same seed gives the same ones."""
    draw = random.Random(seed)
    for _ in range(count):
        yield _Maker(draw).listing()


class _Maker:
    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._fault = draw.choice((0.0, 0.0, 0.08, 0.18, 0.35))
        """How often this writer gets a thing wrong."""
        self._text = _Text()

    def _wrong(self) -> bool:
        return self._draw.random() < self._fault

    def _pick(self, phrases: list[str], **given: str) -> str:
        return self._draw.choice(phrases).format(**given)

    def listing(self) -> Listing:
        draw = self._draw
        kinds = draw.sample(_PARTS["categories"], draw.randint(1, 4))
        given = {
            "name": draw.choice(_PARTS["names"]),
            "address": f"{draw.randint(1, 6200)} {draw.choice(_PARTS['streets'])}",
            "city": draw.choice(_PARTS["cities"]),
            "state": draw.choice(_PARTS["states"]),
            "kind": " and ".join(kinds[:2]),
        }
        record: dict[str, Any] = {key: given[key] for key in ("name", "address", "city", "state")}
        record["categories"] = ", ".join(kinds)
        told = given | ({"city": draw.choice(_PARTS["cities"])} if self._wrong() else {})
        self._text.add(self._pick(_PARTS["openings"], **told), right=told["city"] == given["city"])
        record["hours"] = hours = self._hours()
        record["attributes"] = self._attributes()
        stars = draw.choice((1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0))
        record["business_stars"] = stars
        said = draw.choice((1.5, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)) if self._wrong() else stars
        self._text.add(self._pick(_PARTS["stars"], stars=f"{said:g}"), right=said == stars)
        self._say_hours(hours)
        tail, self._text.sentences = self._text.sentences[2:], self._text.sentences[:2]
        draw.shuffle(tail)
        self._text.sentences += tail
        record["review_info"] = self._reviews()
        if draw.random() < 0.5:
            self._text.add(self._pick(_PARTS["closings"], **given))
        answer, faults = self._text.joined(draw)
        context = json.dumps(record) if draw.random() < 0.7 else repr(record)
        return Listing(context, answer, _QUESTION, faults)

    def _hours(self) -> dict[str, str] | None:
        draw = self._draw
        if draw.random() < 0.12:
            return None
        first, last = (draw.choice((7, 8, 9, 10, 11)), draw.choice((14, 17, 20, 21, 22)))
        usual = f"{first}:{draw.choice((0, 30))}-{last}:{draw.choice((0, 30))}"
        other = f"{first + 1}:0-{last + 1}:0"
        days = [day for day in _DAYS if draw.random() < 0.9]
        return {day: other if day in ("Saturday", "Sunday") and draw.random() < 0.6 else usual for day in days} or None

    def _say_hours(self, hours: dict[str, str] | None) -> None:
        if hours is None:
            if self._wrong():
                self._text.add(self._pick(_PARTS["hours_daily"], a="9 AM", b="9 PM"), right=False)
            return
        days = list(hours)
        runs = _runs(hours)
        if len(runs) > 1 and self._draw.random() < _LISTED:
            self._list_hours(runs)
            return
        first, last, span = self._draw.choice(runs)
        a, b = _spoken(span)
        wrong = self._wrong()
        way = self._draw.random()
        if wrong and way < 0.4 and (len(days) < 7 or len(set(hours.values())) > 1):
            self._text.add(self._pick(_PARTS["hours_daily"], a=a, b=b), right=False)
        elif wrong and way < 0.7 and len(days) < 7:
            missing = self._draw.choice([day for day in _DAYS if day not in hours])
            self._text.add(self._pick(_PARTS["hours_day"], day=missing, a=a, b=b), right=False)
        else:
            if wrong:
                b = _clock((int(span.split("-")[1].split(":")[0]) + 2) % 24, 0)
            phrases = _PARTS["hours_day"] if first == last else _PARTS["hours_range"]
            self._text.add(self._pick(phrases, day=first, first=first, last=last, a=a, b=b), right=not wrong)
        if len(days) < 7 and self._draw.random() < 0.3:
            wrong = self._wrong()
            day = self._draw.choice(days if wrong else [day for day in _DAYS if day not in hours])
            self._text.add(self._pick(_PARTS["closed"], day=day), right=not wrong)

    def _list_hours(self, runs: list[tuple[str, str, str]]) -> None:
        """The hours of all days in one sentence."""
        wrong = self._draw.randrange(len(runs)) if self._wrong() else -1
        parts = []
        for number, (first, last, span) in enumerate(runs):
            a, b = _spoken(runs[number - 1][2] if number == wrong and runs[number - 1][2] != span else span)
            if number == wrong and runs[number - 1][2] == span:
                b = _clock((int(span.split("-")[1].split(":")[0]) + 1) % 24, 0)
            days = f"on {first}" if first == last else f"{first} {self._draw.choice(('to', 'through'))} {last}"
            parts.append(f"{a} to {b} {days}" if self._draw.random() < 0.5 else f"{days} from {a} to {b}")
        self._text.add(f"It is open {', '.join(parts[:-1])} and {parts[-1]}.", right=wrong < 0)

    def _attributes(self) -> dict[str, Any]:
        draw = self._draw
        found: dict[str, Any] = {}
        for group in _PARTS["groups"]:
            if draw.random() < 0.8:
                found[group["key"]] = self._group(group)
        for attribute in _PARTS["attributes"]:
            if draw.random() < 0.85:
                value = draw.choice((True, True, False, None))
                values = attribute.get("values")
                shown = value if values is None or value is None else values[0 if value else 1]
                found[attribute["key"]] = shown
                if draw.random() < (0.45 if value is not None else 0.05 + 0.5 * self._fault):
                    wrong = value is None or self._wrong()
                    says = (draw.random() < 0.7) if value is None else (value is not wrong)
                    self._text.add(draw.choice(attribute["yes" if says else "no"]), right=not wrong)
        items = list(found.items())
        draw.shuffle(items)
        return dict(items)

    def _group(self, group: dict[str, Any]) -> dict[str, bool | None] | None:
        draw = self._draw
        if draw.random() < 0.15:
            if draw.random() < 0.1 + self._fault:
                self._text.add(draw.choice(group["none_yes"] + group["none_no"]), right=False)
            return None
        leaves: dict[str, bool | None] = {leaf: draw.random() < 0.25 for leaf in group["leaves"]}
        true = [leaf for leaf, value in leaves.items() if value]
        false = [leaf for leaf, value in leaves.items() if not value]
        if draw.random() < 0.55:
            wrong = self._wrong()
            if wrong and not true and draw.random() < 0.5:
                self._text.add(draw.choice(group["none_yes"]), right=False)
            elif wrong and true and draw.random() < 0.3:
                self._text.add(draw.choice(group["no"]).format(leaf=draw.choice(true)), right=False)
            elif wrong:
                self._text.add(draw.choice(group["yes"]).format(leaf=draw.choice(false)), right=False)
            elif true:
                self._text.add(draw.choice(group["yes"]).format(leaf=draw.choice(true)))
            else:
                self._text.add(draw.choice(group["none_no"]))
        return leaves

    def _reviews(self) -> list[dict[str, Any]]:
        draw = self._draw
        chosen = draw.sample(_PARTS["topics"], draw.randint(4, 7))
        reviews: list[list[str]] = [[], [], []]
        for topic in chosen:
            draw.choice(reviews).append(draw.choice(topic["review"]))
        rest = [topic for topic in _PARTS["topics"] if topic not in chosen]
        for topic in chosen[: draw.randint(2, 4)]:
            if self._wrong():
                baseless = [draw.choice(draw.choice(rest)["say"]), draw.choice(_PARTS["fillers"]["baseless"])]
                self._text.add(draw.choice([draw.choice(topic["against"]), *baseless]), right=False)
            else:
                self._text.add(draw.choice(topic["say"]))
        if draw.random() < 0.5:
            self._text.add(draw.choice(_PARTS["fillers"]["generic"]))
        for review in reviews:
            review.extend(draw.sample(_PARTS["fillers"]["review"], draw.randint(1, 2)))
            draw.shuffle(review)
        return [
            {
                "review_stars": float(draw.randint(1, 5)),
                "review_date": f"20{draw.randint(15, 22)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02} 21:04:11",
                "review_text": draw.choice((" ", "\n")).join(review),
            }
            for review in reviews
        ]


def _runs(hours: dict[str, str]) -> list[tuple[str, str, str]]:
    """Stretches of days in a row with the same hours: first, last, hours."""
    runs: list[tuple[str, str, str]] = []
    for number, day in enumerate(_DAYS):
        span = hours.get(day)
        if span is None:
            continue
        if runs and runs[-1][2] == span and runs[-1][1] == _DAYS[number - 1]:
            runs[-1] = runs[-1][0], day, span
        else:
            runs.append((day, day, span))
    return runs


def _spoken(span: str) -> tuple[str, str]:
    first, last = (_clock(*map(int, time.split(":"))) for time in span.split("-"))
    return first, last


def _clock(hour: int, minute: int) -> str:
    half = "AM" if hour < 12 else "PM"
    return f"{(hour - 1) % 12 + 1}:{minute:02} {half}" if minute else f"{(hour - 1) % 12 + 1} {half}"
