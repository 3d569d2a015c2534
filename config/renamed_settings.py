"""Old names of environment variables: accepted, with a warning."""

from __future__ import annotations

import warnings
from collections.abc import MutableMapping

# Old name to new name.
RENAMED = {
    "HIDDEN_LABELS_LEAST": "MIN_HIDDEN_LABELS",
    "IDENTITY_DAYS": "IDENTITY_RETENTION_DAYS",
    "MODELS_KEPT_SECONDS": "MODEL_IDLE_SECONDS",
    "OUTGOING_SECONDS": "OUTGOING_TIMEOUT_SECONDS",
    "TRAINING_KEEP_SECONDS": "TRAINING_SNAPSHOT_SECONDS",
    "UPLOADS_AT_ONCE": "MAX_CONCURRENT_UPLOADS",
    "WEBHOOK_SECONDS": "WEBHOOK_TIMEOUT_SECONDS",
}


def apply_new_names(environment: MutableMapping[str, str]) -> None:
    """Set each renamed variable from its old name, unless the new name is set too.

    The same holds for the variables with `_FILE`. Warns of each old name that is used.
    """
    for old, new in RENAMED.items():
        is_new_set = new in environment or f"{new}_FILE" in environment
        for suffix in ("", "_FILE"):
            if f"{old}{suffix}" not in environment or is_new_set:
                continue
            environment[f"{new}{suffix}"] = environment[f"{old}{suffix}"]
            # Python shows a FutureWarning to users; a DeprecationWarning it hides.
            warnings.warn(
                f"The setting {old}{suffix} is now called {new}{suffix}. Rename it: the old name "
                "will stop working in a later release.",
                FutureWarning,
                stacklevel=2,
            )
