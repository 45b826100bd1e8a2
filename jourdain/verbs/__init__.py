"""Verbs of the command ``jourdain`` that have their own file; ``jourdain.command`` adds them, and has the other verbs.

``common`` holds shared options. ``trial`` is no verb: ``test`` starts it as a separate process.
"""
