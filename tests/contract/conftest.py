"""Every registered mechanism under every relation it supports: the contract suite runs over these."""

from spark_dp.mechanisms.registry import MECHANISMS

# ln 2 is cut below its true value, so that e^ε < 2 exactly.
EPSILONS = ["0.1", "0.5", "0.6931471805599453094172321214", "1", "2"]


def pytest_generate_tests(metafunc):
    if {"name", "relation"} <= set(metafunc.fixturenames):
        metafunc.parametrize(
            ("name", "relation"),
            [(name, relation.value) for name, cls in MECHANISMS.items() for relation in sorted(cls.relations)],
        )
    if "eps" in metafunc.fixturenames:
        metafunc.parametrize("eps", EPSILONS)
