"""Parameters of analyses: defaults, bounds, and the keys under which results are stored."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.analyses.kind import AnalysisRefusedError
from benchmarks.analyses.registry import KINDS
from benchmarks.analyses.services import requests
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import Criterion, JudgmentSet

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
        "cb0f75ea067184359fed53c794ac980d327334870f1ff8da742294b7e39d6156",
        "37a28e0b321d898f54dfffc9f16d4b9ed70921cb2b1f2f52973414934d813da9",
        "ac9f4f15248f29d0283f66a793ba0a55509d0f8bf3c9ccab0ab7717da59daaa7",
    ),
    "judge": (
        {"run": 3, "raters": "crowd", "epsilon": "0.2", "family": "a,b"},
        "a32daf510b61896abf582b6553f9865d4eebd7e92a02b0c0e90d0a727f7e6f21",
        "c518c13058bbd8b75f1d6267af608145889173ebcec2da3f8396a52d4e7d49a4",
        "63531e330bf57223c3dbba891d9908e81bf0619807dd819cbc8ef4f060149a11",
    ),
    "judges": (
        {"raters": "crowd", "epsilon": "0.15", "draws": 20},
        "dddf3aa532af369e82c37af3a6088a483bf285599576112badc6c8de3f53cf35",
        "768db15f91facda570b470019e2013c8e43ec2b611bef3026ae7079c11e8c638",
        "a8ee9f2a405c793e63aab557c3f026e903075829ead75f86d1a14379a999b204",
    ),
    "replay": (
        {"run": 7, "rule": "active", "target": "5"},
        "86546b9cf4fc597e5f181ad1d97d1da08ce345f22558adb92868420e5828318b",
        "1155ff9a926894ec0e3c3d0da4bab05e3a980b68885b5fb993bfab2b27a7f83c",
        "64e1626ed9d0523f70a3c04cd7bb69b38c6cb7ed77c56d6509465f78768d6fcd",
    ),
    "plan": (
        {"run": 7, "target": "ranking", "units": 90, "draws": 3},
        "4c47232a35411303c126345748ce23415241e9338d99dbbec71093c4b74d2a74",
        "e3bddc397a70fbb61f28ef30393aca9aba0962e8ca69eeb52ccf0141ebcb857d",
        "a85b9a73f9fb1fd3512ea6c2c4c15db1268e792040902b9235ac44326b050c53",
    ),
    "sentinels": (
        {"coefficient": "kendall_c", "seed": 2},
        "1c3bdf097ec36a12d7df19c820ec8846fc4beaa40b35b73fa1b4150a5ba3f7eb",
        "56b9e6dfb7b7babe7dabca5bcb5fa4845d4ce58341afdc0160ab0cdf64b2c38d",
        "ca0445108391149f6debd40b6c3e35bf5a0bd46b0ce2410816be25836b1ae07d",
    ),
    "sentinel-judges": (
        {"raters": "experts", "epsilon": "0.2"},
        "5054b8aba1da08e880a5d952e07162448622cb39b64f143cdfa99e158d7ef0aa",
        "b61ff89489b947d592b597e269dbfc31db7cd5837222f2889daa19407383f6eb",
        "348fb987975f08c57919e8045145bbfd83820f4477987a3c788844f3293d2b81",
    ),
    "jury": (
        {"draws": 50, "seed": 4},
        "de2c9ddd91cb442d1b473e94cf6ba6a1c0e04371f6370ecf313c70691ac453e5",
        "62032a6ed3ebc759b2472ca5c73cf1dd5c46a090a39c8fe41d827580ea0f3ff0",
        "2cb42a40772fd7f2a3a22da7023354e92e24906a13a72840949b664f66c74641",
    ),
    "combination": (
        {"coefficient": "spearman", "draws": 200},
        "7d4db597368809215462c97876308d041420758654e7f90f4430dc55cad860dd",
        "10fbe0646b02639f89823a971bf6ea622722a57e3334874c34ce1766bf348934",
        "5f29c9d0b980e99dd777c2c3720aa7ac9830d8fd7dc4d842f572b7c310fb9b34",
    ),
    "estimate": (
        {"run": 7, "target": "new"},
        "5e5241c647269d2f2f95dfba0d91c6eaf96e153d98eee4b50ef217dc997aac39",
        "2e8fb6990f5cbf9bdf9771dbd9001f1c5a7800c4a63638df572a2952809459e2",
        "84859261d90ffa54340721b353f880a2c5b5701e09e3d05f64b394c2b754ccdb",
    ),
    "spans": (
        {"weights": "major=4", "seed": 3},
        "7500d23292e3956ee26f3a2220e69cc5c89c051aa35c0684ce901641b31f51a1",
        "e4583b7186ab533d04792b260f26a671566f79cbc0a15236038224307556bd8e",
        "7500d23292e3956ee26f3a2220e69cc5c89c051aa35c0684ce901641b31f51a1",
    ),
    "criteria": (
        {"draws": 10},
        "1577df1fa6a4a126f51357f25cdd248ecb31dcc9575d687644ff4d286675c750",
        "0a78b086fc0d422f7fba01a5eff5a4acf723ae1f17d831d6636a918c3bab5ecb",
        "1577df1fa6a4a126f51357f25cdd248ecb31dcc9575d687644ff4d286675c750",
    ),
    "choices": (
        {"seed": 5},
        "83e4cd76b86eff9f084de4139c91b090d720501adc7b79ca4a692ea82d0c8af7",
        "d0fc09a28ac183baf4eee7c6a07de89af0cdab4c4a76fad61463e0f18cd441f7",
        "83e4cd76b86eff9f084de4139c91b090d720501adc7b79ca4a692ea82d0c8af7",
    ),
    "correctness": (
        {"gold": 3.5, "rule": "p1", "tune": "dev", "report": "test", "mixed": True},
        "96bd113e2124651a45451a6f65eae7b869e4b4a2ef93c3e4f38ad6864c2b599c",
        "bbf2d07b178c4c6f32830772e1e8c5c1decaf586064ea550a7babdd54b7357fb",
        "a5b07c4d9d4779b707ee49b38fdba5d794ffb278a05a75e1816597f46bb243f2",
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
    with pytest.raises(AnalysisRefusedError, match=message):
        KINDS[name].read(parameters)
