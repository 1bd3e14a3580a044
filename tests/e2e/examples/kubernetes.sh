#!/bin/sh
# The Pod is valid; each of these faults makes it invalid. For the policy see scripts/kubernetes.
. "$(dirname "$0")/lib.sh"

check=$here/kubernetes_check.py
/usr/bin/python3 "$check" "$examples/kubernetes/pod.yaml"
[ $? -ne 77 ] || exit 77

valid "$check" "$examples/kubernetes/pod.yaml"
fault pod.yaml 's/mountPath:/mountpath:/' "$check"
fault pod.yaml 's/image: my-app/image: [my-app]/' "$check"
fault pod.yaml 's/readOnly: true/readOnly: "true"/' "$check"
fault pod.yaml '/name: app$/d' "$check"
fault pod.yaml 's/kind: Pod/kind: Pot/' "$check"

# It names what the image has, and where.
for file in libthpfix.so thpfix-entrypoint; do
    grep -q "^COPY .*/$file /thpfix/" "$examples/container/Dockerfile" ||
        fail "the image thpfix has no /thpfix/$file"
done
finish
