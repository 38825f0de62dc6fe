"""The studies of jobs/reproduce_paper.py compute what they say, where it can be had another way."""

import csv
import importlib.util
import itertools
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from spark_dp import mechanism
from spark_dp.mechanisms.laplace_projection import LaplaceProjection

pytest.importorskip("matplotlib")
linprog = pytest.importorskip("scipy.optimize").linprog

JOB = Path(__file__).resolve().parents[2] / "jobs" / "reproduce_paper.py"


@pytest.fixture(scope="module")
def job():
    """The job as Python runs it: with its own folder first on the path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(JOB.parent))
        spec = importlib.util.spec_from_file_location("reproduce_paper", JOB)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module
        for name in [name for name in sys.modules if name.partition(".")[0] == "paper"]:
            del sys.modules[name]


def test_the_projection_is_the_released_one(job):
    rng = np.random.default_rng(1)
    noisy_counts = rng.integers(-40, 60, (300, 5))
    for n in (1, 30, 1000):
        weights = job.output_error.projected(noisy_counts, n).tolist()
        assert weights == [LaplaceProjection.weights(noisy, n) for noisy in noisy_counts.tolist()]


@pytest.mark.parametrize("method", ["roo", "ds-roo", "ss-roo"])
@pytest.mark.parametrize("epsilon", ["0.02", "0.1", "2"])
def test_the_probabilities_are_those_of_the_mechanism(job, method, epsilon):
    counts = np.random.default_rng(2).multinomial(60, [0.4, 0.3, 0.2, 0.07, 0.03], 20)
    counts[0] = [12] * 5
    m = mechanism(method, eps=epsilon, k=5, relation="replace", n=60)
    expected = [[float(p) for p in m.pmf(row)] for row in counts.tolist()]
    assert job.output_error.PMFS[method](counts, epsilon) == pytest.approx(np.array(expected), rel=1e-12)


def test_the_simulated_noise_is_discrete_laplace(job):
    noise = job.output_error.discrete_laplace(3.0, (200_000,), np.random.default_rng(3))
    expected = np.exp(-np.abs(np.arange(-6, 7)) / 3) * np.tanh(1 / 6)
    assert np.array([(noise == x).mean() for x in range(-6, 7)]) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(("k", "n"), [(2, 5), (3, 4), (4, 3)])
@pytest.mark.parametrize("factor", [1.2, 3.0])
def test_relabeling_does_not_change_the_optimum(job, k, n, factor):
    assert job.optimum.Samplers(k, n).best(factor) == pytest.approx(best_of_all(k, n, factor), abs=1e-8)


def best_of_all(k, n, factor):
    """The optimum over all samplers, with a variable for each histogram and value."""
    histograms = [c for c in itertools.product(range(n + 1), repeat=k) if sum(c) == n]
    size = len(histograms) * k
    numbers = {(c, y): i * k + y for i, c in enumerate(histograms) for y in range(k)}
    rows, bounds = [], []
    for c, d in itertools.permutations(histograms, 2):
        if sum(abs(a - b) for a, b in zip(c, d, strict=True)) == 2:
            for y in range(k):
                row = np.zeros(2 * size)
                row[numbers[c, y]], row[numbers[d, y]] = 1, -factor
                rows.append(row)
                bounds.append(0)
    for (c, y), number in numbers.items():
        row = np.zeros(2 * size)
        row[number] = row[size + number] = -1
        rows.append(row)
        bounds.append(-c[y] / n)
    sums = np.hstack([np.kron(np.eye(len(histograms)), np.ones(k)), np.zeros((len(histograms), size))])
    costs = np.r_[np.zeros(size), np.full(size, 1 / len(histograms))]
    return linprog(costs, A_ub=np.array(rows), b_ub=bounds, A_eq=sums, b_eq=np.ones(len(histograms))).fun


def test_no_mechanism_beats_the_optimum(job):
    samplers = job.optimum.Samplers(3, 6)
    for factor in (1.1, 2.0):
        best = samplers.best(factor)
        for name in ("roo", "ds-roo", "ss-roo"):
            m = mechanism(name, eps=f"{math.log(factor):.15f}", k=3, relation="replace", n=6)
            assert best <= samplers.average(m) + 1e-9


def test_the_average_is_over_all_histograms(job):
    m = mechanism("ss-roo", eps="0.5", k=3, relation="replace", n=5)
    histograms = [c for c in itertools.product(range(6), repeat=3) if sum(c) == 5]
    errors = [sum(abs(float(p) - x / 5) for p, x in zip(m.pmf(c), c, strict=True)) / 2 for c in histograms]
    assert job.optimum.Samplers(3, 5).average(m) == pytest.approx(np.mean(errors))


def test_the_measures_of_a_density(job):
    density = job.density
    uniform = np.full((1, 4), 0.25)
    assert density.squared_error(uniform) == pytest.approx(density.AMPLITUDE**2 / 2)
    assert density.largest_gap(uniform) == pytest.approx(density.AMPLITUDE / np.pi)
    # One point x: F̂ jumps from 0 to 1 where F = F(x).
    at = float(density.distribution(np.array(0.3)))
    assert density.largest_gap_of_points(np.array([[0.3]])) == pytest.approx(max(at, 1 - at))


def test_a_run_writes_the_files_and_prints_the_claims(job, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["reproduce_paper.py", "--output", str(tmp_path), "--only", "rows-needed"])
    assert job.main() == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows-needed.csv", "rows-needed.png"]
    with (tmp_path / "rows-needed.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 51
    assert "holds  roo needs fewer rows" in capsys.readouterr().out


def test_a_claim_that_fails_fails_the_run(job, tmp_path, monkeypatch, capsys):
    study = job.STUDIES["rows-needed"]
    rows = [row._replace(roo=row.line * 2) for row in study.compute()]
    monkeypatch.setitem(job.STUDIES, study.name, job.rates.Study(**(vars(study) | {"compute": lambda: rows})))
    monkeypatch.setattr(sys, "argv", ["reproduce_paper.py", "--output", str(tmp_path), "--only", study.name])
    assert job.main() == 1
    assert "FAILS  roo needs fewer rows" in capsys.readouterr().out
