r"""Release a private sample of columns of a table: ``spark-dp sample`` as a job.

    spark-submit jobs/dp_sample.py --input flights.parquet --column carrier \
        --domain airlines.parquet --eps 1 --num-samples 10 --output sample.parquet

Exit status: 0 if the sample was written; 1 if Spark failed; 2 if the call cannot be answered (nothing was read).
"""

import sys

from spark_dp.cli import main

if __name__ == "__main__":
    main(["sample", *sys.argv[1:]])
