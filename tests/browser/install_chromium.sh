#!/bin/sh
# The browser tests drive a real Chromium: one that is there, or Debian's where this user may install.
set -eu
for name in "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome; do
    if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then as_root=""; elif sudo -n true 2>/dev/null; then as_root="sudo"; else as_root="none"; fi
    if [ "$as_root" != none ]; then
        $as_root apt-get update -qq
        # Without the windows of the browser itself it takes half the CPU time.
        for name in chromium-headless-shell chromium; do
            if DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $name >/dev/null; then exit 0; fi
        done
        exit 1
    fi
fi
echo "The browser tests need Chromium: install the package 'chromium', or set CHROMIUM to its path." >&2
exit 1
