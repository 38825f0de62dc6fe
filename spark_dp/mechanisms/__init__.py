"""The private sampling mechanisms, one file each, and the registry that names them."""

from spark_dp.mechanisms.base import Mechanism, Smoothing
from spark_dp.mechanisms.registry import mechanism, mechanism_class

__all__ = ["Mechanism", "Smoothing", "mechanism", "mechanism_class"]
