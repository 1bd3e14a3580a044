#!/bin/sh
# artefact_outcome.sh LIBRARY READELF: the artefact test, with its outcome as a line.
behaviour=$(dirname "$0")/../behaviour
status=0
"$behaviour/artefact" "$1" "$behaviour/artefact.expected" "$2" || status=$?
case $status in
0) echo "PASS artefact" ;;
77) echo "SKIP artefact: $2 is missing" ;;
*) echo "FAIL artefact: not what is written in artefact.expected"; exit 1 ;;
esac
