"""The private sampling mechanisms, one file each, and the registry that names them."""

from spark_dp.mechanisms.base import Mechanism
from spark_dp.mechanisms.registry import mechanism, methods
from spark_dp.mechanisms.smoothed_histogram import max_draws

__all__ = ["Mechanism", "max_draws", "mechanism", "methods"]
