#!/usr/bin/env bash
# Renames the module and every import of it, so that it can be published:
#
#   .ci/rename.sh github.com/somebody/redlocklab
#
# It changes the checkout that it is run in, and then builds it.
# .ci/rename_check.sh proves it on a copy.
set -euo pipefail
new=${1:?usage: .ci/rename.sh MODULE/PATH}
old=$(go list -m)
case $new in
*[!A-Za-z0-9._~/-]* | /* | */ | *//*) echo "found the module path $new; allowed: host/path as in an import" >&2; exit 2 ;;
esac
[ "$new" != "$old" ] || { echo "the module is $old already" >&2; exit 2; }
quoted=$(printf '%s' "$old" | sed 's/[.[\*^$/]/\\&/g')
go mod edit -module "$new"
# Import paths and package paths stand in quotes, in commands and in documents; folders of
# the checkout and the environment variables REDLOCKLAB_… keep their names.
git ls-files -z -- '*.go' '*.md' '*.sh' '*.yml' '*.yaml' '*.txtar' '*.txt' go.mod |
  xargs -0 grep -lZE "(^|[^A-Za-z0-9._/-])$quoted(/(scenarios|redlock|checker|faults|sim|tla|cmd)|\"| =>| v0)" |
  xargs -0 sed -i -E "s#(^|[^A-Za-z0-9._/-])$quoted(/(scenarios|redlock|checker|faults|sim|tla|cmd)|\"| =>| v0)#\1$new\2#g"
gofmt -w $(git ls-files '*.go')
go build ./...
go vet ./scenarios
echo "renamed $old to $new"
