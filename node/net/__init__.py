"""Links to other nodes: listening, dialling, the handshake, keep-alive, limits.

A *link* is one authenticated, encrypted channel to one identity.  Nothing above this package knows whether a link runs
over TCP, through a friend's relay or inside a test: it sends and receives whole messages and sees a state.
"""
