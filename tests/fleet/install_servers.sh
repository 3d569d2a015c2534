#!/bin/sh
# The fleet tests run RabbitMQ, PostgreSQL and PgBouncer of Debian. What is missing is installed where
# this user is root or may become it; no server is started by the installation. Without them the tests
# are skipped.
set -eu

is_missing() {
    case "$1" in
        rabbitmq-server) ! [ -x /usr/lib/rabbitmq/bin/rabbitmq-server ] ;;
        postgresql) ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 ;;
        pgbouncer) ! [ -x /usr/sbin/pgbouncer ] ;;
        iproute2) ! command -v ip >/dev/null 2>&1 ;;
    esac
}

missing=""
for package in iproute2 rabbitmq-server postgresql pgbouncer; do
    if is_missing "$package"; then missing="$missing $package"; fi
done
[ -n "$missing" ] || exit 0

install() {
    command -v apt-get >/dev/null 2>&1 || return 1
    if [ "$(id -u)" = 0 ]; then as_root=""; elif sudo -n true 2>/dev/null; then as_root="sudo"; else return 1; fi
    policy=/usr/sbin/policy-rc.d
    if ! [ -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null
        $as_root chmod 755 "$policy"
        # shellcheck disable=SC2064
        trap "$as_root rm -f $policy" EXIT
    fi
    $as_root apt-get update -qq 2>/dev/null || return 1
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

if install; then exit 0; fi
echo "The fleet tests are skipped: install the packages$missing." >&2
