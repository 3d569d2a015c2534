"""Language models as judges: by any server that speaks the OpenAI chat protocol.

Every answer is stored with its raw text as soon as it arrives, so that a stopped run is resumed
without asking twice. A budget is reserved before each request and cannot be exceeded. Answers
without a valid label are counted and have no score.
"""

from concord.judges.chat.answers import READER_VERSION, ReadLabel, read_verdict
from concord.judges.chat.asking import Asker, BudgetSpentError, ModelChangedError
from concord.judges.chat.batches import BatchServer
from concord.judges.chat.budget import FileBudget, Prices
from concord.judges.chat.client import ChatClient, ChatError, HttpTransport
from concord.judges.chat.prompts import Template, TemplateError
from concord.judges.chat.runs import JudgeRun, Quote

__all__ = [
    "READER_VERSION",
    "Asker",
    "BatchServer",
    "BudgetSpentError",
    "ChatClient",
    "ChatError",
    "FileBudget",
    "HttpTransport",
    "JudgeRun",
    "ModelChangedError",
    "Prices",
    "Quote",
    "ReadLabel",
    "Template",
    "TemplateError",
    "read_verdict",
]
