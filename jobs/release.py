r"""Run the releases that a file lists, each once, as a nightly job does: ``spark-dp run`` as a job.

    spark-submit jobs/release.py conf/releases.yaml

Exit status: 0 if every release is written; 1 if some failed; 2 if nothing was run, since the files are wrong or a
budget does not cover the run.
"""

import sys

from spark_dp.cli import main

if __name__ == "__main__":
    main(["run", *sys.argv[1:]])
