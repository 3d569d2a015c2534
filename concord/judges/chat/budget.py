"""A budget in tokens and money that cannot be exceeded, whatever number of threads spends it."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from concord.judges.chat.asking import BudgetSpentError, Tokens


@dataclass(frozen=True)
class Prices:
    """Money per million tokens, in the owner's currency."""

    prompt: float = 0.0
    completion: float = 0.0

    def cost(self, prompt: int, completion: int) -> float:
        return (prompt * self.prompt + completion * self.completion) / 1e6


class FileBudget:
    """Tokens and money that are spent or reserved; both limits are optional.

    A request reserves the most that it can cost before it is sent. What it did cost replaces the
    reservation; a request whose answer was lost stays charged with its reservation.
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        prices: Prices | None = None,
    ) -> None:
        self.prices = prices or Prices()
        self._max_tokens, self._max_cost = max_tokens, max_cost
        self._lock = threading.Lock()
        self.tokens = 0
        self.cost = 0.0

    def reserve(self, reserved: Tokens) -> None:
        """Raise BudgetSpentError, with nothing reserved, where a limit would be exceeded."""
        cost = self.prices.cost(*reserved)
        with self._lock:
            tokens = self.tokens + sum(reserved)
            if self._max_tokens is not None and tokens > self._max_tokens:
                raise BudgetSpentError(
                    f"the budget of {self._max_tokens:,} tokens is spent: {self.tokens:,} are used"
                )
            if self._max_cost is not None and self.cost + cost > self._max_cost:
                raise BudgetSpentError(
                    f"the budget of {self._max_cost:g} is spent: {self.cost:.4f} is used"
                )
            self.tokens = tokens
            self.cost += cost

    def replace(self, reserved: Tokens, used: Tokens) -> None:
        """Replace a reservation by what was used."""
        with self._lock:
            self.tokens += sum(used) - sum(reserved)
            self.cost += self.prices.cost(*used) - self.prices.cost(*reserved)

    def charge(self, used: Tokens) -> None:
        """Count what an earlier run used."""
        self.replace((0, 0), used)
