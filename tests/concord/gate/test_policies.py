"""Reading policies: each problem is named with its file, rule and key."""

from __future__ import annotations

import pytest

from concord.formats import FormatError
from concord.gate.policy import read_policy

AGREEMENT = 'kind = "agreement"\nfiles = "a.jsonl"\nat_least = 0.5\n'
LABELS = 'human = "h.json"\njudges = "j.json"\njudge = "j"\n'
MEAN = 'kind = "mean"\nfiles = "a.jsonl"\nat_least = 3\nsystem = "s"\n'


def write(tmp_path, text):
    path = tmp_path / "policy.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('kind = "alpha"', "rules.x.kind: choose one of agreement, metric,"),
        ("at_least = 1", "rules.x.kind: choose one of"),
        (f"{AGREEMENT}atleast = 1", "rules.x.atleast: is unknown; choose one of"),
        (f"{AGREEMENT}source = 'kpqa'", "rules.x.source: is unknown"),
        (f"{AGREEMENT}options = {{}}", "rules.x.options: is unknown"),
        (AGREEMENT.replace("0.5", "1.5"), "rules.x.at_least: must be a number from -1 to 1"),
        (AGREEMENT.replace("0.5", "nan"), "rules.x.at_least: must be a number from -1 to 1"),
        (AGREEMENT.replace("0.5", "true"), "rules.x.at_least: must be a number"),
        (AGREEMENT.replace("0.5", '"0.5"'), "rules.x.at_least: must be a number"),
        (AGREEMENT.replace("at_least = 0.5", ""), "rules.x.at_least: is missing"),
        (AGREEMENT.replace('"a.jsonl"', "[]"), "rules.x.files: has 0 files"),
        (AGREEMENT.replace('"a.jsonl"', "3"), "rules.x.files: must be a list"),
        (AGREEMENT.replace('"a.jsonl"', "[3]"), "rules.x.files.0: must be text"),
        (f'{AGREEMENT}level = "even"', "rules.x.level: must be one of nominal"),
        (f'{AGREEMENT}from = "word"', "rules.x.from: must be one of concord"),
        (f"{AGREEMENT}from = 3", "rules.x.from: must be one of concord"),
        (f'{AGREEMENT}references = "5"', "rules.x.references: must be a whole number from 1"),
        (f"{AGREEMENT}criterion = 3", "rules.x.criterion: must be text"),
        (f'{AGREEMENT}systems = "a"', "rules.x.systems: must be a list"),
        (f"{AGREEMENT}draws = 0", "rules.x.draws: must be a whole number from 1"),
        (f'{MEAN}metric = "m"', "rules.x.metric: needs scores"),
        (f'{MEAN}method = "stratified"', "rules.x.method: needs scores"),
        (f'{MEAN}target = "all"', "rules.x.target: must be one of set, new"),
        (
            MEAN.replace("mean", "difference") + 'baseline = "s"',
            "rules.x.baseline: is the system itself",
        ),
        (
            f'kind = "alt-test"\n{LABELS}item_id = "{{x}}"',
            "rules.x.item_id: the pattern '{x}' has neither",
        ),
        (f'kind = "alt-test"\n{LABELS}at_least = 0.4', "rules.x.at_least: is unknown"),
        (f'kind = "drift"\n{LABELS}at_least = 0', "rules.x.base: is missing"),
        (f'kind = "judge"\n{LABELS}at_least = 0.4\ngraded = 1', "rules.x.graded: must be true or"),
        (f'kind = "judge"\n{LABELS}at_least = 0.4\njudge2 = 1', "rules.x.judge2: is unknown"),
    ],
)
def test_a_wrong_rule_is_named(tmp_path, rule, message):
    path = write(tmp_path, f"[rules.x]\n{rule}\n")
    with pytest.raises(FormatError) as raised:
        read_policy(path)
    assert str(raised.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "rules: has no rule"),
        ("rules = 3", "rules: has no rule"),
        ("[rules]\nx = 3", "rules.x: must be a table"),
        ("[rules\n", "is no TOML"),
        (f"[rules.x]\n{AGREEMENT}[rules.x]\n", "is no TOML"),
        (f"[rules.x]\n{AGREEMENT}[rule.y]\n", "rule: is unknown"),
        (f'not_enough_evidence = "pass"\n[rules.x]\n{AGREEMENT}', "not_enough_evidence: must be"),
    ],
)
def test_a_wrong_policy_is_named(tmp_path, text, message):
    path = write(tmp_path, text)
    with pytest.raises(FormatError) as raised:
        read_policy(path)
    assert str(raised.value).startswith(f"{path}: {message}")


def test_all_problems_are_listed(tmp_path):
    path = write(tmp_path, '[rules.x]\nkind = "mean"\nsistem = "a"\n[rules.y]\nkind = "no"\n')
    with pytest.raises(FormatError) as raised:
        read_policy(path)
    assert raised.value.total == 5
    for name in ("x.sistem", "x.files", "x.system", "x.at_least", "y.kind"):
        assert f"rules.{name}" in str(raised.value)


def test_a_missing_policy_is_named(tmp_path):
    with pytest.raises(FormatError, match=r"none\.toml: cannot be read"):
        read_policy(tmp_path / "none.toml")


def test_a_missing_file_is_relative_to_the_policy_and_names_the_rule(tmp_path):
    path = write(tmp_path, f"[rules.x]\n{AGREEMENT}")
    with pytest.raises(ValueError) as raised:
        read_policy(path).check()
    assert str(raised.value) == f"{path}: rules.x: {tmp_path / 'a.jsonl'}: no such file"
