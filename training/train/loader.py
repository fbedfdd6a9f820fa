"""Loads manifests into a corpus while the training runs."""

import threading
import time

from train.data import find_manifests

_PAUSE_S = 1.0
_NEW_TABLE_S = 8.0
_FIRST = 8  # manifests that are loaded before the first step


class Loader:
    """A thread that adds new manifests to the corpus. Use it as a context manager. The thread ends with the context."""

    def __init__(self, corpus, data, without):
        self.corpus, self.data, self.without = corpus, data, without
        self.ended, self.error, self.built = threading.Event(), None, 0.0
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def first(self):
        """Loads the first manifests and returns their utterances."""
        for path in find_manifests(self.data)[:_FIRST]:
            self.corpus.add(path, self.without)
        if not self.corpus.shards:
            raise ValueError("the data has no utterance that can be used")
        return self.corpus.table()

    def newest(self, table):
        """Returns a table that includes new utterances. Returns the given table if it is only a few seconds old or if
        there are no new utterances.
        """
        if self.error is not None:
            raise self.error
        if time.monotonic() - self.built < _NEW_TABLE_S or len(self.corpus.shards) == table.shards:
            return table
        self.built = time.monotonic()
        return self.corpus.table()

    def _run(self):
        try:
            while not self.ended.is_set() and not self.corpus.full:
                new = [path for path in find_manifests(self.data) if path not in self.corpus.loaded]
                for path in new:
                    if self.ended.is_set() or self.corpus.full:
                        return
                    self.corpus.add(path, self.without)
                self.ended.wait(_PAUSE_S)
        except Exception as error:  # noqa: BLE001 - the training raises it
            self.error = error
