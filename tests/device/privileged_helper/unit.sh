#!/bin/sh
# systemd for tests of the steward: `start VERB` starts a unit that is no child of who asked, and waits for it; `show VERB`
# says whether it runs. A unit tells its first stage, and ends as $MACHINE/VERB.outcome says, once that is there;
# where $MACHINE/VERB.unstartable is, it does not start.
verb=$2
active=$MACHINE/active/$verb
case $1 in
show) if [ -e "$active" ]; then echo activating; else echo inactive; fi ;;
start)
    [ ! -e "$MACHINE/$verb.unstartable" ] || exit 1
    echo "$verb" >> "$MACHINE/begun"
    : > "$active"
    setsid "$0" run "$verb" > /dev/null 2>&1 &
    while [ -e "$active" ]; do sleep 0.02; done
    [ "$(cat "$MACHINE/$verb.outcome")" = "done" ]
    ;;
run)
    echo running looking > "$MACHINE/stages/$verb"
    until [ -s "$MACHINE/$verb.outcome" ]; do sleep 0.02; done
    cp "$MACHINE/$verb.outcome" "$MACHINE/stages/$verb"
    rm "$active"
    ;;
esac
