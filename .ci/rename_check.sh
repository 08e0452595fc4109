#!/usr/bin/env bash
# Proves rename.sh on a copy: renamed, built, and required by a module outside, whose test
# of a lock passes.
set -euo pipefail
cd "$(dirname "$0")/.."
new=example.com/published/redlocklab
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q . "$work/copy"
git diff HEAD --binary | git -C "$work/copy" apply --allow-empty # what is not committed yet
cd "$work/copy"
.ci/rename.sh "$new"
mkdir "$work/user"
cd "$work/user"
cp "$work/copy/go.sum" .
sed "s#\"redlocklab/#\"$new/#" "$work/copy/scenarios/testdata/outside/textbook/lock_test.go" >lock_test.go
{
  printf 'module example.com/user\n\ngo 1.26.0\n\nrequire %s v0.0.0\n\nreplace %s => %s\n\n' "$new" "$new" "$work/copy"
  sed -n '/^require/,$p' "$work/copy/go.mod"
} >go.mod
GOFLAGS=-mod=mod go test -count=1 -short ./...
