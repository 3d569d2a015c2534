"""Tokens: Stanford's command line on one text, MOCHA's, SQuAD's."""

import json
from pathlib import Path

from hypothesis import given

from scorers import Session
from scorers.batch import Services
from scorers.tokens import drop_punctuation, mocha_tokens, one_line, squad_tokens
from tests.scorers.coco_oracle import ptb_lines
from tests.scorers.scorer_texts import ITEMS, kpqa, texts

GOLDEN = Path(__file__).parents[1] / "golden" / "ptb_tokens.json"


def tokenise(session: Session, texts: list[str]) -> list[str]:
    tokens = session.services.tokenise("ptb", texts)
    return [tokens[text] for text in texts]


def expected(texts: list[str]) -> list[str]:
    lines = ptb_lines([one_line(text) for text in texts])
    return [drop_punctuation(line.rstrip("\n")) for line in lines]


def test_tokens_equal_those_of_the_command_line(session: Session) -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    texts = [case["text"] for case in golden["cases"]]
    lines = [drop_punctuation(case["line"]) for case in golden["cases"]]
    assert tokenise(session, texts) == lines


def test_written_texts_are_tokenised_as_the_command_line_does_each_alone(session: Session) -> None:
    texts = [text for item in ITEMS for text in (item.candidate, *item.references)]
    assert tokenise(session, texts) == expected(texts)


def test_real_texts_are_tokenised_as_the_command_line_does_each_alone(
    session: Session, concord_data: Path
) -> None:
    texts: set[str] = set()
    for name in ("marco_all", "avsd_all", "marcomulti_unilm"):
        for item in kpqa(concord_data, name, 1)[0]:
            texts |= {item.candidate, *item.references}
    for row in json.loads((concord_data / "evouna" / "NQ.json").read_text(encoding="utf-8")):
        texts |= {value for value in row.values() if isinstance(value, str)}
    sample = sorted(texts)[::7]
    assert len(sample) > 3000
    assert tokenise(session, sample) == expected(sample)


def test_a_final_period_does_not_depend_on_the_next_text() -> None:
    texts = ["He lives in the U.S.", "The man", "at 5 p.m.", "Mr.", "No.", "5"]
    for order in (texts, texts[::-1], texts[2:] + texts[:2]):
        services = Services()
        assert services.tokenise("ptb", order)["He lives in the U.S."] == "he lives in the u.s."
        services.close()


@given(texts)
def test_any_text_gives_words_without_line_breaks_and_none_of_the_dropped(text: str) -> None:
    tokens = SERVICES.tokenise("ptb", [text])[text]
    assert "\n" not in tokens
    assert tokens == drop_punctuation(tokens)
    spaced = one_line(text)
    assert SERVICES.tokenise("ptb", [spaced])[spaced] == tokens


def test_every_kind_of_line_break_is_a_space(session: Session) -> None:
    texts = [f"one{mark}two." for mark in "\n\r\x0b\x0c\x85\u2028\u2029"]
    assert tokenise(session, texts) == ["one two"] * 7


def test_mocha_strips_three_characters_and_nothing_else() -> None:
    assert mocha_tokens("It's  over, U.S.A.? Yes!\n") == "It's  over, USA Yes\n"


def test_squad_normalises_case_punctuation_articles_and_space() -> None:
    assert squad_tokens("  The U.S., an\tApple a-day — Theatre ") == "us apple aday — theatre"
    assert squad_tokens("the a an . !") == ""


SERVICES = Services()


def teardown_module() -> None:
    SERVICES.close()
