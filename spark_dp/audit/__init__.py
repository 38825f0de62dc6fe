"""Audits: the guarantee of a mechanism, shown anew for one's own public parameters, without any data."""

from spark_dp.audit.report import Audit, audit

__all__ = ["Audit", "audit"]
