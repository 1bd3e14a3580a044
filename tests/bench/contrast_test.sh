#!/bin/sh
# Every colour of the pictures can be told from a white background and from a dark one: contrast
# as WCAG defines it, at least 3 for what is drawn.
cd "$(dirname "$0")/../.." || exit 1

colours() { # SVG: those that are drawn, as "R G B"; gnuplot's own black is used for nothing
    grep -oE 'rgb\( *[0-9]+, *[0-9]+, *[0-9]+\)' "$1" | tr -cd '0-9,\n' | tr ',' ' ' | sort -u
}

# Prints those whose contrast is too low.
too_faint() {
    awk 'function linear(c) { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ^ 2.4 }
        function luminance(r, g, b) {
            return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
        }
        {
            own = luminance($1, $2, $3) + 0.05
            white = 1.05
            dark = luminance(13, 17, 23) + 0.05
            if (white / own < 3 || own / dark < 3)
                print
        }'
}

for grey in 40 200; do
    if [ -z "$(echo $grey $grey $grey | too_faint)" ]; then
        echo "FAIL: a grey of $grey passes for visible on both" >&2
        exit 1
    fi
done

status=0
for picture in tests/bench/results/*.svg; do
    count=$(colours "$picture" | wc -l)
    faint=$(colours "$picture" | too_faint)
    if [ "$count" -lt 3 ] || [ -n "$faint" ]; then
        echo "FAIL: $picture: $count colours, too faint: $faint" >&2
        status=1
    fi
done
[ $status -eq 0 ] && echo ok
exit $status
