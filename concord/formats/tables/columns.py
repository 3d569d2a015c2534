"""Guesses of the meanings of a table's columns by their headings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

from concord.formats.meanings import KEY, MEANINGS, SEVERAL, TEXTS

# Usual headings in lower case, without punctuation.
_HEADINGS = {
    "id": "id, item id, row id, example id, sample id, candidate id, answer id, response id, uid, "
    "uuid, guid, key, identifier",
    "instance": "instance, instance id, question id, query id, prompt id, qid, group",
    "passage": "passage, context, contexts, story, document, article, paragraph, evidence, "
    "background, source text, source document, retrieved context, retrieved contexts, text, "
    "passage text, context text",
    "question": "question, q, query, prompt, instruction, input, user input, user query, "
    "user question, question text, query text",
    "reference": "reference, ref, gold, gold answer, golden answer, gold reference, gold label, "
    "golden, ground truth, ground truths, groundtruth, gt, target, target text, expected, "
    "expected answer, expected output, expected response, correct answer, right answer, "
    "true answer, reference answer, reference text, reference output, answer key, ideal, "
    "ideal answer, answers text, gold standard",
    "candidate": "candidate, answer, prediction, predicted, predicted answer, prediction text, "
    "response, output, model output, model answer, model response, model prediction, generated, "
    "generated answer, generated text, generated response, generation, hypothesis, hyp, "
    "completion, system output, system answer, system response, llm answer, llm output, "
    "llm response, candidate answer, reply",
    "system": "system, model, model name, system name, generator, source, llm, engine",
    "score": "judgement, "  # codespell:ignore judgement
    "score, rating, label, grade, judgment, human score, human rating, "
    "human judgment, human label, gold score, mean score, mean rating, average score, "
    "average rating, correct, correctness, is correct, verdict",
    "constituent": "constituent, dataset, data set, corpus, subset, domain",
    "split": "split, fold, partition",
    "category": "category, question type, answer type, type",
    "short_answer": "short answer, short",
}
_MEANING_OF = {
    heading: meaning for meaning, text in _HEADINGS.items() for heading in text.split(", ")
}
# Parts of headings that say something about an answer, and are no answer: "answer length".
_ABOUT = {"id", "length", "len", "type", "score", "rating", "time", "date", "count", "start"}
_ABOUT |= {"end", "span", "tokens", "url", "rank", "index", "code", "status"}
_WORDS = re.compile(r"[^\W\d_]+|\d+")
# Between the words of "modelOutput" and "LLMAnswer".
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def is_known(heading: str) -> bool:
    """Whether a heading is usual for one of MEANINGS."""
    return _singular(_normalize(heading)) in _MEANING_OF


def guess_meanings(header: Sequence[str], numeric: Collection[int] = ()) -> list[str]:
    """The meaning of each column by its heading; "" if it is unknown.

    Case, punctuation, numbers at the end and a plural do not matter. "Answer" beside "Prediction"
    is the reference, if there is no other one. Columns such as "Answer A" and "Answer B" are
    several candidates, if no column is the system. Of "System 1" and "System 2", which are of two
    answers, none is the system. `numeric`: the positions of columns that have
    numbers only (`numeric_columns`); none of them is guessed to be a text.
    """
    words = [_normalize(name) for name in header]
    meanings = [_MEANING_OF.get(_singular(text), "") for text in words]
    meanings = ["" if one in TEXTS and at in numeric else one for at, one in enumerate(meanings)]
    for meaning in MEANINGS:
        if meaning not in SEVERAL and meanings.count(meaning) > 1:
            places = [at for at, one in enumerate(meanings) if one == meaning]
            kept = [at for at in places if not words[at][-1].isdigit()][:1]
            for at in set(places).difference(kept):
                meanings[at] = ""
    bases = [_singular(text) for text in words]
    for meaning in ("reference", "candidate"):
        if meaning not in meanings:
            for at, text in enumerate(words):
                if meanings[at] or at in numeric:
                    continue
                if base := _part(text, meaning):
                    meanings[at], bases[at] = meaning, base
    answers = [at for at, meaning in enumerate(meanings) if meaning == "candidate"]
    if "reference" not in meanings and len({bases[at] for at in answers}) > 1:
        for at in answers:
            if bases[at] == "answer":
                meanings[at] = "reference"
    answers = [at for at, meaning in enumerate(meanings) if meaning == "candidate"]
    if len({bases[at] for at in answers}) > 1 or {"system", "score"} & set(meanings):
        for at in answers[1:]:
            meanings[at] = ""
    return meanings


def mapping_problems(meanings: Sequence[str], *, without_references: bool = False) -> list[str]:
    """The problems of an assignment of columns, in sentences. without_references: no column need be
    the reference."""
    problems = [
        f"Choose the column with the {needed}."
        for needed in (("candidate",) if without_references else ("reference", "candidate"))
        if needed not in meanings
    ]
    problems += [
        f"Only one column can be the {meaning.replace('_', ' ')}."
        for meaning in MEANINGS
        if meaning not in SEVERAL and list(meanings).count(meaning) > 1
    ]
    if list(meanings).count("candidate") > 1:
        problems += [
            f"With several candidate columns, whose headings are the systems, no column can be the "
            f"{meaning}."
            for meaning in ("system", "score", KEY)
            if meaning in meanings
        ]
    return problems


def _normalize(heading: str) -> str:
    spaced = _CAMEL.sub(" ", unicodedata.normalize("NFKC", heading))
    return " ".join(_WORDS.findall(spaced)).casefold()


def _singular(text: str) -> str:
    """A heading without numbers at the end, and without a plural's s where that makes it known."""
    text = text.rstrip("0123456789 ")
    return text[:-1] if text not in _MEANING_OF and text[:-1] in _MEANING_OF else text


def _part(text: str, meaning: str) -> str:
    """The longest usual heading that begins or ends a heading: "answer" of "answer gpt 2"."""
    words = text.split()
    if _ABOUT & set(words):
        return ""
    for length in range(len(words) - 1, 0, -1):
        for part in (words[:length], words[-length:]):
            if _MEANING_OF.get(base := _singular(" ".join(part))) == meaning:
                return base
    return ""
