"""Recipes for JSON that nobody described: of spans and of rankings, by its names and values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from concord.formats.errors import FormatError, Problems
from concord.formats.files import SourceFile
from concord.formats.recipes.columns import toml_of
from concord.formats.recipes.parsing import recipe_of_toml
from concord.formats.recipes.paths import ALL, VALUES
from concord.formats.recipes.recipe import FormatRecipe
from concord.formats.records import SEVERITIES
from concord.formats.sides import words_of
from concord.formats.tables import guess_meanings, kind_of, meaning_of

MAX_RECORDS, MAX_ITEMS, MAX_DEPTH = 100, 50, 5
# Longer items of a ranking are the answers, not their names.
MAX_ITEM = 80
_USUAL = {
    "start": """start, begin, from, start offset, offset start, start index, start char, char start,
    start pos, anfang, beginn, debut, inicio, inizio, comeco""",
    "end": """end, stop, to, end offset, offset end, end index, end char, char end, end pos, ende,
    fin, fine, fim, einde, eind""",
    "label": """label, type, category, tag, class, error, error type, error category, kind,
    kategorie, fehler, fehlertyp, categorie, etiquette, tipo, categoria, etiqueta, etichetta,
    soort, fout""",
    "severity": "severity, schwere, gravite, gravedad, gravita, gravidade, ernst",
    "marked": """text, span, quote, marked text, span text, surface, mention, texte, texto, testo,
    tekst""",
    "ranking": """ranking, rank, ranks, ranked, order, ranked order, preference order, position,
    place, rangfolge, rangliste, rang, reihenfolge, platz, classement, ordre, clasificacion, orden,
    classifica, ordine, classificacao, ordem, rangschikking, volgorde""",
}
_KIND_OF = {" ".join(word.split()): kind
            for kind, words in _USUAL.items() for word in words.split(",")}  # fmt: skip
Steps = tuple[str, ...]
# The steps to a list or an object, the objects around it from the outermost on, and itself.
Member = tuple[Steps, tuple[Mapping[str, Any], ...], Any]


def recipe_of_shape(file: SourceFile) -> FormatRecipe | None:
    """The recipe of a JSON file whose records have lists of spans, rankings, or ratings of named
    raters in lists or objects; None of others."""
    rows: list[Any]
    try:
        if kind_of(file) == "jsonl":
            rows = [row for _, row in islice(file.objects(Problems()), MAX_RECORDS)]
        else:
            document = file.document(Problems())
            rows = document[:MAX_RECORDS] if isinstance(document, list) else [document]
        members = [one for row in rows for one in _members(row)]
        document = _of_spans(members) or _of_rankings(members) or _of_ratings(members)
        if document is None:
            return None
        text = toml_of(document)
        return replace(recipe_of_toml(text.encode()), toml=text)
    except FormatError:
        return None


def _members(value: Any, steps: Steps = (), around: tuple[Any, ...] = ()) -> Iterator[Member]:
    """The lists and objects inside a value."""
    if len(steps) > MAX_DEPTH:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, dict | list):
                yield (*steps, name), (*around, value), inner
                yield from _members(inner, (*steps, name), (*around, value))
    elif isinstance(value, list):
        for inner in value[:MAX_ITEMS]:
            yield from _members(inner, (*steps, ALL), around)


def _kinds(names: Mapping[str, Any]) -> dict[str, str]:
    """The names by what they usually are, the first of each."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(_KIND_OF.get(words_of(name), ""), name)
    return found


def _of_spans(members: Sequence[Member]) -> dict[str, Any] | None:
    """The document of a recipe for lists of objects with offsets."""
    lists = [(steps, around, items) for steps, around, items in members
             if isinstance(items, list) and items and all(map(_has_offsets, items))]  # fmt: skip
    labelled = [one for one in lists if "label" in _kinds(one[2][0])]
    lists = labelled or lists  # others are of words
    steps = _common({steps for steps, *_ in lists})
    if steps is None:
        return None
    (first, *_), around = lists[0][2], lists[0][1]
    kinds = _kinds(first)
    spans: dict[str, Any] = {"start": kinds["start"], "end": kinds["end"]}
    ends = [(objects, max(one[kinds["end"]] for one in items)) for _, objects, items in lists
            if all(kinds["end"] in one for one in items)]  # fmt: skip
    fields = _fields(around)
    candidate = _marked_text(fields.get("candidate"), ends)
    fields = {name: one for name, one in fields.items()
              if name not in ("candidate", "score") and one != candidate}  # fmt: skip
    if candidate is None:
        fields.setdefault("id", "@row")
    else:
        fields["candidate"] = candidate
        marked = kinds.get("marked")
        spans["inclusive"] = any(
            _text_of(objects, candidate)[one[kinds["start"]] : one[kinds["end"]] + 1] == one[marked]
            for _, objects, items in lists for one in items
            if {kinds["start"], kinds["end"], marked} <= one.keys()
        )  # fmt: skip
    severities = {str(one.get(kinds.get("severity", ""))) for *_, items in lists for one in items}
    if "severity" in kinds and {one.casefold() for one in severities} <= {*SEVERITIES}:
        spans["severity"] = kinds["severity"]
        spans["severities"] = {one: one.casefold() for one in sorted(severities)}
    if category := kinds.get("label"):
        spans["category"] = [category]
    last = _records_end(steps)  # those of a rater are a record, also without spans
    stars = sum(step in (ALL, VALUES) for step in steps)
    by_name = f"@{stars}" if VALUES in steps else "@nth"
    spans["worker"] = _rater([first, *reversed(around)]) or by_name
    spans["from"] = _path((*steps[last:], ALL))
    records: dict[str, Any] = {"records": _path(steps[:last])} if last else {}
    score = next((name for name, one in _scores(around).items() if _is_number(one)), None)
    if score and (rater := _rater(list(reversed(around)))):
        records["ratings"] = {"value": score, "worker": rater}
    return {"name": "json-spans", "title": "Spans in JSON", "files": "json", "rows": "ratings",
            **records, "fields": fields, "spans": spans}  # fmt: skip


def _has_offsets(item: Any) -> bool:
    kinds = _kinds(item) if isinstance(item, dict) else {}
    return {"start", "end"} <= kinds.keys() and all(
        type(item[kinds[name]]) is int for name in ("start", "end")
    )


def _common(paths: set[Steps]) -> Steps | None:
    """The only path, or that of lists whose names in one place are data: each rater's."""
    if len({len(path) for path in paths}) != 1:
        return None
    steps = [set(names) for names in zip(*paths, strict=True)]
    several = [at for at, names in enumerate(steps) if len(names) > 1]
    # Members of the record itself are no raters.
    if len(several) > 1 or any(not at or ALL in steps[at] | steps[at - 1] for at in several):
        return None
    return tuple(VALUES if len(names) > 1 else next(iter(names)) for names in steps)


def _marked_text(
    guessed: Any, ends: Sequence[tuple[Sequence[Mapping[str, Any]], int]]
) -> str | None:
    """The name of the text in which spans lie: as its name says, or the longest one that fits."""
    names = dict.fromkeys(name for objects, _ in ends for one in objects for name in one)
    texts = {name: [len(_text_of(objects, name)) - end for objects, end in ends] for name in names}
    fitting = {name: min(rest) for name, rest in texts.items() if min(rest) >= 0}
    return guessed if guessed in fitting else max(fitting, key=fitting.__getitem__, default=None)


def _text_of(objects: Sequence[Mapping[str, Any]], name: str) -> str:
    text = next((one[name] for one in reversed(objects) if name in one), "")
    return text if isinstance(text, str) else ""


def _of_rankings(members: Sequence[Member]) -> dict[str, Any] | None:
    """The document of a recipe for lists of names or texts in order, objects of places by names,
    and lists of objects with a place each."""
    found = ((one, choices) for one in members if (choices := _ranking(one)) is not None)
    (steps, around, value), choices = next(found, (((), (), None), {}))
    if value is None:
        return None
    last = _records_end(steps)
    guessed = _fields(around)
    fields = {name: one for name, one in guessed.items()
              if name not in ("id", "candidate", "system", "score")}  # fmt: skip
    if "id" in guessed:
        fields.setdefault("instance", guessed["id"])
    fields |= {"candidate1": "''", "candidate2": "''"}
    items = list(value)
    if isinstance(value, list) and isinstance(value[0], dict):
        meanings = dict(zip(guess_meanings(list(value[0])), value[0], strict=True))
        for number in (1, 2):
            for meaning in {"candidate", "system"} & meanings.keys():
                path = _path((*steps[last:], f"{{item{number}}}", meanings[meaning]))
                fields[f"{meaning}{number}"] = path
    elif any(len(one) > MAX_ITEM for one in items):
        fields |= {f"candidate{number}": f"{{item{number}}}" for number in (1, 2)}
    else:
        fields |= {f"system{number}": f"{{item{number}}}" for number in (1, 2)}
        objects = {name: one for name, one in around[-1].items() if isinstance(one, dict)}
        texts = (name for name, one in objects.items()
                 if all(isinstance(one.get(item), str) for item in items))  # fmt: skip
        for name in islice(texts, 1):
            fields |= {f"candidate{number}": _path((name, f"{{item{number}}}"))
                       for number in (1, 2)}  # fmt: skip
    choices["from"] = _path((*steps[last:], ALL if isinstance(value, list) else VALUES))
    choices["worker"] = _rater(list(reversed(around))) or "@row"
    records = {"records": _path(steps[:last])} if last else {}
    return {"name": "json-rankings", "title": "Rankings in JSON", "kind": "pairs", "files": "json",
            "rows": "ratings", **records, "fields": fields, "choices": choices,
            "notes": ["A ranking is a choice between each two of its items."]}  # fmt: skip


def _ranking(member: Member) -> dict[str, Any] | None:
    """Where the items of a ranking and their places are; None of a member that is none."""
    steps, around, value = member
    if any(_is_number(one) for one in _scores(around).values()):
        return None  # they are what was judged
    stars = sum(step == ALL for step in steps)
    if len(value) < 2:
        return None
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        place = _kinds(value[0]).get("ranking")
        if place is None or not all(_is_number(one.get(place)) for one in value):
            return None
        has_names = "system" in guess_meanings(list(value[0]))
        return {"value": f"@{stars + 1}", "rank": place} if has_names else None
    if not steps or _KIND_OF.get(words_of(steps[-1])) != "ranking":
        return None
    if isinstance(value, list):
        are_names = all(isinstance(one, str) for one in value) and len({*value}) == len(value)
        return {"rank": f"@{stars + 1}"} if are_names else None
    return ({"value": f"@{stars + 1}", "rank": "@value"}
            if all(map(_is_number, value.values())) else None)  # fmt: skip


def _of_ratings(members: Sequence[Member]) -> dict[str, Any] | None:
    """The document of a recipe for lists of objects with a rater and a score each, and for objects
    of scores by criteria inside those of a rater."""
    for steps, around, value in members:
        last, fields = _records_end(steps), _fields(around)
        if not value or _scores(around) or "candidate" not in fields:
            continue
        if isinstance(value, list) and all(isinstance(one, dict) for one in value):
            score, rater = next(iter(_scores(value[:1])), ""), _rater(value[:1])
            if not score or not rater:
                continue
            ratings = {"value": score, "worker": rater}
            criteria = [name for name in value[0] if meaning_of(name) == "criterion"]
            if criteria:
                ratings["criterion"] = criteria[0]
        elif isinstance(value, dict) and all(map(_is_number, value.values())):
            rater = _rater(list(reversed(around)))
            if not rater or meaning_of(steps[-1]) != "score":
                continue
            ratings = {"worker": rater, "criterion": f"@{sum(one == ALL for one in steps) + 1}"}
        else:
            continue
        ratings["from"] = _path((*steps[last:], ALL if isinstance(value, list) else VALUES))
        records = {"records": _path(steps[:last])} if last else {}
        return {"name": "json-ratings", "title": "Ratings in JSON", "files": "json",
                "rows": "ratings", **records, "fields": fields, "ratings": ratings,
                "values": {"others": "number"}}  # fmt: skip
    return None


def are_spans(header: Iterable[str]) -> bool:
    """Whether columns have the usual names of a span's ends."""
    return {"start", "end"} <= _kinds(dict.fromkeys(header)).keys()


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _fields(around: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The fields that the names of objects, the innermost first, say."""
    members = chain(*(one.items() for one in around))
    values = {name: one for name, one in members if not isinstance(one, dict | list)
              and meaning_of(name) not in ("rater", "score")}  # fmt: skip
    numeric = {at for at, one in enumerate(values.values()) if _is_number(one)}
    meanings = guess_meanings(list(values), numeric)
    fields = {meaning: name for meaning, name in zip(meanings, values, strict=True) if meaning}
    if "reference" in fields:
        fields["references"] = fields.pop("reference")
    return fields


def _scores(objects: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The members that are scores or ratings by their names."""
    members = chain(*(one.items() for one in objects))
    return {name: value for name, value in members if not isinstance(value, dict | list)
            and meaning_of(name) in ("score", "rating")}  # fmt: skip


def _rater(objects: Sequence[Mapping[str, Any]]) -> str:
    """The name of the first member that names a rater; "" without."""
    names = (name for one in objects for name in one if meaning_of(name) == "rater")
    return next(names, "")


def _records_end(steps: Steps) -> int:
    """How many of the steps lead to the records."""
    return max((at for at, step in enumerate(steps, start=1) if step in (ALL, VALUES)), default=0)


def _path(steps: Steps) -> str:
    """A path of a recipe. A name that is a template is in quotation marks."""
    path = ""
    for step in steps:
        is_plain = step.isidentifier() and step.isascii()
        shown = step if is_plain or step == VALUES else json.dumps(step, ensure_ascii=False)
        path += step if step == ALL else f".{shown}" if path else shown
    return path
