"""The COCO caption scripts as the reference: their scorers on given tokens."""

import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.meteor.meteor import Meteor
from pycocoevalcap.rouge.rouge import Rouge

from scorers import Item
from scorers.java.host import jvm_library, tokeniser_jar

Rows = list[tuple[str, list[str]]]

# Stanford's command line itself, run in one JVM once for each text alone: the text is its whole
# standard input.
_CLI_ALONE = """
import json, sys, jpype
jpype.startJVM(sys.argv[1], "--enable-native-access=ALL-UNNAMED", classpath=[sys.argv[2]])
system = jpype.JClass("java.lang.System")
input_of = jpype.JClass("java.io.ByteArrayInputStream")
output = jpype.JClass("java.io.ByteArrayOutputStream")
stream = jpype.JClass("java.io.PrintStream")
main = jpype.JClass("edu.stanford.nlp.process.PTBTokenizer").main
answers = []
for text in json.load(sys.stdin):
    out = output()
    system.setIn(input_of(text.encode()))
    system.setOut(stream(out))
    system.setErr(stream(output()))
    main(["-preserveLines", "-lowerCase"])
    system.out.flush()
    answers.append(bytes(out.toByteArray()).decode())
json.dump(answers, sys.stdout)
"""


def ptb_lines(texts: Sequence[str]) -> list[str]:
    """The output of Stanford's command line for each text."""
    done = subprocess.run(
        [sys.executable, "-c", _CLI_ALONE, str(jvm_library()), str(tokeniser_jar())],
        input=json.dumps(list(texts)),
        capture_output=True,
        text=True,
        check=True,
    )
    lines: list[str] = json.loads(done.stdout)
    return lines


def tokenised(items: Sequence[Item], tokens: Callable[[str], str]) -> Rows:
    return [(tokens(item.candidate), [tokens(text) for text in item.references]) for item in items]


def remove_punctuation(text: str) -> str:
    """MOCHA's preparation, as its baselines write it."""
    return text.replace("?", "").replace(".", "").replace("!", "")


@cache
def meteor_wrapper() -> Any:
    return Meteor()


def run_scripts(rows: Rows, names: Sequence[str]) -> dict[str, tuple[float, np.ndarray]]:
    """Corpus value and item scores of the COCO scripts, references joint."""
    gts = {i: references for i, (_, references) in enumerate(rows)}
    res = {i: [candidate] for i, (candidate, _) in enumerate(rows)}
    scores_by_metric: dict[str, tuple[float, np.ndarray]] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        if any(name.startswith("bleu") for name in names):
            totals, parts = Bleu(4).compute_score(gts, res)
            scores_by_metric |= {f"bleu-{n + 1}": (totals[n], np.array(parts[n])) for n in range(4)}
        if "rouge-l" in names:
            scores_by_metric["rouge-l"] = Rouge().compute_score(gts, res)
        if "cider" in names:
            # The script cannot run when no reference has a word; nothing is shared with any then.
            wordless = not any(text.split() for _, references in rows for text in references)
            nothing = (0.0, np.zeros(len(rows)))
            scores_by_metric["cider"] = nothing if wordless else Cider().compute_score(gts, res)
        if "meteor" in names:
            total, scores = meteor_wrapper().compute_score(gts, res)
            scores_by_metric["meteor"] = (total, np.array(scores))
    return {name: scores_by_metric[name] for name in names}


def run_scripts_by_reference(rows: Rows, names: Sequence[str]) -> dict[str, np.ndarray]:
    """The highest of the scripts' scores with each reference alone, all rows' k-th at a time."""
    best = {name: np.full(len(rows), -1.0) for name in names}
    for k in range(max(len(references) for _, references in rows)):
        having = [i for i, (_, references) in enumerate(rows) if len(references) > k]
        single = [(rows[i][0], [rows[i][1][k]]) for i in having]
        for name, (_, scores) in run_scripts(single, names).items():
            best[name][having] = np.maximum(best[name][having], scores)
    return best
