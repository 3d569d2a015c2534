"""The two Java programs the COCO metrics rest on, each in a helper process of its own.

`host` runs in the child: it embeds one JVM and answers requests. `client` runs in the parent:
it starts the child when first needed, restarts it when it died, and never shares it with a
forked process. `framing` is the protocol between them.
"""
