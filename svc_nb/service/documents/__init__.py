"""Documents: stored encrypted with a key that only the caller has, translated by threads, handed out once, then billed.

`DocumentStore.add` encrypts a file and forgets the key; a `DocumentWorker` that is offered the key translates it; and
`DocumentStore.send` sends, bills and removes the result. After a restart the next question about it brings its key.
"""
