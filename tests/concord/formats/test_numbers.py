"""Numbers that people and models wrote."""

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.formats.numbers import MAX_WHOLE, read_number, read_whole_number

SCALES = [(-2, 2), (0, 1), (0, 100), (1, 5), (1, 10), (-1_000_000, 1_000_000)]
MINUS = [
    "-",
    "\N{MINUS SIGN}",
    "\N{EN DASH}",
    "\N{NON-BREAKING HYPHEN}",
    "\N{FULLWIDTH HYPHEN-MINUS}",
]
THOUSANDS = ["", ",", ".", "'", "\N{RIGHT SINGLE QUOTATION MARK}", "\N{NO-BREAK SPACE}",
             "\N{THIN SPACE}", "\N{NARROW NO-BREAK SPACE}"]  # fmt: skip
DIGITS = ["0123456789", "".join(chr(0xFF10 + digit) for digit in range(10)),
          "".join(chr(0x660 + digit) for digit in range(10))]  # fmt: skip


@st.composite
def written_numbers(draw):
    """(number, its text in any accepted form)."""
    low, high = draw(st.sampled_from(SCALES))
    places = draw(st.integers(0, 4))
    units = draw(st.integers(low * 10**places, high * 10**places))
    separator = draw(st.sampled_from(THOUSANDS))
    mark = draw(st.sampled_from([mark for mark in ".," if mark != separator]))
    whole, decimals = divmod(abs(units), 10**places)
    grouped = f"{whole:,}".replace(",", separator)
    text = grouped + (f"{mark}{decimals:0{places}d}" if places else "")
    text = text.translate(str.maketrans(DIGITS[0], draw(st.sampled_from(DIGITS))))
    sign = draw(st.sampled_from(MINUS)) if units < 0 else draw(st.sampled_from(["", "+"]))
    spaces = st.sampled_from(["", " ", "\t", "\N{NO-BREAK SPACE}"])
    return Decimal(units).scaleb(-places), f"{draw(spaces)}{sign}{text}{draw(spaces)}"


def is_ambiguous(text):
    """One comma and no point, and exactly three digits after one to three that begin with 1-9."""
    return re.fullmatch(r"\W?(?![0\u0660\uff10])\d{1,3},\d{3}", text.strip()) is not None


def is_point_of_thousands(text):
    """One point that is written for thousands reads as a decimal point, as documented."""
    return re.fullmatch(r"\W?\d{1,3}\.\d{3}", text.strip()) is not None


@given(written_numbers())
def test_what_is_written_in_an_accepted_form_reads_back_as_itself(number_and_text):
    number, text = number_and_text
    read = read_number(text)
    if is_ambiguous(text):
        assert isinstance(read, str) and "which could be" in read
    elif is_point_of_thousands(text):
        assert read in (float(number), float(number / 1000))
    else:
        assert read == float(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_python_writes_reads_back_as_itself(number):
    assert read_number(repr(number)) == number
    assert read_number(f"{number:.0f}") == float(f"{number:.0f}")


@given(st.integers(-MAX_WHOLE, MAX_WHOLE))
def test_whole_numbers_read_back_as_themselves(number):
    assert read_whole_number(str(number)) == number


@given(st.text("0123456789.,-+\N{MINUS SIGN}' \u00a0e%/_½²naif()", max_size=12))
def test_no_digit_and_no_sign_is_dropped(text):
    """What is read has all digits of the text, in order, and its sign."""
    number = read_number(text)
    if isinstance(number, str):
        assert number.startswith("is ") and number.endswith(("expected", "write one of these"))
        return
    significand, _, exponent = text.strip().partition("e")
    digits = "".join(re.findall(r"\d", significand))
    assert digits and re.fullmatch(r"[-+\N{MINUS SIGN}]?\d*", exponent)
    assert (number < 0) == (significand[0] in "-\N{MINUS SIGN}" and number != 0)
    if not exponent:
        assert f"{Decimal(repr(abs(number))):f}".replace(".", "").strip("0") == digits.strip("0")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4", 4), ("-2", -2), ("\N{MINUS SIGN}2", -2), ("+3", 3), ("3.5", 3.5), ("3,5", 3.5),
        ("4.", 4), (".5", 0.5), ("-,5", -0.5), ("0,125", 0.125), ("0.125", 0.125), ("1.000", 1),
        ("1234,567", 1234.567), ("1,000,000", 1e6), ("1.000.000", 1e6), ("1,000.5", 1000.5),
        ("1.000,5", 1000.5), ("1'000", 1000), ("1\u00a0000", 1000), ("1\u202f234,5", 1234.5),
        ("12,345,678.9", 12345678.9), ("1e-3", 0.001), ("1.5E+10", 1.5e10),
        ("1e\N{MINUS SIGN}3", 0.001), ("007", 7), (" 4\n", 4),
    ],
)  # fmt: skip
def test_numbers(text, number):
    assert read_number(text) == number


def test_zero_has_no_sign():
    assert str(read_number("-0")) == "0.0"


@pytest.mark.parametrize(
    "text",
    ["x", "four", "4 5", "1 000", "4/5", "4 out of 5", "- 4", "--4", "\N{EM DASH}4", "4-5", "85%",
     "$4", "4½", "1,00,000", "1,000,00", "1.000.00", "1,2,3", "1.2.3", "10,000.000.000", "1_000",
     "0x10", "1e", "e5", "(4)", "5,", ".", ",", "-", "4²", "1,000e3,5", "\N{SUPERSCRIPT FOUR}"],
)  # fmt: skip
def test_other_texts_are_refused_with_the_reason(text):
    assert read_number(text).endswith("; a number is expected")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty; a number is expected"),
        ("1,000", 'is "1,000", which could be 1000 or 1.000; write one of these'),
        ("-4,333", 'is "-4,333", which could be -4333 or -4.333; write one of these'),
        ("NaN", 'is "NaN"; a finite number is expected'),
        ("-inf", 'is "-inf"; a finite number is expected'),
        ("1e999", 'is "1e999", which is too large; a finite number is expected'),
        ("9" * 5000, "too large; a finite number is expected"),
    ],
)
def test_the_reason_says_what_is_wrong(text, reason):
    assert reason in read_number(text)


@pytest.mark.parametrize("text", ["3.5", "x", "", "9007199254740993000", "1,000", "1e-3"])
def test_what_is_no_whole_number_is_refused(text):
    assert "expected" in read_whole_number(text) or "could be" in read_whole_number(text)


def test_a_long_text_is_refused_in_little_time():
    for text in ("9" * 100_000 + "x", "1,000" * 20_000, "-" * 100_000, " " * 100_000 + "x"):
        assert isinstance(read_number(text), str)
