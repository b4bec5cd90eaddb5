"""Pages of a PDF, read and written anew, in a process of its own that loads no other part of svc_nb."""
