"""A small good file of every recipe, written for the tests."""

from __future__ import annotations

from typing import Any

QAGS = [
    {
        "article": "The cat sat on the mat.",
        "summary_sentences": [
            {
                "sentence": "A cat sat.",
                "responses": [
                    {"worker_id": 0, "response": "yes"},
                    {"worker_id": 7, "response": "no"},
                ],
            },
            {"sentence": "It slept.", "responses": [{"worker_id": 0, "response": "no"}]},
        ],
    }
]
JUDGE_BENCH = {
    "dataset": "Teapots",
    "dataset_url": "https://example.org",
    "annotations": [
        {"metric": "warmth", "category": "graded", "worst": 1, "best": 5, "prompt": "How warm?"},
        {"metric": "spout", "category": "categorical", "labels_list": ["yes", "no"]},
        {"metric": "colour", "category": "categorical", "labels_list": ["red", "blue"]},
    ],
    "instances": [
        {
            "id": 1,
            "instance": "A teapot.",
            "annotations": {
                "warmth": {"mean_human": 3.5, "individual_human_scores": [3, 4]},
                "spout": {"individual_human_scores": ["yes", "no"]},
                "colour": {"individual_human_scores": ["red", "blue"]},
            },
        },
        {
            "id": 2,
            "instance": {"question": "Tea?", "answer": "Yes."},
            "annotations": {"warmth": {"individual_human_scores": [None, 5]}},
        },
    ],
}
FRANK = [
    {"hash": "a1", "model_name": name, "dataset": "made", "Factuality": score,
     "Semantic_Frame_Errors": 1.0, "Discourse_Errors": 1.0, "Content_Verifiability_Errors": 0.5,
     "RelE": 1.0, "EntE": 1.0, "CircE": 1.0, "OutE": 1.0, "GramE": 1.0, "CorefE": 1.0,
     "LinkE": 1.0, "Other": 1.0, "Flip_RelE": 0.1, "split": "test"}
    for name, score in (("one", 0.5), ("two", 1.0))
]  # fmt: skip
FRANK_METRICS = [
    {"hash": "a1", "model_name": name, "dataset": "made", "split": "test"}
    | dict.fromkeys(("Rouge 1", "Rouge 2", "Rouge L", "Bleu", "Meteor"), score)
    | {f"BertScore {part}": score for part in ("P", "R", "F1", "P Art", "R Art", "F1 Art")}
    | {"FactCC": score, "FEQA": score, "Dep Entail": None, "QAGS": score}
    for name, score in (("one", 0.25), ("two", 0.5))
]
MQM_TSV = (
    "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    'one\td1\t1\t1\tr1\tSay "hi".\tSag <v>"hallo</v>.\tFluency/Style\tMinor\n'
    'one\td1\t1\t1\tr1\tSay <v>"hi"</v>.\tSag "hallo.\tAccuracy/Omission\tMajor\n'
    'one\td1\t1\t1\tr2\tSay "hi".\tSag "hallo.\tNo-error\tNo-error\n'
    'two\td1\t1\t1\tr1\tSay "hi".\tHallo.\tNo-error\tNo-error\n'
)
CONVERSATIONS = {
    f"conversation_{side}": [
        {"role": "user", "content": "Hello?"},
        {"role": "assistant", "content": f"Hello from {side}."},
        {"role": "user", "content": "Bye?"},
        {"role": "assistant", "content": f"Bye from {side}."},
    ]
    for side in "ab"
}
MT_BENCH = [
    {"question_id": 81, "model_a": "one", "model_b": "two", "winner": winner, "judge": judge,
     **CONVERSATIONS, "turn": turn}
    for winner, judge, turn in (("model_a", "e1", 1), ("tie", "e2", 1), ("model_b", "e1", 2))
]  # fmt: skip
CHATBOT_ARENA = [
    {"question_id": f"q{number}", "model_a": "one", "model_b": "two", "winner": winner,
     "judge": "arena_user_1", **CONVERSATIONS, "turn": 2, "anony": True, "language": "English",
     "tstamp": 1.5, "toxic": False}
    for number, winner in enumerate(("model_a", "tie (bothbad)"))
]  # fmt: skip
ALPACA_EVAL = [
    {"instruction": "Name a colour.", "dataset": "made", "output_1": "Red.", "generator_1": "one",
     "output_2": "Blue, a colour.", "generator_2": "two", "annotator": "judge", "preference": score}
    for score in (1.9,)
]  # fmt: skip
JUDGEBENCH = [
    {"pair_id": "p1", "source": "sums", "question": "1 + 1?", "response_model": "m",
     "response_A": "2", "response_B": "3", "label": "A>B", "judgments": [{"decision": "A=B"}]}
]  # fmt: skip
MTURK = (
    "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.question,Input.answer,Input.model,"
    "Answer.fluency,Answer.true,Answer.comment,Approve,Reject\n"
    "H1,A1,W1,Approved,Why?,So.,one,4,yes,,,\n"
    "H1,A2,W2,Submitted,Why?,So.,one,5,no,fine,,\n"
    "H2,A3,W1,Approved,Who?,Me.,two,2,yes,,,\n"
    "H2,A4,W3,Rejected,Who?,Me.,two,1,no,,,\n"
)
HANNA = (
    "Story ID,Prompt,Human,Story,Model,Relevance,Coherence,Empathy,Surprise,Engagement,Complexity,"
    "Worker ID,Assignment ID,Work time in seconds,Name\n"
    '0,A fox.,The fox ran.,"A fox, red.",one,4,3,2,1,5,4,w1,a1,30,n1\n'
    '0,A fox.,The fox ran.,"A fox, red.",one,5,3,2,1,5,4,w2,a2,31,n2\n'
)
DICES = (
    "id,rater_id,rater_gender,item_id,context,response,degree_of_harm,Q_overall,"
    "Q2_harmful_content_overall,Q3_bias_overall,Q4_misinformation,Q5_political_affiliation,"
    "Q6_policy_guidelines_overall\n"
    "1,7,Man,3,User: hi,Hello.,Benign,No,No,No,No,No,No\n"
    "2,8,Woman,3,User: hi,Hello.,Benign,Unsure,No,Unsure,No,No,No\n"
)
QUALTRICS = (
    "StartDate,EndDate,Status,ResponseId,Q1_1,Q1_2,Q2,Q_RecaptchaScore\n"
    'Start Date,End Date,Response Type,Response ID,"Rate - Tea, warm",Rate - Milk,Why?,Score\n'
    '"{""ImportId"":""startDate""}","{""ImportId"":""endDate""}","{""ImportId"":""status""}",'
    '"{""ImportId"":""_recordId""}","{""ImportId"":""QID1_1""}","{""ImportId"":""QID1_2""}",'
    '"{""ImportId"":""QID2_TEXT""}",{}\n'
    "2026-01-01,2026-01-01,IP Address,R_1,Strongly agree,2,Because.,0.9\n"
    "2026-01-02,2026-01-02,IP Address,R_2,4,,,0.8\n"
    "2026-01-02,2026-01-02,Survey Preview,R_3,1,1,,0.7\n"
)
GOOGLE_FORMS = (
    "Timestamp,Email Address,How warm is the tea?,How warm is the milk?,Why?\n"
    "2026/01/01 10:00:00,a@example.org,4,2,Because.\n"
    "2026/01/01 11:00:00,b@example.org,5,,\n"
)
PEARMUT = [
    {"annotation": [{"one": {"score": score, "error_spans": [], "textfield": None},
                     "two": {"score": 92, "error_spans": [
                         {"start_i": 1, "end_i": 2, "severity": "minor", "category": None}]}}
                    for score in (85, 60)],
     "actions": [], "user_id": user, "item_i": 0,
     "item": [{"src": f"{text}?", "tgt": {"one": f"{text}!", "two": f"{text}."}}
              for text in ("Tea", "Milk")]}
    for user in ("ann", "bob")
]  # fmt: skip
RATINGS_LONG = (
    "question,answer,model,annotator_id,criterion,rating,minutes\n"
    "Why?,So.,one,r1,fluency,4,1.5\n"
    "Why?,So.,one,r2,fluency,5,2\n"
    "Why?,So.,one,r1,truth,yes,1\n"
    "Who?,Me.,two,r1,fluency,,1\n"
)
RATINGS_WIDE = (
    "Question;Response;System;Rater_1;Rater_2;Rater_2_truth\n"
    "Why?;So.;one;4,5;3;1\n"
    "Who?;Me.;two;2;;0\n"
)
CRITERIA_WIDE = (
    "question,answer,model,score_fluency,score_truth\nWhy?,So.,one,4,1\nWho?,Me.,two,,0\n"
)

ARGILLA = [
    {
        "id": "r1",
        "fields": {"prompt": "Why?", "response": "So."},
        "metadata": {"model": "one"},
        "suggestions": {"quality": {"value": "3", "score": None, "agent": "judge"}},
        "responses": {
            "quality": [{"value": 4, "user_id": "u1"}, {"value": 5, "user_id": "u2"}],
            "tone": [{"value": "warm", "user_id": "u1"}],
        },
        "vectors": {},
        "status": "completed",
        "_server_id": "s1",
    }
]
DOCCANO = [
    {"id": 1, "text": "So.", "question": "Why?", "label": ["4"], "Comments": []},
    {"id": 2, "text": "Me.", "question": "Who?", "label": [], "Comments": []},
]
PRODIGY = [
    {"text": "So.", "question": "Why?", "_input_hash": 7, "_task_hash": task, "accept": accept,
     "options": [{"id": 1, "text": "bad"}, {"id": 2, "text": "good"}], "answer": answer,
     "_session_id": f"set-{who}", "_annotator_id": f"set-{who}", "_view_id": "choice"}
    for task, accept, answer, who in ((8, [2], "accept", "ann"), (9, [1], "ignore", "bob"))
]  # fmt: skip
LABEL_STUDIO_MIN = [
    {"id": 5, "question": "Why?", "answer": "So.", "fluency": [{"rating": value}],
     "truth": [{"number": 0.5}], "tone": "warm", "annotator": who, "annotation_id": value,
     "created_at": "2026-01-01", "updated_at": "2026-01-01", "lead_time": 3.5}
    for who, value in (("a@example.org", 4), ("b@example.org", 5))
]  # fmt: skip
LANGFUSE = {
    "data": [
        {"id": f"s{number}", "traceId": "t1", "observationId": None, "name": name, "source": source,
         "dataType": kind, "value": value, "stringValue": text, "authorUserId": author}
        for number, (name, source, kind, value, text, author) in enumerate(
            (
                ("truth", "ANNOTATION", "NUMERIC", 0.5, None, "u1"),
                ("truth", "EVAL", "NUMERIC", 1, None, None),
                ("tone", "ANNOTATION", "CATEGORICAL", 0, "warm", "u1"),
            )
        )
    ],
    "meta": {"page": 1, "totalItems": 3},
}  # fmt: skip
LANGSMITH = [
    {"id": f"f{number}", "run_id": "run1", "key": "truth", "score": score, "value": None,
     "comment": "", "correction": None, "feedback_source": {"type": kind, "user_id": user}}
    for number, (score, kind, user) in enumerate(((1, "app", "u1"), (0, "model", None)))
]  # fmt: skip
LANGSMITH_EXPERIMENT = (
    "inputs.question,outputs.output,error,reference.answer,feedback.correct,feedback.short,"
    "execution_time,example_id,id\n"
    "Why?,So.,,Because.,True,0.5,1.5,e1,r1\n"
    "Who?,Me.,,You.,False,,1.5,e2,r2\n"
)
PHOENIX = {
    "data": [
        {"id": f"a{number}", "span_id": "67f6", "name": "correct", "annotator_kind": kind,
         "result": {"label": label, "score": score, "explanation": None}, "metadata": {},
         "identifier": "", "user_id": user, "source": "APP"}
        for number, (kind, label, score, user) in enumerate(
            (("HUMAN", "yes", 1, "u1"), ("LLM", "no", 0, None))
        )
    ],
    "next_cursor": None,
}  # fmt: skip
MLFLOW = [
    {
        "info": {
            "trace_id": "tr-1",
            "request_preview": "Why?",
            "response_preview": "So.",
            "assessments": [
                {"assessment_id": "a1", "assessment_name": "correct", "trace_id": "tr-1",
                 "source": {"source_type": kind, "source_id": who}, "feedback": {"value": value}}
                for kind, who, value in (("HUMAN", "ann", True), ("LLM_JUDGE", "judge", "no"))
            ] + [{"assessment_name": "expected", "expectation": {"value": "So."},
                  "source": {"source_type": "HUMAN", "source_id": "ann"}}],
        },
        "data": {"spans": []},
    }
]  # fmt: skip
INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "made", "model": "lab/one"},
    "plan": {"name": "plan"},
    "samples": [
        {
            "id": 1,
            "epoch": 1,
            "input": "Why?",
            "target": ["So.", "Because."],
            "output": {"model": "one", "completion": "So."},
            "scores": {
                "match": {
                    "value": "C",
                    "answer": "So.",
                    "history": [
                        {"value": "I"},
                        {"value": "C", "provenance": {"author": "ann", "reason": "right"}},
                    ],
                },
                "grader": {"value": 0.5},
            },
        }
    ],
}
PROLIFIC = {
    "results": [
        {"id": f"r{number}", "batch_id": "b1", "participant_id": who, "task_id": "t1",
         "response": {"instruction_id": "i1", "type": "multiple_choice",
                      "answer": [{"index": "0", "value": value}]}}
        for number, (who, value) in enumerate((("p1", "4"), ("p2", "5")))
    ],
    "meta": {"count": 2},
}  # fmt: skip
MTURK_CROWD = (
    "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.text,Answer.taskAnswers\n"
    'H1,A1,W1,Approved,So.,"[{""fluency"":{""1"":false,""2"":true},""truth"":""3"",""note"":""""}]"\n'
    'H1,A2,W2,Approved,So.,"[{""tone"":{""label"":""warm""},""truth"":4}]"\n'
    'H1,A3,W3,Rejected,So.,"[{""truth"":1}]"\n'
)
QUALTRICS_NAMES = (
    "StartDate,EndDate,Status,Finished,RecordedDate,ResponseId,warm_tea,warm_milk,why,warm_tea_DO\n"
    "Start Date,End Date,Response Type,Finished,Recorded Date,Response ID,Tea?,Milk?,Why?,Order\n"
    '{},{},{},{},{},{},"{""ImportId"":""QID1""}",{},{},{}\n'
    "2026-01-01,2026-01-01,IP Address,True,2026-01-01,R_1,Agree,2,Because.,1\n"
    "2026-01-02,2026-01-02,Survey Test,True,2026-01-02,R_2,1,1,,2\n"
)
POTATO_TABLE = (
    "user\tinstance_id\tdisplayed_text\ttone:::warm\ttone:::cold\ttruth:::scale_4\tparts:::x\n"
    "ann\tc1\tSo.\ttrue\t\t4\t[]\n"
    "bob\tc1\tSo.\ttrue\ttrue\t\t[]\n"
)
POTATO_EXPORT = (
    "instance_id,user_id,tone.warm,truth.4,truth.5,note.text_box\n"
    "c1,ann,true,4,,Fine.\nc1,bob,,,true,\n"
)
LABEL_STUDIO_TASKS = [
    {
        "id": 5,
        "data": {"question": "Why?", "answer": "So.", "model": "one"},
        "annotations": [
            {"id": who, "completed_by": who, "was_cancelled": who == 3, "result": [
                {"from_name": "tone", "to_name": "answer", "type": "choices",
                 "value": {"choices": tones}},
                {"from_name": "truth", "to_name": "answer", "type": "rating",
                 "value": {"rating": who}},
                {"from_name": "note", "to_name": "answer", "type": "textarea",
                 "value": {"text": ["Hm."]}},
            ]}
            for who, tones in ((1, ["warm"]), (2, ["warm", "dry"]), (3, ["dry"]))
        ],
        "predictions": [],
    }
]  # fmt: skip
ARGILLA_TABLE = [
    {"id": "r1", "status": "completed", "_server_id": "s1", "prompt": "Why?", "response": "So.",
     "quality.responses": [4, 5], "quality.responses.users": ["u1", "u2"],
     "quality.responses.status": ["submitted", "draft"], "quality.suggestion": 3,
     "quality.suggestion.score": None, "quality.suggestion.agent": "judge"},
]  # fmt: skip
ARGILLA_1 = [
    {"prompt": "Why?", "response": "So.", "external_id": "e1", "metadata": "{}",
     "quality": [{"user_id": who, "value": value, "status": status}
                 for who, value, status in (("u1", 4, "submitted"), ("u2", None, "discarded"))],
     "quality-suggestion": 3, "quality-suggestion-metadata": {"agent": None}}
]  # fmt: skip
PHOENIX_EXPERIMENT = [
    {"example_id": "e1", "repetition_number": 1, "input": {"q": "Why?"}, "output": "So.",
     "reference_output": {"a": "So."}, "error": None,
     "annotations": [{"name": "correct", "annotator_kind": "LLM", "label": "yes", "score": 1.0}]}
]  # fmt: skip
MLFLOW_EVALUATE = [
    {"inputs": "Why?", "ground_truth": "So.", "outputs": "So it is.", "toxicity/v1/score": 0.1,
     "right/v1/score": score, "right/v1/justification": "So."}
    for score in (4, None)
]  # fmt: skip
INSPECT_SAMPLES = (
    "sample_id,eval_id,id,epoch,input,target,score_match,score_grader,model\n"
    "a,e,1,1,Why?,So.,C,0.5,lab/one\nb,e,2,1,Who?,Me.,I,0.25,lab/one\n"
)
APPRAISE_JSON = [
    {"annotator": who, "source_text": "Hi.", "target_id": "one", "target_text": "Hallo.",
     "score": score, "item_id": 7, "item_type": kind,
     "target_language": "deu", "document_id": "d1", "is_complete_document": False,
     "task_type": "Document", "mqm_annotations":
     '[{"start_i": 0, "end_i": 4, "severity": "major", "error_type": ["accuracy"]}]'}
    for who, score, kind in (("deu1", 80, "TGT"), ("deu2", 90, "TGT"), ("deu1", 10, "BAD"))
]  # fmt: skip
ARENA = [
    {"id": f"v{number}", "model_a": "one", "model_b": "two", "winner": winner,
     "evaluation_session_id": "s1", "language": "en",
     **{f"conversation_{side}": [
         {"role": "user", "content": [{"type": "text", "text": "Hello?"}]},
         {"role": "assistant", "content": [{"type": "text", "text": f"Hello from {side}."}]}]
        for side in "ab"}}
    for number, winner in enumerate(("model_a", "both_bad"))
]  # fmt: skip
REWARDBENCH = [
    {"prompt": "1 + 1?", "chosen": "2", "chosen_model": "one", "rejected": "3",
     "rejected_model": "two", "subset": "sums", "id": 7}
]  # fmt: skip
HELPSTEER = [
    {"prompt": "Why?", "response": text, "helpfulness": 3, "correctness": 4, "coherence": 4,
     "complexity": 1, "verbosity": 0}
    for text in ("So.", "Because.")
]  # fmt: skip
APPRAISE = (
    "deu1,one,7,TGT,eng,deu,80,doc-1,False,1.0,2.0\n"
    "deu1,one,8,BAD,eng,deu,10,doc-1,False,1.0,2.0\n"
    "deu2,one,7,TGT,eng,deu,90,doc-1,False,1.0,2.0\n"
    "deu1,one,7,TGT,eng,deu,85,doc-1,True,1.0,2.0\n"
)
WMT_DA = (
    "lp,src,mt,ref,score,raw,annotators,domain,year\n"
    "en-de,Good day.,Guten Tag.,Hallo.,0.5,80.5,2,news,2021\n"
)

NESTED_RATINGS = {
    "a": {"r1": {"warm": 4, "dry": 2}, "r2": {"warm": 5}},
    "b": {"r1": {"warm": 1, "dry": 3}},
}
PAIRS_NUMBERED = (
    "participant,system_a0,output_a0,system_b0,output_b0,choice0,output_a1,output_b1,choice1\n"
    "p1,one,tea,two,milk,first,ale,gin,tie\n"
    "p2,two,milk,one,tea,second,gin,ale,a\n"
)
FULL_RANKING = [
    {"prompt": "Cook.", "worker": worker, "mapping": {"X": "one", "Y": "two", "Z": "three"},
     "rank_1": ranked[0], "rank_2": ranked[1], "rank_3": ranked[2]}
    for worker, ranked in (("w1", "XYZ"), ("w2", "ZXY"))
]  # fmt: skip
GRADED_PAIRS = [
    {"query": "q", "worker": f"w{grade}", "model1": {"name": "one"}, "model2": {"name": "two"},
     "overall": grade, "style": 0}
    for grade in (2, -1)
]  # fmt: skip
RAGCHECKER = [
    {"dataset": "made", "query_id": "7", "query": "Why?", "gt_answer": "So.",
     "model1": {"model_name": "one", "response": "So."},
     "model2": {"model_name": "two", "response": "No."}, "overall_label": grade}
    for grade in (-2, 0)
]  # fmt: skip
TTCW = [
    {"story_id": "tea_time_one", "expert_idx": expert, "ttcw_idx": 1, "binary_verdict": verdict}
    for expert, verdict in ((1, "Yes"), (2, "No"))
]
TOFUEVAL = (
    "doc_id,annotation_id,topic,model_name,sent_idx,summ_sent,sent_label,exp,type\n"
    "d1,1,Tea,one,1,Tea is hot.,yes,,\nd1,1,Tea,one,2,Tea is ice.,no,It is not.,Made up\n"
)
QUINTD = [
    {"annotator_id": who, "dataset": "made", "model": "one", "setup": "direct", "split": "test",
     "table_idx": 3, "annotations": errors}
    for who, errors in (("p1", [{"type": 0, "start": 4, "text": "tea"}]), ("p2", []))
]  # fmt: skip
MTURK_PAIRS = (
    "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.text1,Input.system1,Input.text2,"
    "Input.system2,Answer.best,Answer.feedback\n"
    "H1,A1,W1,Approved,Tea.,one,Milk.,two,A,\nH1,A2,W2,Submitted,Tea.,one,Milk.,two,B,fine\n"
    "H1,A3,W3,Rejected,Tea.,one,Milk.,two,B,\nH1,A4,W4,Approved,Tea.,one,Milk.,two,5,\n"
)

RECIPE_FILES: dict[tuple[str, str], tuple[str, Any]] = {
    ("judgments", "qags"): ("q.jsonl", QAGS),
    ("judgments", "judge-bench"): ("jb.json", JUDGE_BENCH),
    ("judgments", "frank"): ("f.json", FRANK),
    ("judgments", "frank-metrics"): ("m.json", FRANK_METRICS),
    ("judgments", "mqm-tsv"): ("mt.csv", MQM_TSV),
    ("judgments", "mturk"): ("mturk.csv", MTURK),
    ("judgments", "hanna"): ("hanna.csv", HANNA),
    ("judgments", "dices"): ("dices.csv", DICES),
    ("judgments", "qualtrics"): ("qualtrics.csv", QUALTRICS),
    ("judgments", "google-forms"): ("forms.csv", GOOGLE_FORMS),
    ("judgments", "pearmut"): ("pearmut.jsonl", PEARMUT),
    ("judgments", "ratings-long"): ("long.csv", RATINGS_LONG),
    ("judgments", "ratings-wide"): ("wide.csv", RATINGS_WIDE),
    ("judgments", "criteria-wide"): ("criteria.csv", CRITERIA_WIDE),
    ("judgments", "argilla"): ("a.json", ARGILLA),
    ("judgments", "doccano"): ("ann.jsonl", DOCCANO),
    ("judgments", "prodigy"): ("p.jsonl", PRODIGY),
    ("judgments", "label-studio-min"): ("min.json", LABEL_STUDIO_MIN),
    ("judgments", "langfuse"): ("scores.json", LANGFUSE),
    ("judgments", "langsmith"): ("feedback.json", LANGSMITH),
    ("judgments", "langsmith-experiment"): ("experiment.csv", LANGSMITH_EXPERIMENT),
    ("judgments", "phoenix"): ("annotations.json", PHOENIX),
    ("judgments", "mlflow"): ("traces.jsonl", MLFLOW),
    ("judgments", "inspect-ai"): ("log.json", INSPECT),
    ("judgments", "prolific"): ("responses.json", PROLIFIC),
    ("judgments", "appraise"): ("scores.csv", APPRAISE),
    ("judgments", "wmt-da"): ("da.csv", WMT_DA),
    ("judgments", "appraise-json"): ("scores.jsonl", APPRAISE_JSON),
    ("judgments", "helpsteer"): ("train.jsonl", HELPSTEER),
    ("judgments", "argilla-1"): ("argilla1.jsonl", ARGILLA_1),
    ("judgments", "argilla-table"): ("argilla.jsonl", ARGILLA_TABLE),
    ("judgments", "inspect-samples"): ("samples.csv", INSPECT_SAMPLES),
    ("judgments", "label-studio-tasks"): ("tasks.json", LABEL_STUDIO_TASKS),
    ("judgments", "mlflow-evaluate"): ("eval.json", MLFLOW_EVALUATE),
    ("judgments", "mturk-crowd"): ("crowd.csv", MTURK_CROWD),
    ("judgments", "phoenix-experiment"): ("runs.json", PHOENIX_EXPERIMENT),
    ("judgments", "potato-export"): ("annotations.csv", POTATO_EXPORT),
    ("judgments", "potato-table"): ("annotated_instances.csv", POTATO_TABLE),
    ("pairs", "ranks-places"): ("ranks.csv", "question,rater,rank_1,rank_2\nq,k,one,two\n"),
    ("pairs", "ranks-systems"): ("ranks.csv", "question,rater,rank_one,rank_two\nq,k,1,2\n"),
    ("judgments", "qualtrics-names"): ("survey.csv", QUALTRICS_NAMES),
    ("judgments", "nested-ratings"): ("nested.json", NESTED_RATINGS),
    ("judgments", "graded-preferences"): ("graded.json", GRADED_PAIRS),
    ("judgments", "ragchecker"): ("human.json", RAGCHECKER),
    ("judgments", "ttcw"): ("verdicts.json", TTCW),
    ("judgments", "tofueval"): ("tofu.csv", TOFUEVAL),
    ("judgments", "quintd"): ("human.jsonl", QUINTD),
    ("pairs", "ragchecker"): ("human.json", RAGCHECKER),
    ("pairs", "pairs-numbered"): ("numbered.csv", PAIRS_NUMBERED),
    ("pairs", "full-ranking"): ("ranking.json", FULL_RANKING),
    ("pairs", "mturk"): ("batch.csv", MTURK_PAIRS),
    ("pairs", "mt-bench"): ("votes.json", MT_BENCH),
    ("pairs", "chatbot-arena"): ("arena.json", CHATBOT_ARENA),
    ("pairs", "alpaca-eval"): ("annotations.json", ALPACA_EVAL),
    ("pairs", "judgebench"): ("judgebench.jsonl", JUDGEBENCH),
    ("pairs", "arena"): ("votes.jsonl", ARENA),
    ("pairs", "rewardbench"): ("filtered.jsonl", REWARDBENCH),
}
