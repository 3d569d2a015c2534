"""A causal language model in a local folder, asked as a server of the chat protocol is."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.judges.chat.client import ChatAnswer, ChatError, most_tokens
from concord.judges.chat.prompts import Template
from concord.judges.chat.schemas import scale_labels

if TYPE_CHECKING:
    import torch

HASHED_FILES = ("*.safetensors", "*.bin", "*.json", "*.jinja", "*.model", "*.txt")


class LocalClient:
    """A model by transformers, behind the interface of `ChatClient`.

    folder: with the weights, the configuration and the tokeniser; nothing is downloaded. labels:
    all answers that are allowed, such as "1" to "5". The answer is then the most probable label,
    with the exact log-probability of each, and no text is generated. Without labels, at most
    `max_completion` tokens are generated, each the most probable one. device: "cpu" or "cuda". A
    prompt goes through the tokeniser's chat template if it has one. Raises ValueError for a folder
    without such a model, and for a temperature above 0, which labels do not need.
    """

    host = "local"
    schema: dict[str, Any] | None = None

    def __init__(
        self,
        folder: Path,
        *,
        labels: Sequence[str] | None = None,
        max_completion: int = 16,
        temperature: float = 0.0,
        device: str = "cpu",
    ) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        if temperature > 0:
            raise ValueError("a local model answers with its most probable tokens: temperature 0")
        try:
            self._tokeniser: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
        except (OSError, ValueError) as error:
            raise ValueError(f"{folder} has no causal language model: {error}") from error
        self._model: Any = model.to(device).eval()  # type: ignore[arg-type]
        self._device = device
        self._labels = None if labels is None else tuple(labels)
        self.model = f"{folder.name}@{_hash_of(folder)}"
        self.max_completion, self.temperature = max_completion, temperature
        self.logprobs = labels is not None
        self._lock = threading.Lock()

    @classmethod
    def for_template(
        cls,
        folder: Path,
        template: Template,
        scale: tuple[int, int],
        *,
        max_completion: int,
        temperature: float = 0.0,
        device: str = "cpu",
    ) -> LocalClient:
        """The client for a template's answers: the labels of the scale, or text where the template
        asks for reasons or marks. Raises ValueError as the constructor, and for too many labels."""
        writes_text = template.is_reasoned or template.marks_errors
        return cls(
            folder,
            labels=None if writes_text else [str(label) for label in scale_labels(*scale)],
            max_completion=max_completion,
            temperature=temperature,
            device=device,
        )

    def close(self) -> None:
        """Nothing is open."""

    def reservation(self, prompt: str) -> tuple[int, int]:
        """As of `ChatClient`: an upper bound, which needs no tokeniser."""
        return most_tokens(prompt, self.max_completion)

    def ask(self, prompt: str) -> ChatAnswer:
        """The model's answer to one prompt. Raises ChatError for one that is too long."""
        started = time.perf_counter()
        tokens = self._tokens(prompt)
        longest = getattr(self._model.config, "max_position_embeddings", None)
        if longest is not None and tokens.shape[1] + self.max_completion > longest:
            raise ChatError(
                f"a prompt has {tokens.shape[1]:,} tokens; {self.model} reads {longest:,}",
                was_sent=False,
                is_final=True,
            )
        with self._lock:
            if self._labels is None:
                text, used, logprobs = *self._generate(tokens), None
            else:
                scores = self._label_logprobs(tokens, self._labels)
                text = max(scores, key=scores.__getitem__)
                used, logprobs = 1, [{text: scores[text]} | scores]
        seconds = time.perf_counter() - started
        return ChatAnswer(text, logprobs, self.model, (tokens.shape[1], used), seconds)

    def _tokens(self, prompt: str) -> torch.Tensor:
        """The prompt's tokens, (1, n), up to where the answer begins."""
        if self._tokeniser.chat_template:
            messages = [{"role": "user", "content": prompt}]
            prompt = self._tokeniser.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True
            )
            # The template has the special tokens.
            encoded = self._tokeniser(prompt, add_special_tokens=False, return_tensors="pt")
        else:
            encoded = self._tokeniser(f"{prompt}\n", return_tensors="pt")
        return encoded["input_ids"].to(self._device)  # type: ignore[no-any-return]

    def _generate(self, tokens: torch.Tensor) -> tuple[str, int]:
        """The most probable text, and its number of tokens."""
        import torch

        with torch.no_grad():
            output = self._model.generate(
                tokens,
                attention_mask=torch.ones_like(tokens),
                max_new_tokens=self.max_completion,
                do_sample=False,
                pad_token_id=self._tokeniser.eos_token_id,
            )
        answer = output[0, tokens.shape[1] :]
        return self._tokeniser.decode(answer, skip_special_tokens=True), len(answer)

    def _label_logprobs(self, tokens: torch.Tensor, labels: Sequence[str]) -> dict[str, float]:
        """The log-probability that the model answers each label and then ends.

        The sum over the label's tokens, and the end of the text where the tokeniser has one: else a
        label that begins another one, as 1 begins 10, would have the other's probability, too.
        """
        import torch

        end = [] if self._tokeniser.eos_token_id is None else [self._tokeniser.eos_token_id]
        scores = {}
        with torch.no_grad():
            prompt = self._model(tokens, use_cache=True)
            cache = prompt.past_key_values
            for label in labels:
                answer = self._tokeniser(label, add_special_tokens=False)["input_ids"] + end
                logits = prompt.logits[0, -1:]
                if len(answer) > 1:
                    begun = torch.tensor([answer[:-1]], device=self._device)
                    rest = self._model(begun, past_key_values=cache, use_cache=True)
                    logits = torch.cat([logits, rest.logits[0]])
                    cache.crop(1 - len(answer))  # forget this label
                logprobs = torch.log_softmax(logits.double(), dim=-1)
                scores[label] = float(logprobs[torch.arange(len(answer)), answer].sum())
        return scores


def _hash_of(folder: Path) -> str:
    """The first 16 digits of the SHA-256 of the model's files."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in HASHED_FILES for path in folder.glob(pattern)}):
        digest.update(f"{path.name}\0".encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]
