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
code=0
timeout --foreground --preserve-status $((end - $(date +%s))) \
    referee serve --config serve.toml || code=$?
# It has ended before, by itself or by somebody: the same run goes on with the next start.
[ "$(date +%s)" -ge "$end" ] || exit $code

# Also when some of its games are void, which it has said, and so does the table: a class
# wants its night, and a run that is not closed would go on the next day. Refused while
# somebody plays it.
league close class.toml
mkdir -p nights
league standings class.toml > "nights/$(date +%F).txt"
league report "nights/$(date +%F)" class.toml
# Not 0 after a fault of the referee, so that cron and its mail can tell.
exit $code
