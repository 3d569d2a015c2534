"""The services of a session: tokenisers, METEOR and models, with caches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from scorers.encoders import Device
from scorers.java.client import JavaProcess
from scorers.java.sharing import SharedJava
from scorers.lru import LRU
from scorers.models import Models
from scorers.tokens import mocha_tokens, one_line, squad_tokens

# Sizes of a request to a helper process; METEOR takes about a millisecond for each comparison.
_TEXTS_PER_REQUEST = 8192
_COMPARISONS_PER_REQUEST = 64
# Capacities of the caches in characters.
_TOKENS_CAPACITY = 64_000_000
_METEOR_CAPACITY = 32_000_000

# Characters that the jar's command line trims from a segment (Java's String.trim).
_TRIMMED = "".join(map(chr, range(0x21)))

Entry = TypeVar("Entry")


class Services:
    """Tokenisers, METEOR and models; each result is computed once while the caches hold it.

    `java` is the address of a server of Java helpers (`scorers.java.sharing`); without it, the
    services start their own helper processes. All methods are thread-safe.
    """

    def __init__(self, device: Device = "auto", java: str | None = None) -> None:
        self.models = Models(device)
        self._ptb = SharedJava("ptb", java) if java else JavaProcess("ptb")
        self._meteor = SharedJava("meteor", java) if java else JavaProcess("meteor")
        self._tokens = {
            name: LRU[str, str](_TOKENS_CAPACITY, lambda text, tokens: len(text) + len(tokens))
            for name in ("ptb", "mocha", "squad")
        }
        self._meteor_results = LRU[tuple[str, tuple[str, ...]], tuple[float, str]](
            _METEOR_CAPACITY,
            lambda key, result: len(key[0]) + sum(map(len, key[1])) + len(result[1]),
        )

    def close(self) -> None:
        """End the helper processes."""
        self._ptb.close()
        self._meteor.close()

    def tokenise(self, tokeniser: str, texts: Iterable[str]) -> dict[str, str]:
        """Map each distinct text to its tokens, by the tokeniser "ptb", "mocha" or "squad"."""
        distinct = dict.fromkeys(texts)
        cache = self._tokens[tokeniser]
        tokens = cache.get_many(distinct)
        missing = [text for text in distinct if text not in tokens]
        for texts_part in _parts(missing, _TEXTS_PER_REQUEST):
            new_tokens = dict(zip(texts_part, self._run(tokeniser, texts_part), strict=True))
            cache.put_many(new_tokens.items())
            tokens.update(new_tokens)
        return tokens

    def _run(self, tokeniser: str, texts: Sequence[str]) -> list[str]:
        if tokeniser == "ptb":
            tokens: list[str] = self._ptb.request([one_line(text) for text in texts])
            return tokens
        function: Callable[[str], str] = {"mocha": mocha_tokens, "squad": squad_tokens}[tokeniser]
        return [function(text) for text in texts]

    def meteor(self, comparisons: Sequence[tuple[str, tuple[str, ...]]]) -> list[tuple[float, str]]:
        """METEOR's score and statistics line for each tokenised (candidate, references)."""
        results = self._meteor_results.get_many(comparisons)
        missing = list(dict.fromkeys(key for key in comparisons if key not in results))
        for part in _parts(missing, _COMPARISONS_PER_REQUEST):
            request = [
                (_segment(candidate), [_segment(reference) for reference in references])
                for candidate, references in part
            ]
            answers = self._meteor.request({"score": request})
            new_results = [
                (key, (float(score), str(line)))
                for key, (score, line) in zip(part, answers, strict=True)
            ]
            self._meteor_results.put_many(new_results)
            results.update(new_results)
        return [results[key] for key in comparisons]

    def meteor_aggregate(self, lines: Sequence[str]) -> float:
        """METEOR's score of the sum of statistics lines."""
        return float(self._meteor.request({"aggregate": list(lines)}))


def _segment(text: str) -> str:
    """A text as METEOR's command line receives it, without `|||`.

    `|||` is the separator of METEOR's text protocol. The COCO scripts remove it from the hypothesis
    only, so a reference with `|||` is split in two. Concord does not use that protocol and removes
    `|||` from both, so that equal texts stay equal.
    """
    return one_line(text).replace("|||", "").replace("  ", " ").strip(_TRIMMED)


def _parts(entries: Sequence[Entry], size: int) -> Iterator[Sequence[Entry]]:
    for start in range(0, len(entries), size):
        yield entries[start : start + size]
