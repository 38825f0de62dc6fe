"""Breaks the code on purpose, one line at a time, and reports which test notices: ``make mutants``.

Each mutant is a mistake somebody could make. It is applied to a copy of the tree, and the tests that
need no JVM run there until the first fails. Exit status 1 if a mutant survives.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TREE = ("spark_dp", "tests", "jobs", "conf", "conftest.py", "pyproject.toml", "README.md")
# Where a mistake in a file should show first, so that a kill takes seconds.
LIKELY = {
    "exact/parts.py": ("tests/unit/test_parts.py",),
    "exact/alias.py": ("tests/unit/test_alias.py",),
    "exact/": ("tests/unit/test_draws.py", "tests/unit/test_exact.py"),
    "mechanisms/noise.py": ("tests/contract/test_noise.py",),
    "mechanisms/laplace_projection.py": ("tests/contract/test_noise.py",),
    "mechanisms/perturbed_histogram.py": ("tests/contract/test_noise.py",),
    "mechanisms/smoothed_histogram.py": ("tests/unit/test_mechanisms.py",),
    "mechanisms/auto.py": ("tests/unit/test_auto.py",),
    "budget/": ("tests/ledger/test_ledger.py", "tests/ledger/test_concurrency.py"),
    "release.py": ("tests/unit/test_release.py",),
    "audit/": ("tests/unit/test_audit.py",),
    "planning/": ("tests/unit/test_planning.py",),
    "conditions/": ("tests/unit/test_sql.py",),
    "policy/": ("tests/unit/test_sql.py", "tests/unit/test_policy.py"),
    "": ("tests/contract/test_privacy.py",),
}
# The proofs before the reference values: that those change is no sign that privacy breaks.
TESTS = ("tests/contract", "tests/unit", "tests/statistical", "tests/golden", "spark_dp/mechanisms", "spark_dp/exact")
# These start interpreters of their own or have no part in the mechanisms.
IGNORED = ("tests/contract/test_new_method.py", "tests/unit/test_local_java.py", "tests/unit/test_domain.py")


@dataclass(frozen=True)
class Mutant:
    """One mistake.

    Args:
        mistake: what it is.
        file: where, under spark_dp.
        before: a text that occurs there once.
        after: what takes its place.
    """

    mistake: str
    file: str
    before: str
    after: str


MUTANTS = (
    Mutant(
        "ds-roo: u_m = max(0, t − m) under any",
        "mechanisms/ds_roo.py",
        "return schedules.any_relation(e, scale)",
        "return schedules.add_remove(e, scale)",
    ),
    Mutant(
        "ds-roo: u_m = max(0, t − m) under replace",
        "mechanisms/ds_roo.py",
        "return schedules.replace(e, scale, k, n)",
        "return schedules.add_remove(e, scale)",
    ),
    Mutant(
        "ds-roo: m off by one",
        "mechanisms/ds_roo.py",
        "self.schedule[minimum] if minimum <",
        "self.schedule[minimum + 1] if minimum + 1 <",
    ),
    Mutant(
        "ds-roo: n − 1 for n",
        "mechanisms/ds_roo.py",
        "schedules.replace(e, scale, k, n)",
        "schedules.replace(e, scale, k, n - 1)",
    ),
    Mutant(
        "ds-roo: n + 1 for n",
        "mechanisms/ds_roo.py",
        "schedules.replace(e, scale, k, n)",
        "schedules.replace(e, scale, k, n + 1)",
    ),
    Mutant(
        "ds-roo: the smallest count of the values seen",
        "counts.py",
        "if len(self.ranks) == self.k else 0",
        "if len(self.ranks) else 0",
    ),
    Mutant("ss-roo: φ = 0", "mechanisms/envelope.py", "if step is None or step.slope <= slope:", "if True:"),
    Mutant(
        "ss-roo: only the first step can bind",
        "mechanisms/envelope.py",
        "(step.slope - other.slope) >= 0",
        "(step.slope - other.slope) >= -(10**99)",
    ),
    Mutant("ss-roo: k − 1 other values", "mechanisms/ss_roo.py", "others=(k - 2) * least", "others=(k - 1) * least"),
    Mutant(
        "ss-roo: c* one too small",
        "mechanisms/ss_roo.py",
        "math.ceil(num_samples /",
        "math.floor(num_samples /",
    ),
    Mutant("ss-roo: b for one draw", "mechanisms/ss_roo.py", "Rising(self.num_samples,", "Rising(1,"),
    Mutant(
        "ss-roo: n + 1 for n", "mechanisms/ss_roo.py", "(self.n or 0) * self.scale", "((self.n or 0) + 1) * self.scale"
    ),
    Mutant(
        "ss-roo: the rising value weighs twice in the total",
        "mechanisms/envelope.py",
        "max(weight + step.weight + self.others,",
        "max(2 * weight + step.weight + self.others,",
    ),
    Mutant(
        "ss-roo: a right end stands for its piece",
        "mechanisms/envelope.py",
        "if not inequalities.hold(right - length * slope,",
        "if not inequalities.hold(right - slope,",
    ),
    Mutant(
        "independent draws: each at ε",
        "mechanisms/base.py",
        "self.epsilon.value * self.joint_draws / self.num_samples",
        "self.epsilon.value",
    ),
    Mutant(
        "dirichlet, subrr: t for T t",
        "mechanisms/weights.py",
        "math.ceil(self.scale * self.joint_draws /",
        "math.ceil(self.scale /",
    ),
    Mutant(
        "pseudo-count: rounded down",
        "mechanisms/weights.py",
        "math.ceil(self.scale * self.joint_draws /",
        "math.floor(self.scale * self.joint_draws /",
    ),
    Mutant(
        "error bound: n − 1 for n",
        "mechanisms/weights.py",
        "n * self.scale + self.k * self.pseudo_count",
        "(n - 1) * self.scale + self.k * self.pseudo_count",
    ),
    Mutant(
        "urn: a draw adds nothing",
        "exact/draws.py",
        "distribution.total + len(drawn) * distribution.scale",
        "distribution.total",
    ),
    Mutant(
        "urn: a draw adds two records",
        "exact/draws.py",
        "distribution.total + len(drawn) * distribution.scale",
        "distribution.total + 2 * len(drawn) * distribution.scale",
    ),
    Mutant("urn: repeats the first draw", "exact/draws.py", "else drawn[copied]", "else drawn[0]"),
    Mutant("subrr: a record may be taken twice", "exact/draws.py", "moved[place] = moved.get(last, last)", "pass"),
    Mutant(
        "subrr: the last record is left out", "exact/draws.py", "source.below(last + 1)", "source.below(max(last, 1))"
    ),
    Mutant(
        "categorical: an unseen rank is not skipped to", "exact/categorical.py", "return index + low", "return index"
    ),
    Mutant(
        "categorical: a ticket too many reveals",
        "exact/categorical.py",
        "return ticket < self._revealing",
        "return ticket <= self._revealing",
    ),
    Mutant(
        "parts: a candidate is used twice",
        "exact/parts.py",
        "[iter(part.candidates) for part in parts.parts]",
        "[iter(part.candidates[:1] * 9) for part in parts.parts]",
    ),
    Mutant(
        "parts: a value in proportion to its rows",
        "exact/parts.py",
        "each = [above(count) for count in levels.tolist()]",
        "each = levels.tolist()",
    ),
    Mutant(
        "parts: the smallest count of the values seen",
        "exact/parts.py",
        "if sum(part.seen for part in self.parts) < self.k:",
        "if not self.parts:",
    ),
    Mutant(
        "parts: a row outside the domain changes its value between draws",
        "exact/parts.py",
        "if record not in self._replaced:",
        "if True:",
    ),
    Mutant("parts: no floor for one value", "exact/parts.py", "floor * parts.k", "floor * (parts.k - 1)"),
    Mutant(
        "parts: the last part alone",
        "exact/parts.py",
        "self._next(bisect_right(self._above, ticket))",
        "self._next(len(self._above) - 1)",
    ),
    Mutant(
        "e^ε: rounded up",
        "exact/bounds.py",
        "Fraction(total >> (work - bits), 1 << bits)",
        "Fraction((total >> (work - bits)) + 2, 1 << bits)",
    ),
    Mutant(
        "replace: rows outside the domain are dropped",
        "mechanisms/base.py",
        "_with_outside_replaced(counts, source) if self",
        "counts if self",
    ),
    Mutant(
        "noise: scale 1/ε for 2/ε",
        "mechanisms/noise.py",
        "return 1 if relation is Relation.ADD_REMOVE else 2",
        "return 1",
    ),
    Mutant(
        "noise: scale 2/ε for 1/ε",
        "mechanisms/noise.py",
        "return 1 if relation is Relation.ADD_REMOVE else 2",
        "return 2",
    ),
    Mutant("noise: scale rounded down", "mechanisms/noise.py", "math.nextafter(nearest, math.inf)", "nearest"),
    Mutant(
        "noise: none for a value without a record",
        "mechanisms/noise.py",
        "return source.with_laplace(exact.tolist(), self.noise_scale)",
        "return [source.with_laplace([x], self.noise_scale)[0] if x else 0 for x in exact.tolist()]",
    ),
    Mutant(
        "projection: the noisy total for n",
        "mechanisms/laplace_projection.py",
        "sum(noisy_counts) if n is None else n",
        "sum(noisy_counts)",
    ),
    Mutant(
        "projection: one count too few",
        "mechanisms/laplace_projection.py",
        "if size * least > above - total",
        "if size * least > above - total and size < 2",
    ),
    Mutant("perturbed: clipped at 1", "mechanisms/perturbed_histogram.py", "max(0, noisy)", "max(1, noisy)"),
    Mutant(
        "smoothed: the share of records for that of uniform draws",
        "mechanisms/smoothed_histogram.py",
        "(1 - share) * k / (n * share)",
        "share * k / (n * (1 - share))",
    ),
    Mutant(
        "alias table: a value without weight is drawn",
        "exact/alias.py",
        "(2 * capacity) - 1 << bits",
        "(2 * capacity) << bits",
    ),
    Mutant("alias table: a slot is not filled up", "exact/alias.py", "if shares[giver] < capacity:", "if False:"),
    Mutant("alias table: thresholds rounded down to 32 bits", "exact/alias.py", "_BITS = 63", "_BITS = 32"),
    Mutant(
        "released weights: projected onto the noisy total where n is public",
        "mechanisms/noise.py",
        "return self.weights(self._noisy_counts(counts, source), self.n)",
        "return self.weights(self._noisy_counts(counts, source), None)",
    ),
    Mutant(
        "auto: an urn for more draws than the driver can make",
        "mechanisms/auto.py",
        "if num_samples > MAX_DRAWS:",
        "if False:",
    ),
    Mutant(
        "auto: λ for λ/2",
        "mechanisms/auto.py",
        "Fraction(sensitivity(relation), 2) / epsilon.value",
        "Fraction(sensitivity(relation), 1) / epsilon.value",
    ),
    Mutant(
        "ledger: charges rounded down",
        "budget/amount.py",
        "return math.ceil(epsilon.value * _BILLIONTHS)",
        "return math.floor(epsilon.value * _BILLIONTHS)",
    ),
    Mutant(
        "ledger: SQLite transactions that read before they wait",
        "budget/database.py",
        '"BEGIN IMMEDIATE" if changes else "BEGIN"',
        '"BEGIN"',
    ),
    Mutant(
        "ledger: a sum while others add to it",
        "budget/ledger.py",
        "budget = lines.kept(connection, self.name, lock=True)",
        "budget = lines.kept(connection, self.name)",
    ),
    Mutant(
        "ledger: a failed release is not charged",
        "budget/lines.py",
        "RELEASE.c.budget == name, RELEASE.c.reserved_at >= since",
        "RELEASE.c.budget == name, RELEASE.c.reserved_at >= since, RELEASE.c.state != FAILED",
    ),
    Mutant(
        "ledger: other arguments under a known name",
        "budget/ledger.py",
        "if earlier.question != question:",
        "if False:",
    ),
    Mutant(
        "ledger: a second answer under one name",
        "budget/ledger.py",
        "if stored is not None:",
        "if False:",
    ),
    Mutant(
        "release: what is stored is drawn again",
        "release.py",
        "    if reservation.stored is not None:",
        "    if False:",
    ),
    Mutant(
        "release: the domain is no part of the question",
        "release.py",
        '"domain": self.domain.to_json(), ',
        "",
    ),
    Mutant(
        "planning: the search ends before the first",
        "planning/search.py",
        "while (width := good - bad) > 1:",
        "while (width := good - bad) > 2:",
    ),
    Mutant(
        "planning: half the noise is expected",
        "planning/expected.py",
        "np.floor(-scale * np.log(uniform))",
        "np.floor(-scale / 2 * np.log(uniform))",
    ),
    Mutant(
        "planning: rows under replace are taken for private",
        "planning/needs.py",
        "(planned.with_n(n) if planned.relation is Relation.REPLACE else planned).error_bound(n)",
        "mechanism(planned.name, planned.epsilon, planned.k, num_samples=planned.num_samples).error_bound(n)",
    ),
    Mutant(
        "audit: replaced records make no neighbors under any",
        "audit/neighbors.py",
        "if relation in (Relation.ANY, Relation.REPLACE):",
        "if relation == Relation.REPLACE:",
    ),
    Mutant(
        "audit: a probability that falls is no loss",
        "audit/measures.py",
        "(left, right) if left > right else (right, left)",
        "(left, right)",
    ),
    Mutant(
        "audit: the others weigh more than they do",
        "audit/inequalities.py",
        "others=(mechanism.k - 2) * least",
        "others=(mechanism.k - 1) * least",
    ),
    Mutant("audit: any draws pass", "audit/sampler.py", "self.statistic <= self.threshold", "self.statistic >= 0"),
    Mutant(
        "conditions: texts compared with numbers",
        "conditions/check.py",
        "if len(named) > 1 or len(",
        "if False and len(",
    ),
    Mutant(
        "conditions: decimals that Spark would round",
        "conditions/check.py",
        "if max(whole) + max(behind) > _DECIMAL_DIGITS:",
        "if False:",
    ),
    Mutant(
        "sql: parts of a condition that nobody looks at",
        "policy/where.py",
        "if other_part(node, known):",
        "if False:",
    ),
    Mutant(
        "sql: clauses that nobody looks at",
        "policy/sql.py",
        "if name := other_part(node, known):",
        "if name := None:",
    ),
    Mutant(
        "sql: a raw column beside the sample",
        "policy/sql.py",
        "if isinstance(node, exp.Column) and name is None and column_name(node, table) in by:",
        "if isinstance(node, exp.Column) and name is None:",
    ),
)


def main() -> int:
    """Run every mutant; the exit status comes back."""
    chosen = [mutant for mutant in MUTANTS if not sys.argv[1:] or any(word in mutant.mistake for word in sys.argv[1:])]
    print(f"{len(chosen)} mutants", flush=True)
    survivors = 0
    with ThreadPoolExecutor(2) as pool:
        for mutant, killer in zip(chosen, pool.map(killed_by, chosen), strict=True):
            survivors += killer is None
            print(f"{mutant.mistake}\n    {f'killed by {killer}' if killer else 'SURVIVED'}", flush=True)
    print(f"{len(chosen) - survivors} of {len(chosen)} killed")
    return int(survivors > 0)


def killed_by(mutant: Mutant) -> str | None:
    """The first test that fails with a mutant in place, None if none does."""
    with tempfile.TemporaryDirectory() as folder:
        for name in TREE:
            source = ROOT / name
            copy = shutil.copytree if source.is_dir() else shutil.copy2
            copy(source, Path(folder) / name)
        path = Path(folder) / "spark_dp" / mutant.file
        code = path.read_text()
        if code.count(mutant.before) != 1:
            raise ValueError(f"{mutant.mistake}: {mutant.before!r} is not once in {mutant.file}")
        path.write_text(code.replace(mutant.before, mutant.after))
        likely = next(files for prefix, files in LIKELY.items() if mutant.file.startswith(prefix))
        return failing(mutant, folder, likely) or failing(mutant, folder, TESTS)


def failing(mutant: Mutant, folder: str, tests: Sequence[str]) -> str | None:
    """The first of the tests that fails in the folder."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    command += [f"--ignore={name}" for name in IGNORED]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return None
    # A copy that cannot even be imported proves nothing.
    failed = re.search(r"^FAILED (.+?)(?: - .*)?$", run.stdout, re.MULTILINE)
    if run.returncode != 1 or failed is None:
        raise ValueError(f"{mutant.mistake}: the tests did not run:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return failed.group(1)


if __name__ == "__main__":
    sys.exit(main())
