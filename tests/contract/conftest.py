"""Every registered mechanism under every relation it supports: the contract suite runs over these.

A test that takes ``name`` and ``relation`` runs for each that draws from weights, one that takes
``noisy`` and ``relation`` for each that draws from noise, one that takes ``replacing`` for each that
draws from weights under "replace".
"""

from spark_dp.mechanisms.noise import NoiseMechanism
from spark_dp.mechanisms.registry import MECHANISMS
from spark_dp.mechanisms.weights import WeightsMechanism

# ln 2 is cut below its true value, so that e^ε < 2 exactly.
EPSILONS = ["0.1", "0.5", "0.6931471805599453094172321214", "1", "2"]


def supported(kind):
    classes = [(name, cls) for name, cls in MECHANISMS.items() if issubclass(cls, kind)]
    return [(name, relation.value) for name, cls in classes for relation in sorted(cls.relations)]


def pytest_generate_tests(metafunc):
    for argument, kind in (("name", WeightsMechanism), ("noisy", NoiseMechanism)):
        if {argument, "relation"} <= set(metafunc.fixturenames):
            metafunc.parametrize((argument, "relation"), supported(kind))
    if "replacing" in metafunc.fixturenames:
        metafunc.parametrize(
            "replacing", [name for name, relation in supported(WeightsMechanism) if relation == "replace"]
        )
    if "eps" in metafunc.fixturenames:
        metafunc.parametrize("eps", EPSILONS)
