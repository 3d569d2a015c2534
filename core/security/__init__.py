"""The doors of the site: what comes in is bounded, and what goes out goes only where it may.

`outgoing` calls other people's servers, `limits` counts who asks how often, `uploads` bounds what
is sent, `cells` keeps spreadsheets from running what they show. The lowest room of those that know
Django: every other may import it.
"""
