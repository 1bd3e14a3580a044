#!/bin/sh
# The Kubernetes examples are valid; each of these faults makes them invalid.
. "$(dirname "$0")/lib.sh"

check=$here/kubernetes_check.py
/usr/bin/python3 "$check" "$examples"/kubernetes/*.yaml
[ $? -ne 77 ] || exit 77

valid "$check" "$examples/kubernetes/pod.yaml" "$examples/kubernetes/policy.yaml"
fault pod.yaml 's/mountPath:/mountpath:/' "$check"
fault pod.yaml 's/image: my-app/image: [my-app]/' "$check"
fault pod.yaml 's/readOnly: true/readOnly: "true"/' "$check"
fault pod.yaml '/name: app$/d' "$check"
fault policy.yaml 's/failurePolicy/failPolicy/' "$check"
fault policy.yaml '/reinvocationPolicy/d' "$check"
fault policy.yaml 's/Object.spec.initContainers.volumeMounts/Object.spec.initContainers.mounts/' "$check"
fault policy.yaml 's/mountPath:/mount:/' "$check"
fault policy.yaml 's/command: \[/command: /' "$check"

# The policy and the Pod by hand say the same.
for word in 'command: \["cp", "/thpfix/libthpfix.so", "/thpfix-volume/"\]' '/thpfix-volume' \
    '/thpfix/libthpfix.so'; do
    for file in pod.yaml policy.yaml; do
        grep -q -- "$word" "$examples/kubernetes/$file" || fail "$file: no $word"
    done
done
# They name what the image has, and where.
for file in libthpfix.so thpfix-entrypoint; do
    grep -q "^COPY .*/$file /thpfix/" "$examples/container/Dockerfile" ||
        fail "the image thpfix has no /thpfix/$file"
done
finish
