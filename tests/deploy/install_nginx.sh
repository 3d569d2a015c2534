#!/bin/sh
# The proxy tests run a real nginx: one that is there, or Debian's, unpacked into the folder $1. The
# package is not installed, since that would start a web server on this machine. Without an nginx the
# tests are skipped.
set -eu
folder="$1"
for name in "${NGINX:-}" nginx /usr/sbin/nginx "$folder/usr/sbin/nginx"; do
    if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then as_root=""; elif sudo -n true 2>/dev/null; then as_root="sudo"; else as_root="none"; fi
    [ "$as_root" = none ] || $as_root apt-get update -qq || true
    mkdir -p "$folder"
    if (cd "$folder" && apt-get -o APT::Sandbox::User=root download -qq nginx \
            && dpkg -x nginx_*.deb . && rm nginx_*.deb) \
        && "$folder/usr/sbin/nginx" -v 2>/dev/null; then exit 0; fi
fi
echo "The proxy tests are skipped: install the package 'nginx', or set NGINX to its path." >&2
