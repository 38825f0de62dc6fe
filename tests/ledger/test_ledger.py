"""The ledger: exact sums, one release for one name, and errors that lose nothing.

Would catch: a charge that is given back, a sum in floats, a release drawn twice under one name or shown before
it was stored, a period that begins at the wrong hour, a password in a message.
"""

import os
import subprocess
import sys
import threading
from fractions import Fraction

import pytest
from sqlalchemy import create_engine, text

import spark_dp as dp
from spark_dp.budget import Release, ledger, lines, schema
from spark_dp.budget.amount import allowance, cost, written
from spark_dp.errors import BudgetError, EpsilonError, LedgerError
from spark_dp.privacy import Epsilon


def entry(epsilon="1", release_id="r", **other):
    known = {"method": "roo", "relation": "any", "columns": ("c",), "k": 3, "num_samples": 1, "version": "0"}
    return dp.Entry(epsilon=epsilon, release_id=release_id, **known | other)


def answer(value, release_id="r"):
    return Release((value,), "0f" * 16, entry(release_id=release_id))


@pytest.mark.parametrize("epsilon", ["1e-9", "0.1", "0.3", "49.999999999", "0.12345678901", "1." + "0" * 40 + "1"])
def test_what_is_charged_is_never_less_than_epsilon(epsilon):
    exact = Epsilon.parse(epsilon).value * 10**9
    assert 0 <= cost(Epsilon.parse(epsilon)) - exact < 1
    assert 0 <= exact - allowance(epsilon) < 1
    assert Fraction(written(cost(Epsilon.parse(epsilon)))) * 10**9 == cost(Epsilon.parse(epsilon))


@pytest.mark.parametrize("total", [0, -1, "nan", "inf", "1e-10", "1000001", "1e999999999", True, "three"])
def test_what_is_no_amount_is_refused(tmp_path, total):
    with pytest.raises(EpsilonError, match="no amount"):
        dp.Ledger(tmp_path / "l.db").budget("b", total=total)


def test_a_budget_is_taken_as_it_is_kept_if_no_amount_is_given(url):
    ledger = dp.Ledger(url)
    ledger.budget("flights", total=3, period=(1, "day"))
    assert ledger.budget("flights").balance().period_total == "1"
    with pytest.raises(BudgetError, match=r"no budget 'fligths'. Did you mean 'flights'"):
        ledger.budget("fligths")
    assert [balance.name for balance in ledger.balances()] == ["flights"]


def test_thirds_of_a_budget_add_up_to_it_exactly(url):
    """Floats would leave 0.3 − 3 × 0.1 = −5e-17, which refuses the third or grants a fourth."""
    budget = dp.Ledger(url).budget("b", total="0.3")
    for number in range(3):
        budget.reserve(entry("0.1", f"r{number}"), "q")
    balance = budget.balance()
    assert (balance.spent, balance.remaining, balance.unfinished) == ("0.3", "0", 3)
    with pytest.raises(BudgetError, match=r"ε = 0 left of 0\.3, and the release costs 0\.000000001"):
        budget.reserve(entry("1e-9", "another"), "q")
    assert budget.balance().spent == "0.3"


def test_a_refused_release_costs_nothing_and_a_smaller_one_still_fits(url):
    budget = dp.Ledger(url).budget("b", total=1)
    budget.reserve(entry("0.9", "a"), "q")
    with pytest.raises(BudgetError, match=r"ε = 0\.1 left"):
        budget.reserve(entry("0.100000001", "b"), "q")
    budget.reserve(entry("0.1", "c"), "q")
    assert [charge.entry.release_id for charge in dp.Ledger(url).history("b")] == ["a", "c"]


def test_the_same_name_is_charged_once_and_gives_the_stored_release(url):
    budget = dp.Ledger(url).budget("b", total=1)
    first = budget.reserve(entry(), "q")
    assert first.stored is None
    assert first.commit(answer(7)) == answer(7)
    again = dp.Ledger(url).budget("b", total=1).reserve(entry(), "q")
    assert again.stored == answer(7)
    with pytest.raises(BudgetError, match="with other arguments"):
        budget.reserve(entry(), "another question")
    assert budget.balance().spent == "1"
    (charge,) = dp.Ledger(url).history()
    assert (charge.state, charge.cost, charge.entry) == ("released", "1", entry())
    assert charge.reserved_at <= charge.ended_at


def test_two_runs_of_one_release_show_one_answer(url):
    budget = dp.Ledger(url).budget("b", total=1)
    one, other = budget.reserve(entry(), "q"), budget.reserve(entry(), "q")
    assert one.commit(answer(7)) == answer(7)
    assert other.commit(answer(8)) == answer(7)
    other.fail()
    assert dp.Ledger(url).history()[0].state == "released"


def test_who_charges_waits_for_whoever_is_charging(url):
    """Between the sum and the charge of one process nobody else adds: deterministic where processes race."""
    budget = dp.Ledger(url).budget("b", total=1)
    refused = []

    def charge():
        try:
            dp.Ledger(url).budget("b", total=1).reserve(entry(release_id="second"), "q")
        except BudgetError as error:
            refused.append(str(error))

    second = threading.Thread(target=charge)
    original = lines.check_covered

    def covered(*arguments):
        original(*arguments)
        if threading.current_thread() is not second:
            second.start()
            second.join(1)
            assert second.is_alive()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lines, "check_covered", covered)
        budget.reserve(entry(release_id="first"), "q")
        second.join()
    assert ["0 left of 1" in told for told in refused] == [True]
    assert [charge.entry.release_id for charge in dp.Ledger(url).history()] == ["first"]


def test_a_failed_release_stays_charged_and_may_be_tried_again_at_no_cost(url):
    budget = dp.Ledger(url).budget("b", total=1)
    budget.reserve(entry(), "q").fail()
    assert (budget.balance().spent, budget.balance().unfinished) == ("1", 0)
    assert dp.Ledger(url).history()[0].state == "failed"
    with pytest.raises(BudgetError, match="left"):
        budget.reserve(entry(release_id="other"), "q")
    budget.reserve(entry(), "q").commit(answer(3))
    assert budget.reserve(entry(), "q").stored == answer(3)


def test_budgets_do_not_touch_each_other(url):
    kept = dp.Ledger(url)
    one, other = kept.budget("one", total=1), kept.budget("other", total=2)
    one.reserve(entry("1"), "q")
    other.reserve(entry("1"), "another")
    assert [(balance.name, balance.remaining) for balance in kept.balances()] == [("one", "0"), ("other", "1")]


def test_integers_of_any_size_come_back_as_they_were(url):
    values = (2**63 - 2, -(2**70), 0)
    stored = Release(values, "0f" * 16, entry(by=("r",), privacy_unit="p"))
    dp.Ledger(url).budget("b", total=1).reserve(entry(), "q").commit(stored)
    assert dp.Ledger(url).budget("b", total=1).reserve(entry(), "q").stored == stored


def test_a_budget_is_what_it_was_first_made_until_it_is_changed_on_purpose(url):
    kept = dp.Ledger(url)
    budget = kept.budget("b", total=1)
    with pytest.raises(
        BudgetError, match=r"kept as ε = 1 in all, not as ε = 2 in all with 0\.5 each day.*change_budget"
    ):
        kept.budget("b", total=2, period=(0.5, "day"))
    kept.change_budget("b", total="0.5")
    with pytest.raises(BudgetError, match=r"0\.5 left"):
        budget.reserve(entry("0.6"), "q")
    with pytest.raises(BudgetError, match=r"no budget 'bb'. Did you mean 'b'\?"):
        kept.change_budget("bb", total=1)
    with pytest.raises(BudgetError, match="no budget"):
        kept.history("bb")


def test_a_lowered_budget_has_nothing_left_rather_than_less(url):
    kept = dp.Ledger(url)
    kept.budget("b", total=3).reserve(entry("2"), "q")
    kept.change_budget("b", total=1)
    assert kept.balances()[0].remaining == "0"
    with pytest.raises(BudgetError, match=r"-1 left of 1"):
        kept.budget("b", total=1).reserve(entry("1e-9", "x"), "q")


@pytest.mark.parametrize(
    ("period", "same", "next_one"),
    [
        ("day", "2026-11-29T23:59:59.999999Z", "2026-11-30T00:00:00.000000Z"),
        ("week", "2026-11-29T23:59:59.999999Z", "2026-11-30T00:00:00.000000Z"),
        ("month", "2026-11-30T23:59:59.999999Z", "2026-12-01T00:00:00.000000Z"),
        ("year", "2026-12-31T23:59:59.999999Z", "2027-01-01T00:00:00.000000Z"),
    ],
)
def test_a_period_has_an_allowance_of_its_own(url, monkeypatch, period, same, next_one):
    budget = dp.Ledger(url).budget("b", total=2, period=("0.5", period))
    monkeypatch.setattr(lines, "now", lambda: "2026-11-29T00:00:00.000000Z")
    budget.reserve(entry("0.5", "a"), "q")
    monkeypatch.setattr(lines, "now", lambda: same)
    with pytest.raises(BudgetError, match=f"ε = 0 left of 0.5 in the {period} that began on 2026"):
        budget.reserve(entry("0.1", "b"), "q")
    monkeypatch.setattr(lines, "now", lambda: next_one)
    budget.reserve(entry("0.5", "c"), "q")
    assert (budget.balance().period_spent, budget.balance().remaining) == ("0.5", "0")


def test_an_unknown_period_and_a_name_that_is_none(tmp_path):
    kept = dp.Ledger(tmp_path / "l.db")
    with pytest.raises(BudgetError, match="Did you mean 'day'"):
        kept.budget("b", total=1, period=(1, "days"))
    for name in ("", "x" * 201, 7):
        with pytest.raises(BudgetError, match="names no budget"):
            kept.budget(name, total=1)


# What can go wrong with the place where it is kept.


def test_a_ledger_of_a_newer_version_is_left_alone(url, monkeypatch):
    dp.Ledger(url).budget("b", total=1)
    with monkeypatch.context() as newer:
        newer.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, lambda _connection: None))
        newer.setattr("spark_dp.budget.database.MIGRATIONS", schema.MIGRATIONS)
        assert dp.Ledger(url).balances()[0].name == "b"
    with pytest.raises(LedgerError, match="version 2, and this spark_dp knows versions up to 1"):
        dp.Ledger(url)


def test_an_older_ledger_is_migrated_once_and_keeps_what_it_has(url, monkeypatch):
    dp.Ledger(url).budget("b", total=1).reserve(entry(), "q")
    steps = []

    def step(connection):
        connection.execute(text("ALTER TABLE spark_dp_release ADD COLUMN note TEXT"))
        steps.append("note")

    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
    monkeypatch.setattr("spark_dp.budget.database.MIGRATIONS", schema.MIGRATIONS)
    assert dp.Ledger(url).balances()[0].spent == "1"
    assert dp.Ledger(url).balances()[0].spent == "1"
    assert steps == ["note"]


def test_a_migration_that_breaks_leaves_the_ledger_as_it_was(url, monkeypatch):
    dp.Ledger(url).budget("b", total=1)

    def step(connection):
        connection.execute(text("ALTER TABLE spark_dp_release ADD COLUMN note TEXT"))
        connection.execute(text("SELECT no_such_column FROM spark_dp_release"))

    with monkeypatch.context() as newer:
        newer.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
        newer.setattr("spark_dp.budget.database.MIGRATIONS", schema.MIGRATIONS)
        with pytest.raises(LedgerError, match="no_such_column"):
            dp.Ledger(url)
    dp.Ledger(url).budget("b", total=1).reserve(entry(), "q")


def test_what_is_no_ledger_is_told_so(tmp_path):
    (tmp_path / "notes.db").write_text("hello, this is no database at all" * 10)
    with pytest.raises(LedgerError, match="not a database"):
        dp.Ledger(tmp_path / "notes.db")
    with pytest.raises(LedgerError, match="There is no folder for the ledger"):
        dp.Ledger(tmp_path / "no" / "such" / "folder.db")
    with pytest.raises(LedgerError, match="There is no ledger at"):
        dp.Ledger(tmp_path / "none.db", create=False)
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(
    ("url", "says"),
    [
        (":memory:", "forgets"),
        ("sqlite://", "forgets"),
        ("mysql://u@h/d", "SQLite or PostgreSQL"),
        ("://", "cannot be parsed"),
        ("postgresql+nonsense://u@h/d", "driver"),
    ],
)
def test_a_place_that_keeps_nothing_is_refused(url, says):
    with pytest.raises(LedgerError, match=says):
        dp.Ledger(url)


def test_a_server_that_is_not_there_is_told_without_the_password():
    with pytest.raises(LedgerError) as error:
        dp.Ledger("postgresql://u:hunter2@127.0.0.1:1/d")
    assert "could not be read" in str(error.value)
    assert "hunter2" not in str(error.value)
    assert error.value.__suppress_context__


def test_a_locked_database_is_waited_for_and_then_told(tmp_path, monkeypatch):
    monkeypatch.setattr("spark_dp.budget.database.PATIENCE", 0.2)
    budget = dp.Ledger(tmp_path / "l.db").budget("b", total=1)
    held = budget.reserve(entry("0.5"), "q")
    with create_engine(f"sqlite:///{tmp_path}/l.db").connect() as other:
        other.exec_driver_sql("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match=r"database is locked\. No row was read"):
            budget.reserve(entry("0.5", "other"), "q")
        with pytest.raises(LedgerError, match=r"locked\. The release was drawn and is withheld.*release_id='r'"):
            held.commit(answer(1))
        held.fail()
        # Whoever only reads waits for nobody.
        assert budget.balance().spent == "0.5"
        other.rollback()
    assert budget.reserve(entry("0.5"), "q").commit(answer(1)) == answer(1)
    assert budget.balance().spent == "0.5"


def test_a_read_only_ledger_can_be_read(tmp_path):
    """By SQLite's own word for it: root may write to any file."""
    path = tmp_path / "l.db"
    budget = dp.Ledger(path).budget("b", total=1)
    budget.reserve(entry("0.5"), "q").commit(answer(1))
    read_only = dp.Ledger(f"sqlite:///file:{path}?mode=ro&uri=true")
    with pytest.raises(LedgerError, match=r"readonly database\. No row was read"):
        ledger.LedgerBudget(read_only._database, "b").reserve(entry("0.1", "x"), "q")
    assert read_only.balances()[0].spent == "0.5"


def test_a_full_disk_loses_nothing(tmp_path):
    """One page is left, and the answer needs more: it is withheld, and what was charged is still there."""
    path = tmp_path / "l.db"
    budget = dp.Ledger(path).budget("b", total=1)
    held = budget.reserve(entry("0.5"), "q")
    pages = create_engine(f"sqlite:///{path}").connect().exec_driver_sql("PRAGMA page_count").scalar_one()
    limited = dp.Ledger(path)
    from sqlalchemy import event

    event.listen(
        limited._database._engine, "connect", lambda raw, _: raw.execute(f"PRAGMA max_page_count = {pages + 1}")
    )
    small = ledger.LedgerBudget(limited._database, "b")
    again = small.reserve(entry("0.5"), "q")
    big = Release(tuple(range(100_000)), "0f" * 16, entry())
    with pytest.raises(LedgerError, match=r"full\. The release was drawn and is withheld"):
        again.commit(big)
    assert budget.balance().spent == "0.5"
    assert held.commit(big) == big


def test_a_server_that_goes_away_in_mid_transaction_loses_nothing(server):
    url = server.new_database()
    budget = dp.Ledger(url).budget("b", total=1)
    held = budget.reserve(entry("0.5"), "q")

    def broken_off():
        with budget._database.writing(ledger._UNCHARGED) as connection:
            connection.execute(text("UPDATE spark_dp_budget SET total = 0"))
            server.stop()
            connection.execute(text("SELECT 1"))

    with pytest.raises(LedgerError, match="No row was read"):
        broken_off()
    with pytest.raises(LedgerError, match="withheld"):
        held.commit(answer(1))
    with pytest.raises(LedgerError, match="could not be"):
        budget.reserve(entry("0.5", "other"), "q")
    server.start()
    assert (budget.balance().spent, budget.balance().total) == ("0.5", "1")
    assert budget.reserve(entry("0.5"), "q").commit(answer(1)) == answer(1)


def test_start_up_knows_no_database(tmp_path):
    loaded = "'sqlalchemy' in sys.modules"
    code = f"import sys, spark_dp\nassert not {loaded}\nspark_dp.Ledger\nassert {loaded}"
    subprocess.run([sys.executable, "-c", code], check=True)
    without = f"import sys; sys.modules['sqlalchemy'] = None\nimport spark_dp\nspark_dp.Ledger({str(tmp_path / 'l')!r})"
    told = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, env=os.environ, check=False)
    assert "pip install 'spark-dp[layer]'" in told.stderr
