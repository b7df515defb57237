#!/usr/bin/env bash
# Installs what the tests start besides Python: Java and Maven (for Apache Kafka), Chromium (for browser tests),
# Prometheus with promtool, Alertmanager with amtool, and PostgreSQL.
# Does nothing where all is there. Needs root on a system with apt; without root it prints the line to run, and the
# tests concerned are skipped (and fail where CI=true).
set -euo pipefail

packages=()
if [[ -z "${RAGSONDE_TEST_KAFKA:-}" ]]; then
  command -v java >/dev/null || packages+=(default-jdk-headless)
  command -v mvn >/dev/null || packages+=(maven)
fi
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
  || packages+=(chromium)
services=()
command -v prometheus >/dev/null && command -v promtool >/dev/null || services+=(prometheus)
command -v prometheus-alertmanager >/dev/null || command -v alertmanager >/dev/null || services+=(prometheus-alertmanager)
command -v initdb >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null || services+=(postgresql)
packages+=("${services[@]}")

[[ ${#packages[@]} -eq 0 ]] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "Tests that need them are skipped: install ${packages[*]} with this system's package manager."
  exit 0
fi
if [[ $EUID -ne 0 ]]; then
  echo "Tests that need them are skipped; to install what is missing, run: sudo apt-get install -y ${packages[*]}"
  exit 0
fi

# Debian starts the services that it installs, and at every boot; the tests start their own.
policy=/usr/sbin/policy-rc.d
if [[ ${#services[@]} -gt 0 && ! -e $policy ]]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi

install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
}
# The package lists may be missing or out of date; fetching them takes a while, so only when they are.
install 2>/dev/null || { apt-get update -qq && install; }

if [[ ${#services[@]} -gt 0 ]] && command -v systemctl >/dev/null; then
  systemctl disable --quiet "${services[@]}" 2>/dev/null || true
fi
