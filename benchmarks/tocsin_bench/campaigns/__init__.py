"""Campaigns: do the promises hold? Truths that are independent of the engines, by the thousand."""
