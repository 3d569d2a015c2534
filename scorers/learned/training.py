"""Training a learned metric on judgments: its plan, its task for the training loop, its head."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import NDArray

from scorers.batch import Services
from scorers.datasets.judgments import Judgment, Split, is_drawn, read_judgments
from scorers.datasets.questions import read
from scorers.encoders import Device
from scorers.encoders.batching import batches_by_length
from scorers.errors import TrainingError
from scorers.keyphrases.examples import KeyphraseExample, build_examples, split_by_group
from scorers.keyphrases.training import KeyphraseTask
from scorers.learned.card import CardSource, CheckpointCard
from scorers.learned.evaluation import dev_figures
from scorers.learned.examples import (
    Examples,
    References,
    add_features,
    augment_examples,
    check_augmentations,
    check_graded,
    examples_from_judgments,
    soften_gold,
)
from scorers.learned.features import FeatureMetrics
from scorers.learned.model import Form, Head, build_network, network_pass
from scorers.learned.rows import Combine, Loss, Vector, to_scores, to_targets
from scorers.learned.settings import TrainingSettings
from scorers.learned.training_items import training_record
from scorers.learned.trials import (
    CardEntries,
    File,
    TrainingRun,
    check_parts,
    read_files,
    train_checkpoint,
)

if TYPE_CHECKING:
    import torch

    from scorers.learned.networks import ScoringNetwork

_DEV_TOKENS_PER_BATCH = 8192
# The auxiliary task needs dev examples, although its dev figures are not used.
_KEYPHRASE_DEV_SHARE = 0.02


@dataclass(frozen=True, slots=True)
class TrainingFiles:
    """The files of a training, and its dev files; without these a share is drawn."""

    train: Sequence[File]
    dev: Sequence[File] = ()


@dataclass(frozen=True, slots=True)
class TrainingRecipe:
    """How examples are made from judgments, and the initial weights.

    references: which references of a judgment make a row. augment: methods of augmentation. graded:
    the share by which gold scores move to the mean of the features. without: constituents that are
    left out of training and dev (MOCHA's OOD setting). start: a checkpoint whose encoder weights
    are the initial ones. keyphrases: question answering files for the auxiliary task, whose loss is
    multiplied by keyphrase_weight. train_share: the share of the training groups that is used.
    """

    references: References = "all"
    augment: tuple[str, ...] = ()
    graded: float = 0.0
    without: tuple[str, ...] = ()
    split: Split = field(default_factory=Split)
    start: str = ""
    keyphrases: tuple[File, ...] = ()
    keyphrase_weight: float = 0.5
    train_share: float = 1.0

    def __post_init__(self) -> None:
        check_augmentations(self.augment)
        check_graded(self.graded)

    def options(self) -> dict[str, Any]:
        """The entry of a card, without paths."""
        values = asdict(self)
        values.pop("keyphrases")
        values["start"] = Path(self.start).name
        return values


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """A metric to train: its kind, input form, head, loss and recipe.

    combine: how the scores of several references become one. rating: whether scores go from 1 to 5,
    otherwise from 0 to 1. more_options: further entries in the card's options.
    """

    kind: str
    form: Form
    head: Head
    loss: Loss
    combine: Combine
    rating: bool
    recipe: TrainingRecipe = field(default_factory=TrainingRecipe)
    more_options: Mapping[str, Any] = field(default_factory=dict)

    def options(self) -> dict[str, Any]:
        """The card's options, from which head and form are built again."""
        return {
            **self.head.options(),
            **self.form.options(),
            **self.more_options,
            "loss": self.loss,
            "combine": self.combine,
            "recipe": self.recipe.options(),
        }


@dataclass(frozen=True, slots=True)
class Data:
    """Training and dev judgments, and their files."""

    train: list[Judgment]
    dev: list[Judgment]
    sources: tuple[CardSource, ...]


def read_data(
    files: TrainingFiles,
    recipe: TrainingRecipe,
    read: Callable[[Path, str], list[Judgment]] = read_judgments,
) -> Data:
    """Read and split judgment files. Dev files are the dev part; without them it is drawn.

    `read` returns the judgments of a file of a format. Raises FileError for an invalid file,
    TrainingError when a part is empty.
    """
    (judgments, sources), (dev, dev_sources) = (
        read_files(part, read) for part in (files.train, files.dev)
    )
    judgments, dev = (
        [judgment for judgment in part if judgment.constituent not in recipe.without]
        for part in (judgments, dev)
    )
    split = recipe.split
    if files.dev:
        split = Split(0.0, split.test, split.seed)
    else:
        dev = split.part(judgments, "dev")
    train = [
        judgment
        for judgment in split.part(judgments, "train")
        if is_drawn(judgment.group, recipe.train_share, split.seed)
    ]
    check_parts(len(train), len(dev), "judgments")
    return Data(train, dev, (*sources, *dev_sources))


def train_on_judgments(plan: TrainingPlan, data: Data, run: TrainingRun) -> CheckpointCard:
    """Train a metric and write its checkpoint; returns the card.

    A stopped or killed training resumes when called again with the same arguments. Raises
    EncoderError, CheckpointError or TrainingError.
    """
    recipe, head = plan.recipe, plan.head
    if recipe.graded and not head.features:
        raise TrainingError("graded gold scores need features: name some, or set graded to 0")
    train, dev = plan_examples(plan, data, run.device, run.cache)
    keyphrases, keyphrase_sources = read_files(
        recipe.keyphrases, lambda path, format_: build_examples(read(path, format_)[0])
    )

    def build(encoder: Any, settings: TrainingSettings) -> ScoringNetwork:
        return build_network(plan.form, head, encoder, settings.lora_rank, settings.max_tokens)

    def make_task(
        network: ScoringNetwork, tokeniser: Any, settings: TrainingSettings
    ) -> JudgmentTask:
        initialise_head(network, train.features, train.gold, plan.loss)
        auxiliary_task = None
        if keyphrases:
            keyphrase_task = _keyphrase_task(keyphrases, network, tokeniser, settings)
            auxiliary_task = AuxiliaryTask(
                keyphrase_task, len(train), recipe.keyphrase_weight, settings.seed
            )
        return JudgmentTask(
            network,
            plan,
            tokeniser,
            train,
            dev,
            max_tokens=settings.max_tokens,
            auxiliary_task=auxiliary_task,
        )

    entries = CardEntries(
        plan.kind,
        plan.options(),
        (*data.sources, *keyphrase_sources),
        len(train),
        len(dev),
        lambda: {
            "features": FeatureMetrics(head.features).signature(),
            **training_record((*data.train, *data.dev), run.out, recipe.start),
        },
    )
    return train_checkpoint(run, entries, build, make_task, recipe.start)


def plan_examples(
    plan: TrainingPlan, data: Data, device: Device, cache: Path | None = None
) -> tuple[Examples, Examples]:
    """A plan's training and dev examples with their features."""
    train = augment_examples(
        examples_from_judgments(data.train, plan.recipe.references), plan.recipe.augment
    )
    dev = examples_from_judgments(data.dev)
    metrics = FeatureMetrics(plan.head.features)
    if not plan.head.features:
        return train, dev
    services = Services(device)
    try:
        train, dev = (add_features(part, metrics, services, cache) for part in (train, dev))
    finally:
        services.close()
    return soften_gold(train, plan.recipe.graded), dev


def _keyphrase_task(
    examples: Sequence[KeyphraseExample], network: Any, tokeniser: Any, settings: TrainingSettings
) -> KeyphraseTask:
    """The task of the keyphrase head of a network. Raises TrainingError if it has none."""
    head = getattr(network.reader, "keyphrases", None)
    if head is None:
        raise TrainingError("only LERC can be trained with keyphrase files: leave them out")
    train, dev = split_by_group(examples, _KEYPHRASE_DEV_SHARE, settings.seed)
    return KeyphraseTask(
        head, tokeniser, train, dev, uses_question=True, max_tokens=settings.max_tokens
    )


class AuxiliaryTask:
    """Pairs each training example with a keyphrase example, whose loss is added.

    Every epoch draws the pairs again, from the seed and the epoch alone. The loss is multiplied by
    a weight.
    """

    def __init__(self, task: KeyphraseTask, examples: int, weight: float, seed: int) -> None:
        """`examples` is the number of training examples."""
        self._task = task
        self._examples = examples
        self._weight = weight
        self._seed = seed
        self._drawn = np.zeros(examples, dtype=np.int64)
        self.fingerprint = f"{task.fingerprint} {weight!r}"

    def start_epoch(self, epoch: int) -> None:
        """Draw the pairs of an epoch; no example is drawn twice before each is drawn once."""
        # The third number separates these draws from those of the schedule.
        rng = np.random.default_rng([self._seed, epoch, 1])
        examples = len(self._task.lengths)
        rounds = -(-self._examples // examples)
        drawn = np.concatenate([rng.permutation(examples) for _ in range(rounds)])
        self._drawn = drawn[: self._examples]

    def loss(self, indices: Sequence[int]) -> torch.Tensor:
        """The weighted loss of the keyphrase examples paired with some training examples."""
        return self._weight * self._task.loss(self._drawn[list(indices)].tolist())


class JudgmentTask:
    """The task of the training loop (`scorers.learned.loop.LearningTask`) for judgments.

    The loss "mse" is a regression on ratings from 1 to 5 (LERC, Section 3.1). The loss "logistic"
    is the cross-entropy of the log-odds of being correct; gold scores may be graded. Dev figures
    are of items, as the metric scores them.
    """

    def __init__(
        self,
        network: ScoringNetwork,
        plan: TrainingPlan,
        tokeniser: Any,
        train: Examples,
        dev: Examples,
        *,
        max_tokens: int,
        auxiliary_task: AuxiliaryTask | None = None,
    ) -> None:
        self.network = network
        self.plan = plan
        self.device = next(network.parameters()).device
        self.auxiliary_task = auxiliary_task
        self.dev = dev
        self.targets = train.gold
        padding = tokeniser.pad_token_id or 0
        inputs = plan.form.inputs(tokeniser, train.rows, max_tokens)
        dev_inputs = plan.form.inputs(tokeniser, dev.rows, max_tokens)
        self.lengths = [sum(map(len, readings)) for readings in inputs]
        self._dev_lengths = [sum(map(len, readings)) for readings in dev_inputs]
        self._run = network_pass(network, inputs, train.features, self.device, padding)
        self._run_dev = network_pass(network, dev_inputs, dev.features, self.device, padding)
        parts = (train.fingerprint(), dev.fingerprint(), plan.loss, plan.combine, repr(plan.form))
        joined = "\n".join((*parts, auxiliary_task.fingerprint if auxiliary_task else ""))
        self.fingerprint = hashlib.blake2b(joined.encode(), digest_size=16).hexdigest()

    def start_epoch(self, epoch: int) -> None:
        """Draw the epoch's keyphrase examples of the auxiliary task."""
        if self.auxiliary_task:
            self.auxiliary_task.start_epoch(epoch)

    def loss(self, indices: Sequence[int]) -> torch.Tensor:
        loss = self._losses(self._run(indices), self.targets[list(indices)]).mean()
        if self.auxiliary_task:
            loss = loss + self.auxiliary_task.loss(indices)
        return loss

    def evaluate(self) -> Mapping[str, float]:
        """The loss of the dev rows, and the items' correlations and, for binary gold, verdicts."""
        outputs, total = np.empty(len(self.dev)), 0.0
        for batch in batches_by_length(self._dev_lengths, _DEV_TOKENS_PER_BATCH):
            batch_outputs = self._run_dev(batch)
            total += float(self._losses(batch_outputs, self.dev.gold[batch]).sum())
            outputs[batch] = batch_outputs[:, 0].float().cpu().numpy()
        figures = {"loss": total / len(self.dev)}
        scores = to_scores(outputs, self.plan.loss, rating=self.plan.rating)
        return {**figures, **dev_figures(scores, self.dev, self.plan.combine)}

    def _losses(self, outputs: torch.Tensor, gold: NDArray[np.float64]) -> torch.Tensor:
        import torch

        values = outputs[:, 0].float()
        targets = torch.from_numpy(to_targets(gold, self.plan.loss).astype(np.float32)).to(
            self.device
        )
        if self.plan.loss == "mse":
            return (values - targets) ** 2
        return torch.nn.functional.binary_cross_entropy_with_logits(
            values, targets, reduction="none"
        )


# Gives correlated features similar weights instead of large opposite ones.
_RIDGE = 1e-3
_MAX_LOG_ODDS = 6.0


def fit_features(features: Vector, gold: Vector, loss: Loss) -> tuple[Vector, float]:
    """Fit non-negative weights and a bias by the mean loss with a ridge penalty of 1e-3.

    `features` has shape (examples, features), `gold` (examples,) from 0 to 1. Weights are not
    negative because features are similarities, of which more is better.
    """
    targets = to_targets(gold, loss)
    count = features.shape[1]

    def cost(values: Vector) -> tuple[float, Vector]:
        weights, bias = values[:count], values[count]
        outputs = features @ weights + bias
        if loss == "mse":
            errors = outputs - targets
            value, slope = float((errors**2).mean()), 2 * errors
        else:
            value = float((np.logaddexp(0, outputs) - targets * outputs).mean())
            slope = 0.5 * (1 + np.tanh(outputs / 2)) - targets
        gradient = np.append(features.T @ slope / len(slope), slope.mean())
        gradient[:count] += 2 * _RIDGE * weights
        return value + _RIDGE * float(weights @ weights), gradient

    bounds = [(0.0, None)] * count + [(None, None)]
    start = np.append(np.zeros(count), _constant_output(gold, loss))
    result = scipy.optimize.minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return result.x[:count], float(result.x[count])


def initialise_head(network: ScoringNetwork, features: Vector, gold: Vector, loss: Loss) -> None:
    """Set the initial weights of a head.

    With features these are the weights that fit best. Without features the bias is the best
    constant, or the head maps the reader's own `initial_weights` linearly to the ends of the scale.
    """
    import torch

    if features.shape[1]:
        weights, bias = fit_features(features, gold, loss)
        network.set_feature_weights(
            torch.from_numpy(weights)[None].float(), torch.tensor([bias], dtype=torch.float32)
        )
        return
    initial_weights = getattr(network.reader, "initial_weights", None)
    if initial_weights is None:
        network.set_feature_weights(torch.empty(0), torch.tensor([_constant_output(gold, loss)]))
        return
    scale, low = (4.0, 1.0) if loss == "mse" else (2 * _MAX_LOG_ODDS, -_MAX_LOG_ODDS)
    with torch.no_grad():
        network.out.weight.copy_(scale * initial_weights()[None])
        network.bias.fill_(low)


def _constant_output(gold: Vector, loss: Loss) -> float:
    """The constant output that fits the gold scores best."""
    mean = float(gold.mean())
    if loss == "mse":
        return 1 + 4 * mean
    mean = float(np.clip(mean, 0.01, 0.99))
    return float(np.log(mean / (1 - mean)))
