"""A server of rows, rewards and episodes, over HTTP and WebSocket.

    settings -> running -> app {guard, routes, sockets} -> service {source, store, figures}

`service` knows no web: it opens, replies, judges. A session is its row and its replies, kept in one
file that all workers share; whatever else a worker holds can be made again from that.
"""
