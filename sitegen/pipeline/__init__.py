"""The whole order on one screen: read, measure, verify, present, write."""
