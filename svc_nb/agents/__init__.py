"""svc_nb for agents: a server of the Model Context Protocol, which `svc-nb mcp` runs.

An agent's tools are the verbs of the package. It can read, check and plan by itself; what costs something needs a
budget, and what changes a glossary repeats what the agent was shown of the change. Keys are the person's own, and
neither asked for nor told.
"""
