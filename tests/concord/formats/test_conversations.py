"""Conversations in Concord's formats and in recipes, and what judges and metrics get."""

import io
import json

import pytest

from concord.formats import (
    FormatError,
    Limits,
    ReadOptions,
    read_judgments,
    read_pairs,
    write_judgments,
    write_pairs,
)
from concord.formats.inspection import inspect_file
from concord.formats.recipes import parse_recipe
from concord.frames import complete_frame, to_frame
from concord.judges.chat.prompts import ShownPair, Template
from concord.scoring import frame_items

TURNS = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Is it far?"},
    {"role": "assistant", "content": "A mile."},
    {"role": "user", "content": "By <boat>?"},
]
REPLY = {"id": "a", "messages": TURNS, "candidate": "No.", "system": "s", "score": 2}
WHOLE = {"id": "w", "messages": TURNS, "judged": "conversation", "score": 4}


@pytest.fixture
def read(write):
    def read(*rows, limits=None):
        options = ReadOptions(without_references=True)
        return read_judgments([write("c.jsonl", rows)], "concord", options, limits)

    return read


@pytest.fixture
def refused(read):
    def refused(row, **bounds):
        with pytest.raises(FormatError) as caught:
            read(row, limits=Limits(**bounds))
        return str(caught.value)

    return refused


def test_a_conversation_is_in_place_of_question_and_passage(read):
    (candidate,) = read(REPLY).candidates
    instance = candidate.instance
    assert instance.conversation == {"messages": TURNS, "judged": "reply"}
    assert (instance.question, instance.passage, candidate.text) == ("By <boat>?", "", "No.")


def test_a_whole_conversation_needs_no_candidate_besides(read):
    (candidate,) = read(WHOLE).candidates
    assert candidate.instance.conversation == {"messages": TURNS, "judged": "conversation"}
    assert (candidate.instance.question, candidate.text) == ("Is it far?", "A mile.")
    assert read({**WHOLE, "candidate": "A mile."}).candidates == [candidate]


def test_the_instance_is_a_hash_of_the_messages(read):
    rows = [REPLY, {**REPLY, "id": "b"}, {**REPLY, "id": "c", "messages": TURNS[1:]}]
    first, same, other = read(*rows).candidates
    assert first.instance is same.instance
    assert other.instance.key != first.instance.key


def test_what_is_written_reads_back_equal(read, tmp_path):
    file = read(REPLY, WHOLE)
    out = io.StringIO()
    write_judgments(out, file.candidates, file.scale, str)
    assert read(*map(json.loads, out.getvalue().splitlines())).candidates == file.candidates


def test_parquet_reads_back_equal(read, tmp_path):
    from concord.formats.parquet_writer import write_judgments_parquet

    file, path = read(REPLY, WHOLE), tmp_path / "c.parquet"
    write_judgments_parquet(path, file.candidates, file.scale, str)
    options = ReadOptions(without_references=True)
    assert read_judgments([path], "concord", options).candidates == file.candidates


def test_pairs_read_back_equal(write):
    row = {"messages": TURNS, "candidate1": "No.", "candidate2": "Yes.",
           "ratings": [{"worker": "r", "choice": 1}]}  # fmt: skip
    file = read_pairs([write("p.jsonl", [row])], "concord")
    assert file.pairs[0].instance.conversation == {"messages": TURNS, "judged": "reply"}
    out = io.StringIO()
    write_pairs(out, file.pairs)
    path = write("q.jsonl", map(json.loads, out.getvalue().splitlines()))
    assert read_pairs([path], "concord").pairs == file.pairs


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"messages": [TURNS[1], {"role": "bot", "content": "x"}]},
         "messages[1].role: must be one of user, assistant, system"),
        ({"messages": [{"role": "user"}]}, "messages[0].content: is missing"),
        ({"messages": [{**TURNS[0], "name": "x"}]}, 'messages[0]."name": unknown field'),
        ({"messages": ["Hi"]}, "messages[0]: is a string; an object is expected"),
        ({"question": "Far?"}, "question: must be empty: `messages` are in its place"),
        ({"judged": "turn"}, 'judged: must be "reply" or "conversation"'),
        ({"messages": None, "judged": "reply"}, "judged: needs `messages`"),
        ({"messages": TURNS[:2], "judged": "conversation"}, "messages: has no turn of the"),
        ({"judged": "conversation", "candidate": "No."}, "candidate: must be absent or"),
    ],
)  # fmt: skip
def test_an_error_names_the_line_and_the_turn(refused, changes, message):
    assert f"c.jsonl:1: {message}" in refused(REPLY | changes)


def test_turns_are_bounded(refused):
    assert "messages: 4 turns; at most 3 are allowed" in refused(REPLY, max_turns=3)
    message = "messages: 36 characters in all turns; at most 20 are allowed"
    assert message in refused(REPLY, max_field_chars=20)


def test_lines_of_an_instance_have_the_same_messages(read):
    rows = [
        {**REPLY, "instance": "i"},
        {**REPLY, "id": "b", "instance": "i", "messages": TURNS[1:]},
    ]
    with pytest.raises(FormatError, match='messages: instance "i" has another messages in'):
        read(*rows)


def test_a_file_of_conversations_is_recognised(write):
    inspection = inspect_file(write("c.jsonl", [REPLY, WHOLE]))
    assert inspection["recipe"] == "concord"
    assert inspection["columns"]["messages"] == "messages"
    assert inspection["first"][0]["messages"] == TURNS


def test_a_recipe_says_where_the_turns_are(write):
    recipe = parse_recipe({
        "name": "chats",
        "fields": {"id": "n", "system": "model"},
        "scores": {"value": "mark"},
        "messages": {"from": "log.turns", "role": "from", "content": "value",
                     "roles": {"human": "user", "gpt": "assistant"}},
    })  # fmt: skip
    log = {"turns": [{"from": "human", "value": "Far?"}, {"from": "GPT", "value": "No.", "id": 1}]}
    path = write("c.jsonl", [{"n": n, "model": "m", "log": log, "mark": 3} for n in (1, 2)])
    first, second = read_judgments([path], recipe).candidates
    assert first.instance is second.instance
    assert first.instance.conversation == {
        "messages": [{"role": "user", "content": "Far?"}], "judged": "reply"
    }  # fmt: skip
    assert first.text == "No."


def test_a_table_has_turns_as_json(tmp_path):
    recipe = parse_recipe({
        "name": "chats",
        "fields": {"id": "n", "candidate": "reply"},
        "messages": {"from": "turns"},
    })  # fmt: skip
    path = tmp_path / "c.csv"
    path.write_text('n,turns,reply\n1,"[{""role"": ""user"", ""content"": ""Far?""}]",No.\n')
    (candidate,) = read_judgments([path], recipe).candidates
    assert candidate.instance.conversation == {
        "messages": [{"role": "user", "content": "Far?"}], "judged": "reply"
    }  # fmt: skip
    path.write_text("n,turns,reply\n1,Far?,No.\n")
    with pytest.raises(FormatError, match="turns: is a string; a list of objects is expected"):
        read_judgments([path], recipe)


def test_a_recipe_with_turns_has_no_question():
    with pytest.raises(FormatError, match=r"fields\.question: cannot be with \[messages\]"):
        parse_recipe({"name": "x", "fields": {"question": "q"}, "messages": {"from": "m"}})


def test_judges_get_the_turns_and_metrics_the_last_question(read):
    reply, whole = frame_items(complete_frame(to_frame(read(REPLY, WHOLE))))
    assert (reply.question, whole.question) == ("By <boat>?", "Is it far?")
    template = Template.parse("t", "{question}|{passage}|{candidate}")
    turns = (
        '<turn role="system">Be brief.</turn>\n<turn role="user">Is it far?</turn>\n'
        '<turn role="assistant">A mile.</turn>\n<turn role="user">By &lt;boat&gt;?</turn>'
    )
    assert template.render(reply, 1, 5) == f"{turns}||No."
    assert template.render(whole, 1, 5) == f"||{turns}"
    pair = Template.parse("p", "{question}|{first}|{second}")
    shown = ShownPair(reply.question, "", (), "a", "b", reply.conversation)
    assert pair.render(shown, 1, 2) == f"{turns}|a|b"


def test_a_frame_without_instances_hashes_the_turns(read):
    frame = to_frame(read(REPLY, WHOLE))
    assert list(complete_frame(frame.drop(columns="instance"))["instance"]) == list(
        frame["instance"]
    )
