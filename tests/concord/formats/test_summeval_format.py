"""SummEval's lines as its authors published them: four criteria, two groups of raters."""

from concord.formats import ReadOptions, read_judgments
from tests.concord.formats.format_examples import SUMMEVAL

(LINE,) = SUMMEVAL
LOW = dict.fromkeys(LINE["expert_annotations"][0], 1)


def summeval(path, **options):
    return read_judgments([path], "summeval", ReadOptions(**options))


def test_all_criteria_are_read_with_the_experts_mean_as_gold(write):
    experts = [{**LOW, "fluency": 5}, {**LOW, "fluency": 4}]
    lines = [{**LINE, "expert_annotations": experts, "text": "An article."}]
    (candidate,) = summeval(write("m.jsonl", lines)).candidates
    assert (candidate.key, candidate.system, candidate.score) == ("dm-1/M0", "M0", None)
    assert candidate.instance.passage == "An article."
    assert candidate.instance.references == tuple(LINE["references"])
    assert {one.name: one.score for one in candidate.criteria} == {**LOW, "fluency": 4.5}
    fluency = candidate.criteria[2]
    assert [(r.worker, r.group, r.value) for r in fluency.ratings] == [
        ("e1", "expert", 5.0),
        ("e2", "expert", 4.0),
        ("c1", "crowd", 4.0),
        ("c2", "crowd", 4.0),
    ]


def test_one_criterion_becomes_the_score(write):
    (candidate,) = summeval(write("m.jsonl", SUMMEVAL), criterion="relevance").candidates
    assert candidate.score == 4.0 and candidate.criteria == ()


def test_summaries_of_one_article_have_the_same_references(write, refusal):
    lines = [LINE, {**LINE, "model_id": "M1", "references": ["Another."]}]
    error = refusal(summeval, write("m.jsonl", lines))
    assert "m.jsonl:2: id: an earlier line of this article has another references" in str(error)
