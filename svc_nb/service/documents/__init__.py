"""Documents: stored encrypted with a key that only the caller has, translated by threads, handed out once, then billed.

The life of a document: `DocumentStore.add` encrypts the file with a new key and forgets the key; a `DocumentWorker`
that is offered the key decrypts it, translates it and encrypts the result; `DocumentStore.send` sends the result, and
bills and removes the document when all of it has gone out. After a restart the next question about a document brings
its key, and the work goes on.
"""
