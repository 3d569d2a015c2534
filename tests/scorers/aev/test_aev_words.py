"""The words that AEv counts: stems and stop words."""

from scorers import Session
from scorers.aev.preparation import CLOSED_CLASS, TextPreparation, is_stop_word
from tests.scorers.aev.aev_texts import RAW, one


def test_stems_are_those_of_porters_paper() -> None:
    # Examples of each step in Porter (1980), An algorithm for suffix stripping.
    words = """caresses ponies cats feed agreed plastered bled motoring conflated hopping falling
        filing happy sky relational conditional digitizer vietnamization predication feudalism
        hopefulness callousness triplicate formalize electrical goodness revival allowance
        gyroscopic defensible replacement adoption communism effective bowdlerize probate rate
        controll roll generalizations oscillators"""
    stems = """caress poni cat feed agre plaster bled motor conflat hop fall
        file happi sky relat condit digit vietnam predic feudal
        hope callous triplic formal electr good reviv allow
        gyroscop defens replac adopt commun effect bowdler probat rate
        control roll gener oscil"""
    assert TextPreparation().words(words).split() == stems.split()


def test_words_of_two_letters_are_not_stemmed() -> None:
    assert TextPreparation().words("us as is a") == "us as is a"


def test_the_stop_list_has_no_words_that_answer_questions() -> None:
    content_words = (
        "no not never n't nobody nothing nowhere none one two all few many most more half yes"
    )
    assert not CLOSED_CLASS & set(content_words.split())
    removed = "the He 's that's THIS of and were does would what she\u2019ll themselves upon"
    assert all(is_stop_word(word) for word in removed.split())
    assert (
        TextPreparation(stems="none", stops="closed-class").words("the doe does not do it")
        == "doe not"
    )


def test_the_stop_list_has_about_300_lower_case_words() -> None:
    assert 250 <= len(CLOSED_CLASS) <= 350
    assert all(word == word.lower().strip() and word for word in CLOSED_CLASS)


def test_stop_words_are_removed_before_ngrams_are_formed(session: Session) -> None:
    assert one(session, "aev(n=2,stops=closed-class)", "old mills of Ghent", "mills in Ghent") > 0
    assert one(session, "aev(n=2)", "old mills of Ghent", "mills in Ghent") == 0


def test_texts_that_differ_in_stems_and_stop_words_are_equal(session: Session) -> None:
    pair = ("He was walking to the bridges.", "they walk by that bridge")
    assert one(session, "aev(n=2,stops=closed-class)", *pair) == 1.0
    assert one(session, f"aev(n=2,{RAW})", *pair) == 0.0


def test_an_answer_of_nothing_but_stop_words_scores_0(session: Session) -> None:
    assert one(session, "aev(stops=closed-class)", "it was there", "it was there") == 0.0
    assert one(session, "aev", "it was there", "it was there") == 1.0
