"""Write the golden files of the metrics' tests with the reference programs only.

    python tests/scorers/make_golden.py

Needs `java` on the path. ptb_tokens.json holds what Stanford's command line prints for a file of
one text; meteor.json what METEOR's command line answers.
"""

import json
import subprocess
import tempfile
from pathlib import Path

from scorers.java.host import meteor_jar, tokeniser_jar

GOLDEN = Path(__file__).parents[1] / "golden"
TEXTS = [
    "He lives in the U.S.",
    "The train left at 5 p.m. and wasn't late.",
    "It cost $3.99 (about 50% off) -- a bargain!",
    '"Why?" she asked; nobody knew...',
    "Add 1 1/2 cups of flour, e.g. rye.",
    "rock 'n' roll & jazz, see http://example.org/a?b=c",
    "Ünïcode façade 日本語 — fine",
    "",
]
PAIRS = [
    ("the mill burned down in 1871", ["in 1871 the mill burned down"]),
    ("a dog was running quickly", ["the dogs ran fast", "a dog runs"]),
    ("she bought a car", ["she purchased an automobile"]),
    ("nothing in common", ["quite another thing"]),
    ("of the in a", ["the of a in"]),
]
TOKENISE = (
    "java -cp stanford-corenlp-3.4.1.jar edu.stanford.nlp.process.PTBTokenizer "
    "-preserveLines -lowerCase FILE"
)
METEOR = "java -Xmx2G -jar meteor-1.5.jar - - -stdio -l en -norm"


def run(command: str, folder: Path, standard_input: str | None = None) -> str:
    done = subprocess.run(
        command.split(),
        cwd=folder,
        input=standard_input,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def ptb_cases() -> list[dict[str, str]]:
    cases = []
    for text in TEXTS:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            line = run(TOKENISE.replace("FILE", file.name), tokeniser_jar().parent)
        cases.append({"text": text, "line": line.rstrip("\n")})
    return cases


def meteor_cases() -> list[dict[str, object]]:
    requests = "".join(f"SCORE ||| {' ||| '.join([*refs, text])}\n" for text, refs in PAIRS)
    lines = run(METEOR, meteor_jar().parent, requests).splitlines()
    answers = run(METEOR, meteor_jar().parent, f"EVAL ||| {' ||| '.join(lines)}\n").splitlines()
    return [
        {"candidate": text, "references": refs, "score": float(score)}
        for (text, refs), score in zip(PAIRS, answers[:-1], strict=True)
    ] + [{"aggregate": float(answers[-1])}]


def write(name: str, command: str, cases: object) -> None:
    content = {"command": command, "made_by": "tests/scorers/make_golden.py", "cases": cases}
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    (GOLDEN / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write("ptb_tokens.json", TOKENISE, ptb_cases())
    write("meteor.json", METEOR, meteor_cases())
