"""A network cable that can be pulled: a SOCKS5 proxy on the loopback, for one browser."""

import contextlib
import socket
import struct
import threading


class Cable:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.plugged = True
        self.ends = set()
        threading.Thread(target=self.accept, daemon=True).start()

    def browser_arguments(self):
        return [f"--proxy-server=socks5://127.0.0.1:{self.port}", "--proxy-bypass-list=<-loopback>"]

    def pull(self):
        """Cuts every connection; new ones fail. Returns how many were cut."""
        self.plugged = False
        ends, self.ends = self.ends, set()
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        return len(ends) // 2

    def plug(self):
        self.plugged = True

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, contextlib.suppress(OSError, struct.error):
            if not self.plugged:
                return
            server = greet(client)
            with server:
                self.ends |= {client, server}
                back = threading.Thread(target=carry, args=(server, client), daemon=True)
                back.start()
                carry(client, server)
                back.join()
                self.ends -= {client, server}


def take(end, count):
    data = b""
    while len(data) < count:
        piece = end.recv(count - len(data))
        if not piece:
            raise OSError("closed")
        data += piece
    return data


def greet(client):
    """The greeting and the request of RFC 1928, without authentication; the connection that was asked for."""
    _, methods = take(client, 2)
    take(client, methods)
    client.sendall(b"\x05\x00")
    _, _, _, kind = take(client, 4)
    if kind == 1:
        host = socket.inet_ntop(socket.AF_INET, take(client, 4))
    elif kind == 4:
        host = socket.inet_ntop(socket.AF_INET6, take(client, 16))
    else:
        host = take(client, take(client, 1)[0]).decode()
    (port,) = struct.unpack(">H", take(client, 2))
    server = socket.create_connection((host, port), timeout=10)
    server.settimeout(None)
    client.sendall(b"\x05\x00\x00\x01" + bytes(6))
    return server


def carry(source, target):
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
