#!/bin/sh
# One night of a class: serves its league until an hour, then closes the run and keeps its
# table and pages. The next night begins with the same bots. See docs/leagues.md.
#
#   night.sh 15:50
#
# Lies beside class.toml and serve.toml; `referee` and `league` must be on the PATH.
set -eu
cd "$(dirname "$0")"
end=$(date -d "$1" +%s)
[ "$end" -gt "$(date +%s)" ] || end=$(date -d "tomorrow $1" +%s)

# In the foreground the signal goes to the referee alone, once: a second one would not let it drain.
timeout --foreground --preserve-status $((end - $(date +%s))) referee serve --config serve.toml
# Somebody has stopped it before: the same run goes on with the next start.
[ "$(date +%s)" -ge "$end" ] || exit 0

league close class.toml
mkdir -p nights
league standings class.toml > "nights/$(date +%F).txt"
league report "nights/$(date +%F)" class.toml
