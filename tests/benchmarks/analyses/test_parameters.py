"""Parameters of analyses: defaults, bounds, and the keys under which results are stored."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.analyses.registry import KINDS
from benchmarks.analyses.services import requests
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import Criterion, JudgmentSet
from core.refusals import RefusedError

RUNS = [MetricRun(pk=3, signature="a|v1"), MetricRun(pk=7, signature="b|v2")]
# By kind: parameters, and the fingerprints with the defaults, with these parameters, and with the
# defaults on the criterion "fluency". An analysis with another fingerprint is computed again.
STORED: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "agreement": (
        {"coefficient": "kendall_b", "by": "system", "group": "a", "draws": 50},
        "04e11d75013f82d2696b51a5fd542d97309d2833d6e202abe40b3b4304cda636",
        "ce6053cd687227d69374a74036e8a6d68a8cfdfa1c61f7fdf2faec82973f89c2",
        "8dfadd6a4b1e677a515af9d40409e602a25bc8bb64c0de9a62e5315febd711d6",
    ),
    "systems": (
        {"resample": "both", "soft_draws": 20},
        "bfb6c108ee5bdda227634267db0d926d9fcc5e1b3e86553d9e3badcf0d3bc396",
        "8fcef929034f1f6004a139cffeed5c73595c2eed8b9248429a14d1d87be9ca57",
        "dd04b013de455d2282199fd2edddb6e434241aaa992c258bfe8f515ce197dedf",
    ),
    "learning": (
        {"coefficient": "spearman", "by": "split", "group": "test"},
        "49cb430446d3f83e97ac36efa6f7bf2a2fc1c26b24792a937cfeba900412ab9b",
        "21c736e284f52b84e53d561467630dc224140d086c16225ed1334669d380d44c",
        "f146362c36cd15af60c5fde07146d9b2b344efe018083ca0c178698548a73c91",
    ),
    "plane": (
        {"stems": "none", "wordiness": "inf", "guideline": "fluency", "flooded": "yes"},
        "a522b3d72b4078123c95fd5bcc4de82780eaec19267cc2fec7b6d358c7968cb8",
        "bf372a532e4257f5f1d661ef459ec01bb8b8689aa9a70cd2a1f331d32c7fdf78",
        "49b25683796653e5b1843396dbe32fe86987783a7ec3770deaef42abc60d7e1c",
    ),
    "judge": (
        {"run": 3, "raters": "crowd", "epsilon": "0.2", "family": "a,b"},
        "4dcbeb001e7cdffcf3ceae481bc2e8cfef04c3c025d59f92edb8b7ac17390187",
        "a049ed1e607a07eac48d85308f22851b6557f369b88c379fce8e7fa906c6e266",
        "5619a6f1860ca5ea5124000e6194c2906e0456b26f909b2fc82151b62181717b",
    ),
    "judges": (
        {"raters": "crowd", "epsilon": "0.15", "draws": 20},
        "35dd61c6f65b586fbf7624468c44b9f10b8c190ab03397410680634cf986bf45",
        "039507fc3071b10db4a68bad57a94d2995e9e6b0c9ff41357980f1b828777954",
        "632afece77082549eb48c802a3fe48cee52e53db6ff64f0b69b0772cd82df3c3",
    ),
    "replay": (
        {"run": 7, "rule": "stratified", "target": "5"},
        "86546b9cf4fc597e5f181ad1d97d1da08ce345f22558adb92868420e5828318b",
        "e9d48595efb272e959e96f149bf29a43f87ce474d6a736fbb09b6f4089a2cbf1",
        "64e1626ed9d0523f70a3c04cd7bb69b38c6cb7ed77c56d6509465f78768d6fcd",
    ),
    "plan": (
        {"run": 7, "target": "ranking", "units": 90, "draws": 3},
        "024a2d72433c6668376adbddf080e1439e8f4c146b18b22f77bc4c81e68b5da5",
        "5ca19235ab807d1ed0fa6a59ac417c24c2c94a88a257da98b4c97aae6163fbac",
        "8e50ff5ebaa69ee8bb7690d06c39d3103e7f144bf2cb2263f2a696470fa6f024",
    ),
    "sentinels": (
        {"coefficient": "kendall_c", "seed": 2},
        "a59a7d26caa48ce976124d791da80f25698001f3c168db7af32d92514b8ecb3e",
        "7b65b57663229829c78b20412ede413a7267cf1c5d347f6e81b1a4c49b1ecdfa",
        "e4be87fe0671d474a0a168ca19b70fc69bf6047cf8b96ce419d5c1bbd9e5c051",
    ),
    "sentinel-judges": (
        {"raters": "experts", "epsilon": "0.2"},
        "68c48571cbfe3c7a5960fb87e488558e497fba81ab6fdf4d259cc1c70d5ef4fe",
        "0ef0e7fdaf38642b3784f7c1c441090bd8ffb315e740a881b010376e90df534c",
        "be7cd4bc92e35c33a37931c0db8edb7236ddc915bb005b3c5a80973d2b4f58e0",
    ),
    "jury": (
        {"draws": 50, "seed": 4},
        "eec2c328fd6ca48df297eb2444ae7e7444b0d9f61718439003bd53de75a40bb8",
        "a6cd291b94c8f66511079f3e3cf109756dd17070954fb9fc2fc580cb6f656523",
        "cfc0b37a7ad9310c56604c79801b5ba0213cd2a01771e64318de4582208e52ff",
    ),
    "combination": (
        {"coefficient": "spearman", "draws": 200},
        "dd76f14f853a43cbce51c9f38dd5a5c7c371b924a4c701b5df720666bc685582",
        "44d49744f772aea15d56a59298953ade5a8fd5de9bd34a43547ee2344d9ae44d",
        "0f0db63d584a9449c432e4b0a62e2297c74b07f746ab88e1341b425a62a350ad",
    ),
    "estimate": (
        {"run": 7, "target": "new"},
        "709790bb9080de83fdf6ed3c30a6f6a7d10200e16981d3953c45a9ea5b448877",
        "740052b17f089b2e7d0dbda690bc7942d4a502e6f541ad1f1ffd59f2287b3569",
        "9d888d992f1fc8cd0b9af414b985ad72fa3c2d0fad116cb7f4334c4d7d94141f",
    ),
    "spans": (
        {"weights": "major=4", "seed": 3},
        "22b16209f2f2b3e51aa7a480a175b5ce81ca9eb14461526e765e49e5f0577216",
        "ebf6cb9cfb2d0d4c5f1e5d31354fdc5de240e9463807efe4658b820b45e10a61",
        "22b16209f2f2b3e51aa7a480a175b5ce81ca9eb14461526e765e49e5f0577216",
    ),
    "criteria": (
        {"draws": 10},
        "a3252e5de97b3ba3efa2327d373a9a84a2c0ea521cac8e1cf6f197c5136deed7",
        "e24f9999f76f5ef79911e999e2b3c4766cf94a43ce56f7419e454e94db775523",
        "a3252e5de97b3ba3efa2327d373a9a84a2c0ea521cac8e1cf6f197c5136deed7",
    ),
    "choices": (
        {"seed": 5},
        "ab2dbe650f28fd2f4853517ddcadc47a93a778b19be92260e13951c8bdec3ebb",
        "8056c8d489a4360d441e96eb8f9f1c1c4d4dc0fa2187596e050b3557612e8d05",
        "ab2dbe650f28fd2f4853517ddcadc47a93a778b19be92260e13951c8bdec3ebb",
    ),
}


def fingerprint(name: str, parameters: dict[str, Any], criterion: str = "") -> str:
    kind, judgment_set = KINDS[name], JudgmentSet(name="s")
    if criterion:
        judgment_set.criterion = Criterion(name=criterion)
    complete = requests.complete_parameters(kind, judgment_set, parameters)
    return requests.fingerprint(kind, RUNS, complete)


@pytest.mark.usefixtures("usual_draws")
@pytest.mark.parametrize("name", STORED)
def test_stored_analyses_are_found_again(name: str) -> None:
    parameters, *expected = STORED[name]
    made = [fingerprint(name, {}), fingerprint(name, parameters), fingerprint(name, {}, "fluency")]
    assert made == expected


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("judge", {"epsilon": "0.3"}, "epsilon: '0.3' is not one of 0.1, 0.15, 0.2"),
        ("judges", {"epsilon": 0.1}, "epsilon: '0.1' is not one of"),
        ("agreement", {"by": "colour"}, "by: 'colour' is not one of , constituent"),
        ("systems", {"soft_draws": -1}, "soft_draws: -1 is not from 0 to 100,000,000"),
        ("plan", {"units": 2.5}, "units: 2.5 is not from 0 to 100,000"),
        ("spans", {"weights": "small=1"}, "small"),
        ("criteria", {"coefficient": "pearson"}, "criteria has no parameter coefficient"),
    ],
)
def test_a_value_out_of_bounds_is_refused(name: str, parameters: Any, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        KINDS[name].read(parameters)
