"""HotpotQA (Yang et al., 2018): questions with several supporting sentences.

Published format: a list of `{"_id", "question", "answer", "context": [[title, [sentence, ...]],
...], "supporting_facts": [[title, sentence number], ...]}`. The passage is the supporting
sentences' paragraphs; the answer is marked wherever it occurs in a supporting sentence. Yes/no
questions are left out, and so are questions whose answer occurs in no supporting sentence.

Deviation from KPQA (Section 3.1): the paper resolves coreference with SpanBERT to find the
supporting sentences; here they are the ones that HotpotQA's annotators marked. A sentence that only
refers to the answer by a pronoun has no marked words.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scorers.jsonl import FileError
from scorers.keyphrases.sources.lines import json_document
from scorers.keyphrases.sources.records import QuestionAnswer, ReadReport, Span, find_occurrences

#: Shown in the command's help and in the card.
DEVIATION = (
    "hotpotqa: the supporting sentences are the ones that HotpotQA's annotators marked, and the "
    "answer is marked where they hold it word for word; KPQA resolves coreference with SpanBERT "
    "to find them."
)


def read(path: Path, report: ReadReport) -> Iterator[QuestionAnswer]:
    """The questions of a file; a group is the set of its passages' titles."""
    document = json_document(path)
    if not isinstance(document, list):
        raise FileError(f"{path} is not a HotpotQA file: it must be a list of questions")
    for number, entry in enumerate(document):
        try:
            question = _question(entry, report)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FileError(
                f"{path}, question {number}: not HotpotQA's format: {error!r}"
            ) from None
        if question is not None:
            report.read += 1
            yield question


def _question(entry: dict[str, Any], report: ReadReport) -> QuestionAnswer | None:
    answer: str = entry["answer"]
    if answer.strip().lower() in ("yes", "no"):
        report.left_out["yes/no"] += 1
        return None
    supporting_keys = {(title, int(number)) for title, number in entry["supporting_facts"]}
    titles = {title for title, _ in supporting_keys}
    passage = ""
    supporting: list[Span] = []
    for title, sentences in entry["context"]:
        if title not in titles:
            continue
        for number, sentence in enumerate(sentences):
            text = sentence.strip()
            if passage and text:
                passage += " "
            if (title, number) in supporting_keys and text:
                supporting.append((len(passage), len(passage) + len(text)))
            passage += text
    spans = tuple(
        (start, end)
        for start, end in find_occurrences(passage, answer)
        if any(first <= start and end <= last for first, last in supporting)
    )
    if not spans:
        report.left_out["answer not in a supporting sentence"] += 1
        return None
    group = "/".join(sorted(titles))
    return QuestionAnswer(entry["question"], passage, (spans,), group, tuple(supporting))
