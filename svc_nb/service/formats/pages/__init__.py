"""Pages of a PDF, read and written again, in a process of its own that loads no other part of svc_nb."""
