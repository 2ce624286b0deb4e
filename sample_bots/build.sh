#!/bin/sh
# Builds the sample bots whose language needs it, and says which were left out and why.
#
#     sample_bots/build.sh [LANGUAGE...]
#
# The first line of a bot's Makefile names the programs that it needs: `# needs: go`.
# With EUCHRE_ALL_BOTS set, one that is left out is a failure too.

cd "$(dirname "$0")" || exit
failed=0
for language in "$@"; do
    test -f "$language/Makefile" || { echo "$language: there is nothing to build" >&2; exit 2; }
done
for file in */Makefile; do
    language=${file%/Makefile}
    case " ${*:-$language} " in *" $language "*) ;; *) continue ;; esac
    missing=
    for program in $(sed -n '1s/^# needs: //p' "$file"); do
        command -v "$program" >/dev/null || missing="$missing $program"
    done
    if test -n "$missing"; then
        echo "$language: left out, since this is not here:$missing"
        test -z "$EUCHRE_ALL_BOTS" || failed=1
    elif echo "building $language ..." && make --no-print-directory -C "$language"; then
        echo "$language: built"
    else
        echo "$language: did not build" >&2
        failed=1
    fi
done
exit $failed
