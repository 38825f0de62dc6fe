"""The warehouse privacy layer: a reviewed policy, a durable budget, SQL."""
