"""The studies behind jobs/reproduce_paper.py, one file each."""
