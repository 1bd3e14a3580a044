#!/usr/bin/python3
"""A Kubernetes example against the models of the official client.

kubernetes_check.py FILE... validates each object: no field that does not exist, none missing that
has to be there, each value of its type. The models are made from the API's own OpenAPI description.

Not checked: what the API server checks beyond types, and what is newer than the client: for that
there is scripts/kubernetes.
Exit status: 0, 1 with a line for each fault, 77 where the client is not installed.
"""
import sys

try:
    import yaml
    from kubernetes.client import models
except ImportError as error:
    print(f"SKIP: {error}: install python3-kubernetes")
    sys.exit(77)

SCALARS = {"str": str, "int": int, "bool": bool, "float": (int, float)}

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
    elif hasattr(models, kind):
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
    elif kind not in ("object", "datetime"):
        faults.append(f"{where}: there is no type {kind}")


count = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for thing in yaml.safe_load_all(file):
            check(thing, f"V1{thing.get('kind')}", f"{path}: {thing.get('kind')}")
            count += 1
if count == 0:
    faults.append("there is nothing to check")
print("\n".join(faults) if faults else f"{count} objects")
sys.exit(1 if faults else 0)
