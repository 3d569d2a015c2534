"""Mechanical Turk by boto3, and any service that speaks its API.

Amazon closed Mechanical Turk on 30 September 2026. boto3 still ships its client, requesters'
scripts and archives still speak it, and so does `mturk_sandbox`.
"""
