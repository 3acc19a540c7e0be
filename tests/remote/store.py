"""An S3 server for a test: moto, which checks signatures as AWS does, behind a front that records requests and makes faults.

The front is also a proxy, so that the names of servers of AWS lead to it, with certificates of its own.
"""
import collections
import http.client
import re
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from apache import make_certificates
from served import ROOT

PROGRAM = ROOT / "build/remote/bin/moto_server"
USER, ROLE = "reader", "visitor"
POLICY = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}'
TRUST = POLICY.replace('"s3:*", "Resource": "*"', '"sts:AssumeRole", "Principal": {"AWS": "*"}')

Request = collections.namedtuple("Request", "host path headers status")


class Front(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_CONNECT(self):
        """Continues with the server that was asked for on the same connection, in its name."""
        self.send_response(200)
        self.end_headers()
        if self.path.endswith(":443"):
            self.connection = self.server.store.tls.wrap_socket(self.connection, server_side=True)
            self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.close_connection = False

    def finish(self):
        super().finish()
        if isinstance(self.connection, ssl.SSLSocket):
            self.connection.close()

    def do_PUT(self):
        self.do_GET()

    def do_GET(self):
        store, headers = self.server.store, {name.lower(): value for name, value in self.headers.items()}
        with store.lock:
            answer = store.fault and store.fault(self.command, self.path, headers)
            if answer is None:
                answer = store.forward(self.command, self.path, dict(self.headers.items()))
            status, fields, body = answer
            store.seen.append(Request(headers.get("host"), self.path, headers, status))
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Store:
    """Has buckets, a user, and a role with a session."""

    def __init__(self, folder):
        folder.mkdir(parents=True)
        self.lock, self.fault, self.seen = threading.Lock(), None, []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.inner = free.getsockname()[1]
        # The server ends with the test, even when that is killed.
        self.process = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", PROGRAM, "-H", "127.0.0.1", "-p", str(self.inner)],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        names = [f"DNS:{name}s3.{region}.amazonaws.com" for region in ("us-east-1", "eu-west-1") for name in ("", "*.")]
        self.certificates = make_certificates(folder, ",".join(names))
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(folder / "server.pem", folder / "server.key")
        self.front = ThreadingHTTPServer(("127.0.0.1", 0), Front)
        self.front.store, self.front.daemon_threads = self, True
        self.endpoint = f"http://127.0.0.1:{self.front.server_port}"
        threading.Thread(target=self.front.serve_forever, daemon=True).start()
        self.wait()
        self.checks(False)
        self.make_users()

    def wait(self):
        for _ in range(300):
            try:
                return self.exchange("GET", "/moto-api/data.json")
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        self.stop()
        raise AssertionError("the S3 server does not start")

    def stop(self):
        self.front.shutdown()
        self.front.server_close()
        self.process.terminate()
        self.process.wait()

    def exchange(self, method, path, headers=(), body=b""):
        connection = http.client.HTTPConnection("127.0.0.1", self.inner, timeout=30)
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        fields = {name: value for name, value in answer.getheaders()
                  if name.lower() not in ("connection", "content-length", "date", "server")}
        found = answer.status, fields, answer.read()
        connection.close()
        return found

    def checks(self, wanted):
        """Switches the check of signatures, which the server would also apply to those that make no claim."""
        self.exchange("POST", "/moto-api/reset-auth", body=b"0" if wanted else b"inf")

    def forward(self, method, path, headers):
        self.checks("Authorization" in headers or "authorization" in headers)
        try:
            return self.exchange(method, path, headers)
        finally:
            self.checks(False)

    def ask(self, service, **form):
        scope = f"AWS4-HMAC-SHA256 Credential=x/20200101/us-east-1/{service}/aws4_request, SignedHeaders=host, Signature=x"
        headers = {"Authorization": scope, "Content-Type": "application/x-www-form-urlencoded"}
        status, _, body = self.exchange("POST", "/", headers, urllib.parse.urlencode(form).encode())
        assert status == 200, body
        return {name: value for name, value in re.findall(r"<(\w+)>([^<]+)</\1>", body.decode())}

    def make_users(self):
        self.ask("iam", Action="CreateUser", UserName=USER, Version="2010-05-08")
        self.ask("iam", Action="PutUserPolicy", UserName=USER, PolicyName="p", PolicyDocument=POLICY, Version="2010-05-08")
        found = self.ask("iam", Action="CreateAccessKey", UserName=USER, Version="2010-05-08")
        self.key = found["AccessKeyId"], found["SecretAccessKey"]
        made = self.ask("iam", Action="CreateRole", RoleName=ROLE, AssumeRolePolicyDocument=TRUST, Version="2010-05-08")
        self.ask("iam", Action="PutRolePolicy", RoleName=ROLE, PolicyName="p", PolicyDocument=POLICY, Version="2010-05-08")
        found = self.ask("sts", Action="AssumeRole", RoleArn=made["Arn"], RoleSessionName="s", Version="2011-06-15")
        self.session = found["AccessKeyId"], found["SecretAccessKey"], found["SessionToken"]

    def put(self, bucket, key, path, acl):
        """Stores a file under a key, which is written as it is."""
        self.exchange("PUT", f"/{bucket}")
        name = urllib.parse.quote(key, safe="/-._~")
        status, _, body = self.exchange("PUT", f"/{bucket}/{name}", {"x-amz-acl": acl}, path.read_bytes())
        assert status == 200, body

    def requests(self):
        """The requests since the last call."""
        with self.lock:
            seen, self.seen = self.seen, []
        return seen
