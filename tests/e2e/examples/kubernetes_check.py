#!/usr/bin/python3
"""The Kubernetes examples against the models of the official client.

kubernetes_check.py FILE... validates each object: no field that does not exist, none missing that has to
be there, each value of its type. The models are made from the API's own OpenAPI description; for
what is newer than the client (MutatingAdmissionPolicy) the fields are written down here, and its
CEL expressions are checked for what they build: a type of theirs is a path in the Pod.

Not checked: what the API server checks beyond types, and the logic of CEL expressions.
Exit status: 0, 1 with a line for each fault, 77 where the client is not installed.
"""
import re
import sys

try:
    import yaml
    from kubernetes.client import models
except ImportError as error:
    print(f"SKIP: {error}: install python3-kubernetes")
    sys.exit(77)

SCALARS = {"str": str, "int": int, "bool": bool, "float": (int, float)}

EXPRESSION = {"expression": "str"}
# admissionregistration.k8s.io/v1beta1; a star marks what is required.
NEWER = {
    "MutatingAdmissionPolicy": {
        "apiVersion*": "str", "kind*": "str", "metadata*": "V1ObjectMeta", "spec*": {
            "failurePolicy": "str", "reinvocationPolicy*": "str",
            "matchConstraints*": {
                "matchPolicy": "str", "namespaceSelector": "V1LabelSelector",
                "objectSelector": "V1LabelSelector",
                "resourceRules": "list[V1RuleWithOperations]",
                "excludeResourceRules": "list[V1RuleWithOperations]"},
            "matchConditions": [{"name*": "str", "expression*": "str"}],
            "mutations*": [{"patchType*": "str", "applyConfiguration": EXPRESSION,
                            "jsonPatch": EXPRESSION}],
            "paramKind": {"apiVersion": "str", "kind": "str"},
            "variables": [{"name*": "str", "expression*": "str"}]}},
    "MutatingAdmissionPolicyBinding": {
        "apiVersion*": "str", "kind*": "str", "metadata*": "V1ObjectMeta", "spec*": {
            "policyName*": "str", "paramRef": "object", "matchResources": "object"}},
}

faults = []


def fields_of(model):
    """{name: (type, required)} of a model."""
    cls = getattr(models, model)
    result = {}
    for attribute, name in cls.attribute_map.items():
        try:
            cls(**{other: "x" for other in cls.openapi_types if other != attribute})
            required = False
        except (ValueError, TypeError):
            required = True
        result[name] = (cls.openapi_types[attribute], required)
    return result


def check(value, kind, where):
    if isinstance(kind, list):
        if not isinstance(value, list):
            faults.append(f"{where}: no list")
            return
        for index, element in enumerate(value):
            check(element, kind[0], f"{where}[{index}]")
    elif isinstance(kind, dict) or hasattr(models, kind):
        if isinstance(kind, dict):
            fields = {name.rstrip("*"): (of, name.endswith("*")) for name, of in kind.items()}
        else:
            fields = fields_of(kind)
        if not isinstance(value, dict):
            faults.append(f"{where}: no object")
            return
        for name, element in value.items():
            if name not in fields:
                faults.append(f"{where}: there is no field {name}")
            else:
                check(element, fields[name][0], f"{where}.{name}")
        for name, (_, required) in fields.items():
            if required and name not in value:
                faults.append(f"{where}: {name} is missing")
    elif kind.startswith("list["):
        check(value, [kind[5:-1]], where)
    elif kind.startswith("dict("):
        of = kind[5:-1].split(", ")[1]
        for name, element in value.items():
            check(element, of, f"{where}.{name}")
    elif kind in SCALARS:
        number_as_bool = isinstance(value, bool) and kind != "bool"
        if not isinstance(value, SCALARS[kind]) or number_as_bool:
            faults.append(f"{where}: {value!r} is no {kind}")


def model_at(path):
    """The model of Object.spec.containers: that of what the list holds."""
    model = "V1Pod"
    for name in path:
        kind = fields_of(model).get(name, (None, False))[0]
        if kind is None:
            return None
        model = re.sub(r"^list\[(.*)\]$", r"\1", kind)
    return model


def check_expression(text, where):
    """Brackets match, and Object.a.b{name: …} has fields of what lies at a.b in a Pod."""
    token = re.compile(r'"[^"]*"|Object[\w.]*\{|[\[\](){}]|\w+(?=\s*:(?!:))')
    open_brackets = []
    built = 0
    for found in token.finditer(text):
        word = found.group()
        if word[0] == '"':
            continue
        if word.endswith("{"):
            path = word[:-1].split(".")[1:]
            model = model_at(path)
            if model is None:
                faults.append(f"{where}: there is no type {word[:-1]}")
            open_brackets.append(("}", model))
            built += 1
        elif word in "[(":
            open_brackets.append(({"[": "]", "(": ")"}[word], None))
        elif word in "])}":
            if not open_brackets or open_brackets.pop()[0] != word:
                faults.append(f"{where}: a '{word}' too much")
                return 0
        elif open_brackets and open_brackets[-1][1] is not None:
            if word not in fields_of(open_brackets[-1][1]):
                faults.append(f"{where}: {open_brackets[-1][1]} has no field {word}")
    if open_brackets:
        faults.append(f"{where}: a '{open_brackets[-1][0]}' is missing")
    return built


def check_object(thing, where):
    kind = thing.get("kind")
    check(thing, NEWER.get(kind) or f"V1{kind}", where)
    if kind == "MutatingAdmissionPolicy":
        for number, mutation in enumerate(thing["spec"]["mutations"]):
            text = mutation["applyConfiguration"]["expression"]
            if check_expression(text, f"{where}: mutation {number}") == 0:
                faults.append(f"{where}: mutation {number} builds nothing")
        for condition in thing["spec"]["matchConditions"]:
            check_expression(condition["expression"], f"{where}: {condition['name']}")


count = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for thing in yaml.safe_load_all(file):
            check_object(thing, f"{path}: {thing.get('kind')}")
            count += 1
if count == 0:
    faults.append("there is nothing to check")
print("\n".join(faults) if faults else f"{count} objects")
sys.exit(1 if faults else 0)
