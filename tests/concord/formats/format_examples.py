"""A small good file of every format, and one way to read them all."""

from pathlib import Path

from concord.formats import ReadOptions, read_judgments, read_pairs
from tests.concord.formats.recipe_examples import RECIPE_FILES

CONCORD = {"id": "a", "references": ["blue"], "candidate": "blue sky", "score": 4}
KPQA = "question,answer,reference1,scores\nwhy?,so,therefore,3\n"
MOCHA = {
    "drop": {
        "1": {
            "context": "Ten cats.",
            "question": "How many?",
            "reference": "ten",
            "candidate": "nine",
            "score": 2,
            "metadata": {"scores": [2], "source": "naqanet"},
        }
    }
}
MOCHA_PAIR = {
    "drop": {
        "1": {
            "context": "Ten cats.",
            "question": "How many?",
            "reference": "ten",
            "candidate1": "ten of them",
            "candidate2": "nine",
            "score1": 5,
            "score2": 1,
        }
    }
}
EVOUNA = [
    {
        "question": "who",
        "golden_answer": "me",
        "answer_fid": "me",
        "judge_fid": True,
        "improper": False,
    }
]
EXPERT = {"coherence": 4, "consistency": 4, "fluency": 4, "relevance": 4}
THUMB = [
    {"SYS": name, "seg_id": "s", "hyp": "text", "expert_annotations": [EXPERT]}
    for name in ("Human-H", "T5")
]
SUMMEVAL = [
    {
        "id": "dm-1",
        "model_id": "M0",
        "decoded": "A cat sat.",
        "references": ["The cat sat down.", "A cat was sitting."],
        "filepath": "cnndm/1.story",
        "expert_annotations": [EXPERT],
        "turker_annotations": [EXPERT, EXPERT],
    }
]
REVIEW = {"worker_id": "1", "overall-rating": 10}
SQUALITY = [
    {
        "passage-id": "1",
        "questions": {
            "0": {
                "bart": {"response": "a", "reviews": [REVIEW]},
                "human": {"response": "b", "reviews": [REVIEW]},
            }
        },
    }
]
PAIR = {
    "references": ["r"],
    "candidate1": "a",
    "score1": 2,
    "candidate2": "b",
    "score2": 1,
}
SPANS = (
    'rater1,sysA,7,TGT,eng,deu,80,news-1#2,doc,"[{""start_i"": 0, ""end_i"": 2, '
    '""severity"": ""minor"", ""error_type"": null}]",1.0,2.0\n'
)
LABEL_STUDIO = [
    {
        "id": 5,
        "data": {"question": "Why?", "references": "so", "candidate": "so it is", "system": "a"},
        "annotations": [
            {
                "completed_by": 3,
                "result": [
                    {
                        "from_name": "fluency",
                        "to_name": "candidate",
                        "type": "rating",
                        "value": {"rating": 4},
                    }
                ],
            }
        ],
    }
]
POTATO = {
    "user_id": "r1",
    "instance_id_to_label_to_value": {"a": [[{"schema": "fluency", "name": "4"}, "4"]]},
}
POTATO_TEXTS = Path(__file__).parent / "potato_items.jsonl"
TABLE = [{"Query": "why", "Gold answer": ["so"], "Model output": "so", "Rating": 3, "x": {"y": 1}}]
LFQA = [
    {
        "q_id": "q1",
        "question_text": "Why is the sky blue?",
        "answer1": "Air scatters blue light.",
        "answer2": "The sea is blue.",
        "answer1_label": "HMH[3]",
        "BetterAnswer": "Answer A",
        "DifficultToChoose": "No.",
        "annotator": 7,
    }
]
LLMBAR = [{"input": "Say hello.", "output_1": "Hello.", "output_2": "Bye.", "label": 1}]
VOTES = [
    {"q": "Why?", "system_1": "one", "answer_1": "So.", "system_2": "two", "answer_2": "No.",
     "preference": choice, "rater": rater}
    for choice, rater in (("answer_1", "r1"), ("equal", "r2"))
]  # fmt: skip
FILES = {
    ("judgments", "concord"): ("c.jsonl", [CONCORD]),
    ("judgments", "kpqa"): ("k.csv", KPQA),
    ("judgments", "kpqa-semeval"): (
        "k.csv",
        "question,answer,reference1,reference2\nwhy,so,as,0.4\n",
    ),
    ("judgments", "mocha"): ("dev.json", MOCHA),
    ("judgments", "evouna"): ("e.json", EVOUNA),
    ("judgments", "thumb"): ("t.jsonl", THUMB),
    ("judgments", "summeval"): ("m.jsonl", SUMMEVAL),
    ("judgments", "squality"): ("s.jsonl", SQUALITY),
    ("judgments", "esa"): ("esa.csv", SPANS),
    ("judgments", "mqm"): ("mqm.csv", SPANS.replace("null", '[""Style""]')),
    ("judgments", "label-studio"): ("tasks.json", LABEL_STUDIO),
    ("judgments", "potato"): ("user_state.json", POTATO),
    ("judgments", "table"): ("t.json", TABLE),
    ("pairs", "concord"): ("p.jsonl", [PAIR]),
    ("pairs", "mocha"): ("pairs.json", MOCHA_PAIR),
    ("pairs", "lfqa"): ("l.json", LFQA),
    ("pairs", "table"): ("votes.jsonl", VOTES),
    ("pairs", "llmbar"): ("b.json", LLMBAR),
    **RECIPE_FILES,
}
OPTIONS = {
    "potato": ReadOptions(texts=str(POTATO_TEXTS)),
    "summeval": ReadOptions(criterion="fluency"),
    "thumb": ReadOptions(criterion="fluency"),
    "squality": ReadOptions(criterion="overall"),
}


def read(kind, format, *paths, options=None, limits=None):
    reader = read_pairs if kind == "pairs" else read_judgments
    return reader(paths, format, options or OPTIONS.get(format), limits)
