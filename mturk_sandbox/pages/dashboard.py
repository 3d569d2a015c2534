"""A worker's assignments and earnings."""

from __future__ import annotations

from html import escape

from mturk_sandbox.pages.layout import button, moment, money, page, table
from mturk_sandbox.pages.sign_in import sign_in_page
from mturk_sandbox.web import Engine, WebRequest, WebResponse, route


@route("GET", "/worker/dashboard/?")
def dashboard(engine: Engine, request: WebRequest) -> WebResponse:
    """Accepted and finished assignments, and bonuses."""
    if not request.worker:
        return sign_in_page(engine, request)
    with engine.transaction() as context:
        rows = context.all(
            "SELECT a.*, t.title FROM assignments a JOIN hits h ON h.id = a.hit_id"
            " JOIN hit_types t ON t.id = h.type_id WHERE a.worker_id = ? ORDER BY a.seq DESC"
            " LIMIT 200",
            request.worker,
        )
        bonuses = context.all(
            "SELECT * FROM bonuses WHERE worker_id = ? ORDER BY seq DESC LIMIT 200", request.worker
        )
        earned = {
            kind: -context.number(
                "SELECT SUM(available + held) FROM ledger WHERE worker_id = ? AND kind = ?",
                request.worker,
                kind,
            )
            for kind in ("reward", "bonus")
        }
    accepted = [row for row in rows if row["status"] == "Accepted"]
    others = [row for row in rows if row["status"] != "Accepted"]
    running = table(
        "Accepted",
        ("HIT", "Reward", "Submit by (UTC)", ""),
        (
            (
                f'<a href="/worker/assignments/{row["id"]}/">{escape(row["title"])}</a>',
                money(row["reward"]),
                moment(row["deadline"]),
                button(f"/worker/assignments/{row['id']}/return/", "Return", quiet=True),
            )
            for row in accepted
        ),
        "You have no accepted HIT.",
    )
    finished = table(
        "Finished",
        ("HIT", "State", "Reward", "Submitted (UTC)", "Feedback"),
        (
            (
                escape(row["title"]),
                row["status"],
                money(row["reward"]),
                moment(row["submitted"]) if row["submitted"] else "-",
                escape(row["feedback"] or "-"),
            )
            for row in others
        ),
        "None yet.",
    )
    extra = table(
        "Bonuses",
        ("Amount", "Granted (UTC)", "Reason"),
        ((money(row["amount"]), moment(row["granted"]), escape(row["reason"])) for row in bonuses),
        "None yet.",
    )
    facts = f"""<dl class="facts"><div><dt>Rewards</dt><dd>{money(earned["reward"])}</dd></div>
<div><dt>Bonuses</dt><dd>{money(earned["bonus"])}</dd></div>
<div><dt>Total</dt><dd>{money(sum(earned.values()))}</dd></div></dl>"""
    return page(request, "My work", facts + running + finished + extra)
