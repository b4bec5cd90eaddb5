"""One file per resource of the API: the shapes it takes and gives, what is stored of it, and what is done."""
