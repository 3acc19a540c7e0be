"""How many connections a read makes to a secure server, where each costs a handshake: those that are made ahead are used."""
import http.server
import ssl
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np

import files
from apache import make_certificates
from served import PRIVATE, answer

FRAGMENTS = 12


class Server(http.server.ThreadingHTTPServer):
    """Serves the files of a folder, and counts connections after their handshake, and requests."""

    daemon_threads = True
    request_queue_size = 100

    def __init__(self, folder):
        self.folder, self.connections, self.requests, self.lock = folder, 0, 0, threading.Lock()
        super().__init__(("127.0.0.1", 0), Handler)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(folder / "server.pem", folder / "server.key")

    def finish_request(self, request, client_address):
        # In the thread of the connection.
        with self.context.wrap_socket(request, server_side=True) as secure:
            with self.lock:
                self.connections += 1
            super().finish_request(secure, client_address)

    def handle_error(self, request, client_address):
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.lock:
            self.server.requests += 1
        if self.path == "/agg.nc":
            # All connections are there before it is answered.
            time.sleep(0.5)
        data = (self.server.folder / self.path[1:]).read_bytes()
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        part = data[int(first):int(last) + 1]
        self.send_response(206)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *words):
        pass


class Connections(unittest.TestCase):
    def test_fragments_are_requested_on_connections_that_were_made_for_them(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        folder = Path(folder.name)
        certificates = make_certificates(folder)
        names, data = files.fragments(folder, FRAGMENTS)
        files.aggregation(folder / "agg.nc", names)
        server = Server(folder)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        address = f"https://127.0.0.1:{server.server_port}/agg.nc"
        got = answer(address, SSL_CERT_FILE=str(certificates), **PRIVATE)
        np.testing.assert_array_equal(np.array(got["values"]).reshape(got["shape"]), data)
        self.assertEqual(server.requests, 1 + FRAGMENTS)
        # Those that are made ahead, and that of the first request, which may have taken one of them.
        self.assertIn(server.connections, (16, 17))


if __name__ == "__main__":
    unittest.main()
