"""Old names of settings still work, with a warning."""

from __future__ import annotations

import warnings

import pytest

from config.renamed_settings import RENAMED, apply_new_names
from config.settings_reference import readings

OLD, NEW = "UPLOADS_AT_ONCE", "MAX_CONCURRENT_UPLOADS"


@pytest.mark.parametrize("suffix", ["", "_FILE"])
def test_the_old_name_of_a_setting_is_accepted_with_a_warning(suffix: str) -> None:
    environment = {f"{OLD}{suffix}": "2"}
    with pytest.warns(FutureWarning, match=f"{OLD}{suffix} is now called {NEW}{suffix}"):
        apply_new_names(environment)
    assert environment[f"{NEW}{suffix}"] == "2"


@pytest.mark.parametrize("suffix", ["", "_FILE"])
def test_the_new_name_wins(suffix: str) -> None:
    environment = {OLD: "2", f"{NEW}{suffix}": "3"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        apply_new_names(environment)
    assert environment == {OLD: "2", f"{NEW}{suffix}": "3"}


def test_only_new_names_are_read() -> None:
    names = {variable.name for variable in readings()}
    assert set(RENAMED.values()) <= names
    assert not set(RENAMED) & names
