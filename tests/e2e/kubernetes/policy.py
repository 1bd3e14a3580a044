#!/usr/bin/python3
"""What Kubernetes makes of examples/kubernetes: policy.py ADMIT DIRECTORY

ADMIT is the program built from admit.go. Prints "PASS name" or "FAIL name: why" for each thing it
looks at. Exit status: 0, or 1 where one failed.
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

admit = sys.argv[1]
examples = pathlib.Path(sys.argv[2])
POD = (examples / "pod.yaml").read_text(encoding="utf-8")
POLICY = (examples / "policy.yaml").read_text(encoding="utf-8")
failed = False


def outcome(name, good, why):
    global failed
    print(f"PASS {name}" if good else f"FAIL {name}: {why}")
    failed = failed or not good


def run(*texts):
    """(what came out of each Pod, or None where something was refused; what was said)"""
    with tempfile.TemporaryDirectory() as directory:
        paths = []
        for number, text in enumerate(texts):
            paths.append(pathlib.Path(directory, f"{number}.yaml"))
            paths[-1].write_text(text, encoding="utf-8")
        result = subprocess.run([admit, *paths], capture_output=True, text=True, check=False)
    said = " ".join(result.stderr.split())
    if result.returncode != 0:
        return None, said
    pods = [json.loads(line) for line in result.stdout.splitlines()]
    return [{"metadata": pod["metadata"], "spec": pod["spec"]} for pod in pods], said


def text_of(pod):
    return json.dumps({"apiVersion": "v1", "kind": "Pod", **pod})


def spoilt(text, old, new):
    if old not in text:
        sys.exit(f"there is no '{old}' to spoil")
    return text.replace(old, new)


def without_library(pod):
    """The Pod as its owner would have it: nothing of what pod.yaml says of thpfix."""
    pod = copy.deepcopy(pod)
    spec = pod["spec"]
    del spec["volumes"], spec["initContainers"]
    for container in spec["containers"]:
        container["env"] = [e for e in container["env"] if e["name"] != "LD_PRELOAD"]
        del container["volumeMounts"]
    pod["metadata"]["annotations"] = {"thpfix/inject": "true"}
    return pod


def by_hand(pod):
    """What the policy should make of it: pod.yaml, and what it says of the whole Pod once more for
    the init container, because another Pod may not say it."""
    pod = copy.deepcopy(pod)
    pod["metadata"]["annotations"] = {"thpfix/inject": "true"}
    pod["spec"]["initContainers"][0]["securityContext"].update(pod["spec"]["securityContext"])
    return pod


def sorted_env(pod):
    for container in pod["spec"]["containers"]:
        container.get("env", []).sort(key=lambda e: e["name"])
    return pod


pods, said = run(POLICY, POD)
outcome("the examples are valid", pods is not None and len(pods) == 1, said)
if pods is None:
    sys.exit(1)
hand, said = run(POD)
outcome("a Pod by hand is left alone", pods == hand, pods)

plain = without_library(hand[0])
expected = sorted_env(by_hand(hand[0]))
pods, said = run(POLICY, text_of(plain))
outcome("an annotated Pod gets what pod.yaml has by hand",
        pods is not None and sorted_env(pods[0]) == expected, pods or said)
again, said = run(POLICY, text_of(pods[0] if pods else plain))
outcome("and gets it once", again is not None and sorted_env(again[0]) == expected, again or said)

for annotations in {}, {"other": "true"}, {"thpfix/inject": "false"}:
    other = copy.deepcopy(plain)
    other["metadata"]["annotations"] = annotations
    pods, said = run(POLICY, text_of(other))
    if not annotations:
        del other["metadata"]["annotations"]
    outcome(f"left alone: a Pod with annotations {annotations}", pods == [other], pods or said)

# A Pod with things of its own: they stay, and those of the library come first.
rich = copy.deepcopy(plain)
rich["spec"]["volumes"] = [{"name": "data", "emptyDir": {}}]
rich["spec"]["initContainers"] = [{"name": "prepare", "image": "prepare", "resources": {}}]
rich["spec"]["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
rich["spec"]["containers"] += [
    {"name": "bare", "image": "bare", "resources": {}},
    {"name": "own", "image": "own", "env": [{"name": "LD_PRELOAD", "value": "x"}], "resources": {}}]
pods, said = run(POLICY, text_of(rich))
if pods is None:
    outcome("a Pod with things of its own", False, said)
else:
    spec = pods[0]["spec"]
    app, bare, own = spec["containers"]
    outcome("init containers of its own", [c["name"] for c in spec["initContainers"]] ==
            ["thpfix", "prepare"], spec["initContainers"])
    outcome("volumes of its own", sorted(v["name"] for v in spec["volumes"]) ==
            ["data", "thpfix"], spec["volumes"])
    outcome("mounts of its own", sorted(m["mountPath"] for m in app["volumeMounts"]) ==
            ["/data", "/thpfix"], app)
    outcome("a second container gets it", bare.get("env") ==
            [{"name": "LD_PRELOAD", "value": "/thpfix/libthpfix.so"}], bare)
    outcome("a container with LD_PRELOAD is left alone", own == rich["spec"]["containers"][2], own)

# Controls: each of these faults is noticed. In the examples they would be in somebody's cluster.
for old, new in (
        ("failurePolicy", "failPolicy"),
        ("mutations:", "mutation:"),
        ("patchType: JSONPatch", "patchType: [JSONPatch]"),
        ("Object.spec.containers.volumeMounts{", "Object.spec.containers.mounts{"),
        ('mountPath: "/thpfix"', 'mount: "/thpfix"'),
        ("sizeLimit:", "limit:"),
        ('drop: ["ALL"]', 'drop: "ALL"'),
        ('image: "thpfix"', "image: thpfix"),
        ("name: c.name,", 'name: c.name, command: ["x"],')):
    pods, said = run(spoilt(POLICY, old, new), text_of(plain))
    outcome(f"control: refused with '{new}' for '{old}'", pods is None and said, pods)
pods, said = run(spoilt(POLICY, "policyName: thpfix", "policyName: other"), text_of(plain))
outcome("control: a policy that is not bound changes nothing", pods == [plain], pods or said)
for old, new in (("mountPath:", "mountpath:"), ("readOnly: true", 'readOnly: "true"'),
                 ("image: my-app", "image: [my-app]")):
    pods, said = run(spoilt(POD, old, new))
    outcome(f"control: a Pod with '{new}' is refused", pods is None and said, pods)
sys.exit(failed)
