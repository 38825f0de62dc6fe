"""The counter that reads Parquet files itself, against Spark's own and against how the files were made.

Would catch: a type, an encoding or a codec that pyarrow reads otherwise than Spark, a row group counted
twice or never, a source that is not plain and still counted from its files, rows that reach the driver.
"""

import subprocess
import sys
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spark_dp as dp
from spark_dp.errors import PrivateComputationError, SourceError
from spark_dp.spark import deltas, files
from spark_dp.spark.columns import folds_case, sampled_columns
from spark_dp.spark.counting import count_native
from spark_dp.spark.domains import resolve
from spark_dp.spark.plain import opener
from spark_dp.spark.rowgroups import NOT_COUNTED, row_group_counter

UTC = timezone.utc
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
INSTANTS = [
    datetime(2013, 11, 3, 5, 30, tzinfo=UTC),  # 01:30 in New York, which comes again an hour later
    datetime(2013, 11, 3, 6, 30, tzinfo=UTC),
    datetime(1960, 2, 29, 23, 59, 59, 999000, tzinfo=UTC),
    EPOCH,
]
FINE = [*INSTANTS, EPOCH + timedelta(microseconds=1), datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)]
LATER = EPOCH + timedelta(days=20_000, milliseconds=1)
WALL = [instant.replace(tzinfo=None) for instant in FINE]
DECIMALS = [Decimal(0), Decimal("1.5"), Decimal("-99.99")]
TEXTS = ["", " ", "a", "a ", "A", "ä", "a\u0308", "日本", "\\", "\n", "NULL"]

#: For each column: its Arrow type, the domain, and values outside the domain.
COLUMNS = {
    "string": (pa.string(), TEXTS, ["b", "aa", "null"]),
    "large_string": (pa.large_string(), TEXTS, ["b"]),
    "binary": (pa.binary(), [b"", b"\x00", b"\xff\x00", b"a"], [b"A"]),
    "fixed_binary": (pa.binary(2), [b"\x00\x00", b"\xff\x00"], [b"ab"]),
    "boolean": (pa.bool_(), [True], [False]),
    "tinyint": (pa.int8(), [0, 1, -128, 127], [2, -1]),
    "smallint": (pa.int16(), [0, -(2**15), 2**15 - 1], [5]),
    "int": (pa.int32(), [0, -(2**31), 2**31 - 1], [7]),
    "dense": (pa.int32(), list(range(-3, 4)), [-4, 4, 2**31 - 1, -(2**31)]),
    "bigint": (pa.int64(), [0, -(2**63), 2**63 - 1, 2**53 + 1], [2**53, 2**53 + 2]),
    "uint8": (pa.uint8(), [0, 255], [7]),
    "uint16": (pa.uint16(), [0, 2**16 - 1], [7]),
    "uint32": (pa.uint32(), [0, 2**32 - 1], [7]),
    "decimal4": (pa.decimal128(6, 2), DECIMALS, [Decimal("1.51")]),
    "decimal8": (pa.decimal128(17, 2), DECIMALS, [Decimal("1.51")]),
    "decimal16": (pa.decimal128(38, 18), [Decimal("0.000000000000000001"), Decimal(10**19)], [Decimal(1)]),
    "date": (pa.date32(), [date(2024, 2, 29), date(1970, 1, 1), date(9999, 12, 31)], [date(2024, 2, 28)]),
    "millis": (pa.timestamp("ms", tz="UTC"), INSTANTS, [LATER]),
    "micros": (pa.timestamp("us", tz="Europe/Berlin"), FINE, [LATER]),
    "wall_millis": (pa.timestamp("ms"), WALL[:4], [LATER.replace(tzinfo=None)]),
    "wall_micros": (pa.timestamp("us"), WALL, [LATER.replace(tzinfo=None)]),
}
#: How a column of each name is encoded, where its type allows; None is the default, a dictionary.
ENCODINGS = {
    "dictionary": None,
    "plain": dict.fromkeys(COLUMNS, "PLAIN"),
    "delta": {
        **{name: "DELTA_BINARY_PACKED" for name in COLUMNS if name not in ("boolean", "string", "large_string")},
        **dict.fromkeys(("string", "binary"), "DELTA_BYTE_ARRAY"),
        **dict.fromkeys(("fixed_binary", "decimal16"), "PLAIN"),
        "large_string": "DELTA_LENGTH_BYTE_ARRAY",
        "boolean": "RLE",
    },
    "split": dict.fromkeys(
        [name for name in COLUMNS if name not in ("boolean", "string", "large_string", "binary")], "BYTE_STREAM_SPLIT"
    ),
}


def values(name):
    """Value number i of the column stands i + 1 times, in turn with the others, and a null 5 times."""
    _, inside, outside = COLUMNS[name]
    repeated = [(place, value) for value in range(len(inside) + len(outside)) for place in range(value + 1)]
    order = [value for _, value in sorted(repeated)]
    return [None, None, *([*inside, *outside][value] for value in order), None, None, None]


def expected(name, times=1):
    inside = len(COLUMNS[name][1])
    # Every column is as long as the longest, and nulls fill it.
    return [times * (place + 1) for place in range(inside)], times * (LENGTH - inside * (inside + 1) // 2)


LENGTH = max(len(values(name)) for name in COLUMNS)


def whole_table():
    return pa.table(
        {
            name: pa.array([*column, *[None] * (LENGTH - len(column))], COLUMNS[name][0])
            for name, column in ((name, values(name)) for name in COLUMNS)
        }
    )


def write(table, path, *, encoding="dictionary", **options):
    options = {"store_decimal_as_integer": True, "row_group_size": 37, **options}
    coded = ENCODINGS[encoding]
    if coded is not None:
        options |= {
            "use_dictionary": False,
            "column_encoding": {n: e for n, e in coded.items() if n in table.schema.names},
        }
    pq.write_table(table, path, **options)


def dense(counts):
    every = np.zeros(counts.k, np.int64)
    every[counts.ranks] = counts.counts
    return every.tolist(), counts.outside


def counted(counter, df, col, domain, *, outside=True):
    columns = sampled_columns(df, col)
    return dense(counter(df, columns, resolve(columns, domain), outside=outside))


def from_files(df, col, domain, *, outside=True):
    """The counts from the files alone."""
    columns = sampled_columns(df, col)
    counts = files._from_files(df, columns, resolve(columns, domain), outside=outside)
    assert counts is not None, "fell back"
    return dense(counts)


def falls_back(df, col, domain):
    columns = sampled_columns(df, col)
    return not files.is_parquet(df) or files._from_files(df, columns, resolve(columns, domain), outside=True) is None


def both(df, col, domain):
    found = from_files(df, col, domain)
    assert found == counted(count_native, df, col, domain)
    return found


def changed(spark, new):
    """Sets Spark settings, and afterwards as they were."""
    old = {key: spark.conf.get(key) for key in new}
    for key, value in new.items():
        spark.conf.set(key, value)
    yield
    for key, value in old.items():
        spark.conf.set(key, value)


@pytest.fixture(scope="module", autouse=True)
def _as_they_stand(spark):
    """The dates of files that others wrote are taken as they stand: the default from Spark 4 on."""
    modes = ("spark.sql.parquet.datetimeRebaseModeInRead", "spark.sql.parquet.int96RebaseModeInRead")
    yield from changed(spark, dict.fromkeys(modes, "CORRECTED"))


@pytest.fixture
def settings(request, spark):
    """Settings that the test names."""
    yield from changed(spark, request.param)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of one schema, in every encoding and codec that Spark can read without more libraries."""
    path = tmp_path_factory.mktemp("matrix")
    table = whole_table()
    for encoding in ("dictionary", "plain", "delta"):
        for codec in ("none", "snappy", "gzip", "zstd"):
            write(table, path / f"{encoding}-{codec}.parquet", encoding=encoding, compression=codec)
    write(table, path / "lz4.parquet", compression="lz4")
    write(table, path / "overflowing.parquet", dictionary_pagesize_limit=16, data_page_size=32, row_group_size=200)
    write(table, path / "version1.parquet", version="1.0", data_page_version="1.0")
    write(table, path / "page2.parquet", data_page_version="2.0")
    write(table, path / "bytes.parquet", store_decimal_as_integer=False)
    return path


@pytest.fixture(scope="module")
def matrix(spark, folder):
    return dp.parquet(spark, str(folder))


@pytest.mark.parametrize("name", COLUMNS)
def test_every_type_is_counted_as_spark_counts_it_over_all_encodings_and_codecs(matrix, folder, name):
    times = len(list(folder.iterdir()))
    assert both(matrix, name, COLUMNS[name][1]) == expected(name, times)


def as_an_executor(df, path, name, parts=3):
    """What an executor counts in one file of the DataFrame, without Spark."""
    columns = sampled_columns(df, name)
    domain = resolve(columns, COLUMNS[name][1])
    task = row_group_counter(columns, domain, parts, opener(columns, fold_case=True, moved=False), outside=True)
    work = pa.RecordBatch.from_pydict({"path": [path.as_uri()] * parts, "part": list(range(parts))})
    (partial,) = task(iter([work]))
    found = dict(zip(*(column.to_pylist() for column in partial.columns), strict=True))
    assert NOT_COUNTED not in found
    return [found.get(rank, 0) for rank in range(domain.size)], found.get(None, 0)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd", "lz4", "brotli"])
def test_every_encoding_with_every_codec(matrix, tmp_path, encoding, codec):
    """Each file by itself, so that no two mistakes make up for each other."""
    write(whole_table(), tmp_path / "t.parquet", encoding=encoding, compression=codec)
    for name in COLUMNS:
        assert as_an_executor(matrix, tmp_path / "t.parquet", name) == expected(name), name


def test_a_column_that_outgrows_its_dictionary_near_its_end_or_early(spark, tmp_path):
    """Would catch: only the part in the dictionary counted, one dictionary taken for another."""
    texts = ["a"] * 3000 + [f"text {number % 100}" for number in range(200)] + [None, "a"]
    for name, order in (("late", texts), ("early", texts[::-1])):
        table = pa.table({"v": order})
        write(
            table, tmp_path / f"{name}.parquet", dictionary_pagesize_limit=200, data_page_size=64, row_group_size=3100
        )
    found = both(dp.parquet(spark, str(tmp_path)), "v", ["text 99", "a", "z", "text 0"])
    assert found == ([4, 6002, 0, 4], 394)


@pytest.mark.parametrize("parts", [1, 2, 7, 256])
def test_each_row_group_is_counted_once_whatever_the_number_of_parts(matrix, tmp_path, parts):
    write(whole_table(), tmp_path / "t.parquet", row_group_size=9)
    assert as_an_executor(matrix, tmp_path / "t.parquet", "string", parts) == expected("string")


def test_old_timestamps_of_twelve_bytes_are_counted(spark, tmp_path):
    """Would catch: INT96 read as nanoseconds, which wrap around before 1677 and after 2262."""
    table = whole_table().select(["micros"])
    write(table, tmp_path / "t.parquet", use_deprecated_int96_timestamps=True)
    assert both(dp.parquet(spark, str(tmp_path)), "micros", FINE) == expected("micros")


#: Settings and options.
SPARK_WRITES = {
    "default": ({}, {}),
    "version 2": ({}, {"parquet.writer.version": "PARQUET_2_0"}),
    "plain": ({}, {"parquet.enable.dictionary": "false"}),
    "overflow": ({}, {"parquet.dictionary.page.size": "64"}),
    "overflow 2": ({}, {"parquet.dictionary.page.size": "64", "parquet.writer.version": "PARQUET_2_0"}),
    "legacy": ({"spark.sql.parquet.writeLegacyFormat": "true"}, {"compression": "gzip"}),
    "int96": ({"spark.sql.parquet.outputTimestampType": "INT96"}, {}),
    "millis": ({"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS"}, {"compression": "zstd"}),
}


@pytest.mark.parametrize(("settings", "options"), SPARK_WRITES.values(), ids=SPARK_WRITES.keys(), indirect=["settings"])
@pytest.mark.usefixtures("settings")
def test_what_spark_wrote_in_its_many_ways(spark, tmp_path, options):
    write(whole_table(), tmp_path / "one.parquet")
    once = spark.read.parquet(str(tmp_path / "one.parquet"))
    once.coalesce(1).write.options(**options).parquet(str(tmp_path / "out"))
    df = dp.parquet(spark, str(tmp_path / "out"))
    (path,) = (tmp_path / "out").glob("*.parquet")
    in_millis = spark.conf.get("spark.sql.parquet.outputTimestampType") == "TIMESTAMP_MILLIS"
    for name in COLUMNS.keys() - ({"micros"} if in_millis else set()):
        assert as_an_executor(df, path, name) == expected(name), name
    assert both(df, ["string", "int"], {"string": ["a", "A"], "int": [0, 7]})[1] > 0


#: What the other engines know by the same type.
COMMON = (
    "string",
    "binary",
    "boolean",
    "tinyint",
    "int",
    "bigint",
    "decimal4",
    "decimal16",
    "date",
    "micros",
    "wall_micros",
)


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_what_duckdb_wrote(spark, tmp_path, version):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "duck.parquet"
    with duckdb.connect() as connection:
        connection.register("t", whole_table().select(COMMON))
        connection.execute(f"copy t to '{path}' (format parquet, parquet_version {version})")
    df = dp.parquet(spark, str(path))
    for name in COMMON:
        assert as_an_executor(df, path, name) == expected(name), name
    both(df, ["string", "decimal4"], {"string": TEXTS, "decimal4": DECIMALS})


def test_what_polars_wrote(spark, tmp_path):
    polars = pytest.importorskip("polars")
    path = tmp_path / "bear.parquet"
    polars.from_arrow(whole_table().select(COMMON)).write_parquet(path, row_group_size=20)
    df = dp.parquet(spark, str(path))
    for name in COMMON:
        assert as_an_executor(df, path, name) == expected(name), name
    both(df, ["string", "decimal4"], {"string": TEXTS, "decimal4": DECIMALS})


# What is plain although it may not look so.


def simple(count=3):
    """`count` rows "a", one "b" and one null, with a number beside."""
    return pa.table({"v": pa.array(["a"] * count + ["b", None]), "i": pa.array(range(count + 2), pa.int32())})


DOMAIN = ["z", "a"]
SIMPLE = ([0, 3], 2)


def test_odd_names_hidden_files_empty_files_and_empty_row_groups(spark, tmp_path):
    """Would catch: a name taken for an address or decoded twice, a summary counted as data."""
    path = tmp_path / "ä b#c%20+d"
    path.mkdir()
    write(simple(), path / "x y?é.parquet")
    for name in ("_hidden.parquet", ".hidden.parquet", "_metadata", "_common_metadata", "_SUCCESS", ".x.parquet.crc"):
        write(simple(), path / name)
    write(simple().slice(0, 0), path / "empty.parquet")
    with pq.ParquetWriter(path / "groups.parquet", simple().schema) as writer:
        for table in (simple().slice(0, 0), simple(), simple().slice(0, 0)):
            writer.write_table(table)
    df = dp.parquet(spark, str(path))
    assert both(df, "v", DOMAIN) == ([0, 6], 4)


def test_hundreds_of_small_files_and_one_of_many_row_groups(spark, tmp_path):
    for number in range(200):
        pq.write_table(simple(), tmp_path / f"{number}.parquet")
    write(pa.concat_tables([simple()] * 300), tmp_path / "groups.parquet", row_group_size=2)
    assert both(dp.parquet(spark, str(tmp_path)), "v", DOMAIN) == ([0, 1500], 1000)


def test_several_paths(spark, tmp_path):
    for name in ("one.parquet", "two.parquet"):
        write(simple(), tmp_path / name)
    df = dp.parquet(spark, [str(tmp_path / "one.parquet"), f"file://{tmp_path}/two.parquet"])
    assert both(df, "v", DOMAIN) == ([0, 6], 4)


def test_nested_columns_beside_it_and_other_case_in_another_file(spark, tmp_path):
    nested = pa.array([{"v": "a", "i": [1]}] * 5)
    write(simple().append_column("s", nested).append_column("l", pa.array([["a"]] * 5)), tmp_path / "a.parquet")
    write(simple().rename_columns(["V", "I"]), tmp_path / "b.parquet")
    df = dp.parquet(spark, str(tmp_path))
    name = next(name for name in df.columns if name.lower() == "v")
    assert folds_case(df)
    assert both(df, name, DOMAIN) == ([0, 6], 4)


def test_a_folder_for_each_value_of_another_column(spark, tmp_path):
    for part in ("p=1", "p=2"):
        (tmp_path / part).mkdir()
        write(simple(), tmp_path / part / "x.parquet")
    df = dp.parquet(spark, str(tmp_path))
    assert both(df, "v", DOMAIN) == ([0, 6], 4)
    assert falls_back(df, "p", [1, 2])
    assert counted(files.count_parquet, df, "p", [1, 2]) == ([5, 5], 0)


@pytest.mark.parametrize("sizes", [(3, 4), (3, 60), (2000, 1)])
def test_several_columns_jointly(spark, tmp_path, sizes):
    """Would catch: strides in the wrong order, a null in one column that counts as a value."""
    texts = [f"v{number % 7}" if number % 5 else None for number in range(900)]
    numbers = [number % 70 if number % 11 else None for number in range(900)]
    write(pa.table({"s": texts, "i": pa.array(numbers, pa.int32())}), tmp_path / "t.parquet", row_group_size=100)
    domain = {"s": [f"v{place}" for place in range(sizes[0])], "i": list(range(sizes[1]))}
    found, outside = both(dp.parquet(spark, str(tmp_path)), ["s", "i"], domain)
    rows = list(zip(texts, numbers, strict=True))
    assert found == [rows.count((s, i)) for s in domain["s"] for i in domain["i"]]
    assert sum(found) + outside == 900


def test_a_wide_domain_of_integers_is_hashed(spark, tmp_path):
    write(pa.table({"i": [0, 10**12, 10**12, -5, None]}), tmp_path / "t.parquet")
    assert both(dp.parquet(spark, str(tmp_path)), "i", [10**12, 0, 7]) == ([2, 1, 0], 2)


def test_whole_numbers_and_dates_that_need_no_list(spark, tmp_path, monkeypatch):
    days = [date(2024, 2, 29), date(2024, 3, 1), None, date(9999, 12, 31)]
    write(pa.table({"i": pa.array([7, 9, 0, None], pa.int16()), "d": days, "s": ["a"] * 4}), tmp_path / "t.parquet")
    df = dp.parquet(spark, str(tmp_path))
    leap = dp.Dates(date(2024, 2, 28), date(2024, 3, 1))
    assert both(df, "i", dp.Integers(7, 9)) == ([1, 0, 1], 2)
    assert both(df, "d", leap) == ([0, 1, 1], 2)
    assert both(df, ["d", "s", "i"], {"d": leap, "s": ["a"], "i": dp.Integers(7, 8)}) == ([0, 0, 1, 0, 0, 0], 3)
    assert falls_back(df, "i", dp.Bins(0, 10, 2))
    monkeypatch.setattr(files, "_LISTED", 2)
    assert falls_back(df, "d", leap)


# What is not plain.


@pytest.fixture
def plain_df(spark, tmp_path):
    write(simple(), tmp_path / "t.parquet")
    return dp.parquet(spark, str(tmp_path))


@pytest.fixture
def native_calls(monkeypatch):
    calls = []

    def spy(df, columns, domain, *, outside):
        calls.append(df)
        return count_native(df, columns, domain, outside=outside)

    monkeypatch.setattr(files, "count_native", spy)
    return calls


def test_any_transformation_makes_an_ordinary_frame_of_it(plain_df):
    from pyspark.sql import functions as F

    assert files.is_parquet(plain_df)
    for other in (
        plain_df.filter("i > 0"),
        plain_df.select("v"),
        plain_df.withColumn("v", F.lit("a")),
        plain_df.limit(1),
    ):
        assert not files.is_parquet(other)
    assert counted(count_native, plain_df.filter("i > 0"), "v", DOMAIN) == ([0, 2], 2)
    assert plain_df.filter("i > 2").dp_sample("v", 50, domain=["a", "b"]).first().v == "b"


@pytest.mark.parametrize("other", ["lacks it", "has bytes"])
def test_a_file_that_lacks_the_column_or_has_it_in_another_type(spark, tmp_path, native_calls, other):
    """Spark takes the schema from the first file."""
    write(simple(), tmp_path / "a.parquet")
    lacking = simple().drop_columns(["v"])
    as_bytes = lacking.append_column("v", simple()["v"].cast(pa.binary()))
    write(lacking if other == "lacks it" else as_bytes, tmp_path / "b.parquet")
    df = dp.parquet(spark, str(tmp_path))
    assert counted(files.count_parquet, df, "v", DOMAIN) == (([0, 3], 7) if other == "lacks it" else ([0, 6], 4))
    assert native_calls == [df]


def test_a_declared_domain_leaves_it_what_it_is(plain_df):
    declared = dp.declare_domain(plain_df, "v", DOMAIN)
    assert files.is_parquet(declared)
    assert both(declared, "v", None) == SIMPLE
    assert not files.is_parquet(dp.declare_domain(plain_df.filter("i > 0"), "v", DOMAIN))


def test_a_file_that_is_read_twice(spark, tmp_path, native_calls):
    write(simple(), tmp_path / "t.parquet")
    df = dp.parquet(spark, [str(tmp_path), str(tmp_path / "t.parquet")])
    assert counted(files.count_parquet, df, "v", DOMAIN) == ([0, 6], 4)
    assert native_calls == [df]


def test_a_pattern(spark, tmp_path, native_calls):
    write(simple(), tmp_path / "t.parquet")
    df = dp.parquet(spark, str(tmp_path / "{t,t}.parquet"))
    counted(files.count_parquet, df, "v", DOMAIN)
    assert native_calls == [df]


def test_a_folder_that_is_called_as_a_column_of_the_files(spark, tmp_path, native_calls):
    """Spark takes the value from the folder."""
    (tmp_path / "v=a").mkdir()
    write(simple(), tmp_path / "v=a" / "t.parquet")
    df = dp.parquet(spark, str(tmp_path))
    assert counted(files.count_parquet, df, "v", DOMAIN) == ([0, 5], 0)
    assert native_calls == [df]


def test_a_name_with_a_dot(spark, tmp_path, native_calls):
    table = simple().rename_columns(["s.v", "i"]).append_column("s", pa.array([{"v": "z"}] * 5))
    write(table, tmp_path / "t.parquet")
    df = dp.parquet(spark, str(tmp_path))
    assert counted(files.count_parquet, df, "s.v", DOMAIN) == SIMPLE
    assert native_calls == [df]


@pytest.mark.parametrize(
    "uri", ["nosuch://host/t.parquet", "s3://bucket/t.parquet", "file:///nowhere/t.parquet", "relative", ""]
)
def test_files_out_of_reach(plain_df, monkeypatch, native_calls, uri):
    monkeypatch.setattr(files, "_data_files", lambda _: [uri])
    assert counted(files.count_parquet, plain_df, "v", DOMAIN) == SIMPLE
    assert native_calls == [plain_df]


def test_no_listing(plain_df, monkeypatch, native_calls):
    monkeypatch.setattr(type(plain_df), "inputFiles", lambda _: [])
    assert counted(files.count_parquet, plain_df, "v", DOMAIN) == SIMPLE
    assert native_calls == [plain_df]


@pytest.mark.parametrize("damage", ["garbage", "cut", "page"])
def test_what_no_one_can_read_fails_in_the_words_of_the_native_counter(spark, tmp_path, native_calls, damage):
    for name in ("a.parquet", "b.parquet"):
        write(simple(5000), tmp_path / name, use_dictionary=False, compression="none")
    df = dp.parquet(spark, str(tmp_path))
    whole = (tmp_path / "b.parquet").read_bytes()
    page = whole[:4] + b"\xff" * 60 + whole[64:]
    damaged = {"garbage": b"x" * len(whole), "cut": whole[: len(whole) // 2], "page": page}[damage]
    (tmp_path / "b.parquet").write_bytes(damaged)
    with pytest.raises(PrivateComputationError, match="Reading the private rows failed"):
        df.dp_sample("v", 1, domain=DOMAIN)
    assert native_calls == [df]


READ_MODE = "spark.sql.parquet.datetimeRebaseModeInRead"


@pytest.mark.parametrize("settings", [{READ_MODE: mode} for mode in ("LEGACY", "EXCEPTION")], indirect=True)
@pytest.mark.usefixtures("settings")
def test_dates_of_files_by_others_where_spark_would_move_them(spark, tmp_path, native_calls):
    write(whole_table().select(["date", "string"]), tmp_path / "t.parquet")
    df = dp.parquet(spark, str(tmp_path))
    assert counted(files.count_parquet, df, "date", COLUMNS["date"][1]) == expected("date")
    assert native_calls == [df]
    assert not falls_back(df, "string", TEXTS)


@pytest.mark.parametrize("settings", [{"spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY"}], indirect=True)
@pytest.mark.usefixtures("settings")
def test_dates_of_the_julian_calendar(spark, tmp_path, native_calls):
    old = [(date(1500, 3, 1),), (date(1500, 3, 11),)]
    spark.createDataFrame(old, "d date").write.parquet(str(tmp_path / "t"))
    df = dp.parquet(spark, str(tmp_path / "t"))
    assert counted(files.count_parquet, df, "d", [date(1500, 3, 1), date(1500, 3, 10)]) == ([1, 0], 1)
    assert native_calls == [df]


def test_text_that_spark_pads(spark, tmp_path, native_calls):
    metadata = {"org.apache.spark.version": "4.0.0"}
    field = '{"name":"v","type":"string","nullable":true,"metadata":{"__CHAR_VARCHAR_TYPE_STRING":"char(3)"}}'
    metadata["org.apache.spark.sql.parquet.row.metadata"] = f'{{"type":"struct","fields":[{field}]}}'
    table = simple().select(["v"]).replace_schema_metadata(metadata)
    write(table, tmp_path / "t.parquet")
    df = dp.parquet(spark, str(tmp_path))
    counted(files.count_parquet, df, "v", ["a", "a  "])
    assert native_calls == [df]


def test_a_column_that_is_encrypted(spark, tmp_path, native_calls):
    """Spark, which has no key either, knows the schema from the footer and cannot read a row."""
    pe = pytest.importorskip("pyarrow.parquet.encryption")

    class Kms(pe.KmsClient):
        def __init__(self, _config):
            super().__init__()

        def wrap_key(self, key_bytes, _name):
            return key_bytes.hex()

        def unwrap_key(self, wrapped, _name):
            return bytes.fromhex(wrapped)

    config = pe.EncryptionConfiguration("footer", column_keys={"key": ["v"]}, plaintext_footer=True)
    properties = pe.CryptoFactory(Kms).file_encryption_properties(pe.KmsConnectionConfig(), config)
    write(simple(), tmp_path / "t.parquet", encryption_properties=properties)
    df = dp.parquet(spark, str(tmp_path))
    with pytest.raises(PrivateComputationError):
        df.dp_sample("v", 1, domain=DOMAIN)
    assert native_calls == [df]


def test_a_delta_table_is_refused(spark, tmp_path):
    write(simple(), tmp_path / "t.parquet")
    (tmp_path / "_delta_log").mkdir()
    (tmp_path / "_delta_log" / "00000000000000000000.json").write_text("{}")
    for path in (tmp_path, f"{tmp_path}/", tmp_path.as_uri()):
        with pytest.raises(SourceError, match="Delta table"):
            dp.parquet(spark, str(path))


def test_a_delta_table_counts_by_its_own_list_of_files(spark, tmp_path):
    """Would catch: files that the table has dropped, a column that an old file lacks, names decoded once too little."""
    deltalake = pytest.importorskip("deltalake")
    path = str(tmp_path / "a table")
    deltalake.write_deltalake(path, simple(50))
    deltalake.write_deltalake(path, simple().select(["v"]), mode="overwrite", schema_mode="overwrite")
    df = dp.delta(spark, path)
    assert both(df, "v", DOMAIN) == SIMPLE
    assert df.count() == 5
    deltalake.write_deltalake(path, simple(), mode="append", schema_mode="merge")
    assert counted(files.count_parquet, dp.delta(spark, path), "v", DOMAIN) == ([0, 6], 4)
    assert falls_back(dp.delta(spark, path), "i", [0, 1])
    assert counted(files.count_parquet, dp.delta(spark, path), "i", [0, 1]) == ([1, 1], 8)
    with pytest.raises(SourceError, match="Delta table"):
        dp.parquet(spark, path)
    deltalake.DeltaTable(path).delete()
    assert dp.delta(spark, path).count() == 0


def test_a_delta_table_whose_files_are_not_its_rows_is_refused(spark, tmp_path, monkeypatch):
    deltalake = pytest.importorskip("deltalake")
    parts = str(tmp_path / "parts")
    deltalake.write_deltalake(parts, simple(), partition_by=["v"])
    with pytest.raises(SourceError, match="has partition columns"):
        dp.delta(spark, parts)
    path = tmp_path / "t"
    deltalake.write_deltalake(path, simple())
    log = next((path / "_delta_log").glob("*.json"))
    whole = log.read_text()
    protocol = next(line for line in whole.splitlines() if '"protocol"' in line)
    for feature, words in (("deletionVectors", "deletion vectors"), ("columnMapping", "column mapping")):
        needs = f'{{"protocol":{{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["{feature}"],'
        log.write_text(whole.replace(protocol, needs + f'"writerFeatures":["{feature}"]}}}}'))
        with pytest.raises(SourceError, match=f"has {words}.*format\\('delta'\\)"):
            dp.delta(spark, str(path))
    with pytest.raises(SourceError, match="cannot be opened"):
        dp.delta(spark, str(tmp_path / "nothing"))
    find = deltas.importlib.util.find_spec
    monkeypatch.setattr(deltas.importlib.util, "find_spec", lambda name: None if name == "deltalake" else find(name))
    with pytest.raises(SourceError, match="pip install deltalake"):
        dp.delta(spark, str(path))


@pytest.mark.parametrize("path", [None, 7, [], [None], [b"x"]])
def test_a_path_that_is_none(spark, path):
    with pytest.raises(SourceError, match="path = "):
        dp.parquet(spark, path)
    with pytest.raises(SourceError, match="path = "):
        dp.delta(spark, path)


# The release.


def test_a_release_reads_the_files_and_not_spark(spark, plain_df, monkeypatch):
    def refused(*_args, **_kwargs):
        raise AssertionError("fell back")

    before = {table.name for table in spark.catalog.listTables()}
    monkeypatch.setattr(files, "count_native", refused)
    assert plain_df.dp_sample("v", 50, domain=["a"], num_samples=3).collect() == [("a",)] * 3
    assert len(plain_df.dp_sample("v", 1, domain=DOMAIN, relation="replace").collect()) == 1
    noisy = plain_df.dp_histogram(["v", "i"], 50, domain={"v": ["b", "a"], "i": [0, 3]}).collect()
    assert [row.noisy_count for row in noisy] == [0, 1, 1, 0]
    assert {table.name for table in spark.catalog.listTables()} == before


@pytest.mark.parametrize("outside", [False, True])
def test_no_more_than_one_row_for_each_value_and_one_for_the_rest_reach_the_driver(
    spark, tmp_path, driver_rows, outside
):
    for number in range(5):
        texts = [f"v{place % 40}" for place in range(400)] + [f"junk{place}" for place in range(400)]
        write(pa.table({"v": texts}), tmp_path / f"{number}.parquet")
    domain = [f"v{place}" for place in range(40)]
    found = from_files(dp.parquet(spark, str(tmp_path)), "v", domain, outside=outside)
    assert found == ([50] * 40, 2000 if outside else 0)
    assert driver_rows == [41 if outside else 40]


def test_an_executor_needs_no_spark_dp(matrix, folder):
    """What is sent is unpickled and run where spark_dp cannot be imported."""
    from pyspark import cloudpickle

    columns = sampled_columns(matrix, ["string", "micros", "decimal4", "int"])
    domain = resolve(columns, {column.name: COLUMNS[column.name][1] for column in columns})
    task = row_group_counter(columns, domain, 1, opener(columns, fold_case=True, moved=False), outside=True)
    code = (
        "import sys, pickle; sys.modules['spark_dp'] = None\n"
        "task, path = pickle.loads(sys.stdin.buffer.read())\n"
        "import pyarrow as pa\n"
        "(found,) = task(iter([pa.RecordBatch.from_pydict({'path': [path], 'part': [0]})]))\n"
        "assert found.column(0).to_pylist() != [-1]\n"
    )
    sent = cloudpickle.dumps((task, (folder / "plain-none.parquet").as_uri()))
    subprocess.run([sys.executable, "-c", code], input=sent, check=True)
