"""The two Java programs of the COCO metrics, each in its own helper process.

`host` runs in the helper: it embeds a JVM and answers requests. `client` runs in the parent: it
starts the helper at the first request, restarts it after a crash, and never shares it with a forked
process. `framing` is the protocol between them. `sharing` serves helpers to several processes.
"""
