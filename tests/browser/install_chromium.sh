#!/bin/sh
# The browser tests drive a real Chromium: one that is there, or Debian's where this user may install.
# The package without windows of its own takes half the CPU time, so it is tried first.
set -eu

is_there() {
    for name in "$@"; do
        if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then return 0; fi
    done
    return 1
}

install() {
    command -v apt-get >/dev/null 2>&1 || return 1
    if [ "$(id -u)" = 0 ]; then as_root=""; elif sudo -n true 2>/dev/null; then as_root="sudo"; else return 1; fi
    $as_root apt-get update -qq 2>/dev/null || return 1
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "$1" >/dev/null
}

if is_there "${CHROMIUM:-}" chromium-headless-shell; then exit 0; fi
if install chromium-headless-shell 2>/dev/null; then exit 0; fi
if is_there chromium chromium-browser google-chrome; then exit 0; fi
if install chromium; then exit 0; fi
echo "The browser tests need Chromium: install the package 'chromium-headless-shell' or 'chromium', or set CHROMIUM to its path." >&2
exit 1
