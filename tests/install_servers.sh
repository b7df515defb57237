#!/usr/bin/env bash
# Installs what the tests start besides Python: Java and Maven (for Apache Kafka) and Chromium (for browser tests).
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

[[ ${#packages[@]} -eq 0 ]] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "Tests that need them are skipped: install ${packages[*]} with this system's package manager."
  exit 0
fi
if [[ $EUID -ne 0 ]]; then
  echo "Tests that need them are skipped; to install what is missing, run: sudo apt-get install -y ${packages[*]}"
  exit 0
fi

install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
}
# The package lists may be missing or out of date; fetching them takes a while, so only when they are.
install 2>/dev/null || { apt-get update -qq && install; }
