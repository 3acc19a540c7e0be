"""An Apache server for a test: plain http twice (two origins), https and a proxy, each on a free port of this machine.

Every origin serves the same folder under several names, each of which stands for a kind of server (SERVERS below).
"""
import collections
import os
import pwd
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

PROGRAM = "/usr/sbin/apache2"
MODULES = Path("/usr/lib/apache2/modules")
USER, PASSWORD = "reader", "open/sesame"

NEEDED = ("mpm_event authn_core authn_file authz_core authz_user auth_basic alias rewrite headers setenvif filter deflate "
          "socache_shmcb ssl proxy proxy_http proxy_connect")

SETTINGS = """
ServerRoot "{folder}"
ServerName 127.0.0.1
DefaultRuntimeDir "{folder}"
PidFile "{folder}/pid"
ErrorLog "{folder}/errors"
LogFormat "%p\\t%m\\t%U%q\\t%>s\\t%{{Range}}i\\t%{{Authorization}}i" requests
CustomLog "{folder}/requests" requests
ServerLimit 1
ThreadsPerChild 50
MaxRequestWorkers 50
MaxKeepAliveRequests 0
KeepAliveTimeout 1
# A name with an encoded slash has to reach the folder as any other.
AllowEncodedSlashes NoDecode
<Directory "{folder}/www">
    Require all granted
</Directory>
"""

SERVERS = """
<VirtualHost *:{port}>
    DocumentRoot "{folder}/www"
    # Asks for a user and a password.
    Alias "/private" "{folder}/www"
    <Location "/private">
        AuthType Basic
        AuthName "private"
        AuthUserFile "{folder}/users"
        Require valid-user
    </Location>
    # Gives no parts of files.
    Alias "/whole" "{folder}/www"
    <Location "/whole">
        MaxRanges none
    </Location>
    # Compresses whatever the client asked for.
    Alias "/compressed" "{folder}/www"
    <Location "/compressed">
        SetEnvIf Request_URI . force-gzip
        SetOutputFilter DEFLATE
    </Location>
    # Leads elsewhere: beside, to the other origin, to itself, to an address that is not public, to no server at all.
    RedirectMatch 302 "^/beside/(.*)$" "/$1"
    RedirectMatch 307 "^/elsewhere/(.*)$" "http://127.0.0.1:{other}/$1"
    RedirectMatch 302 "^/loop/(.*)$" "/loop/$1"
    RedirectMatch 302 "^/inward/(.*)$" "/metadata/$1"
    RedirectMatch 302 "^/metadata/(.*)$" "http://169.254.169.254:{other}/$1"
    RedirectMatch 302 "^/file/(.*)$" "file://{folder}/www/$1"
    # Is busy while there is a file of that name.
    RewriteEngine On
    RewriteCond "{folder}/busy" -f
    RewriteRule "^/busy/" - [R=503]
    Alias "/busy" "{folder}/www"
    {secure}
</VirtualHost>
"""

SECURE = """SSLEngine On
    SSLCertificateFile "{folder}/server.pem"
    SSLCertificateKeyFile "{folder}/server.key"
"""

PROXY = """
AllowCONNECT {ports}
<VirtualHost *:{port}>
    ProxyRequests On
    ProxyVia Off
    CustomLog "{folder}/proxied" "%m\\t%{{Host}}i\\t%r"
    <Proxy "*">
        Require all granted
    </Proxy>
</VirtualHost>
"""

Request = collections.namedtuple("Request", "port method path status range authorization")


class Apache:
    """A running server; `www` is the folder it serves."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.www = self.folder / "www"
        self.www.mkdir(parents=True)
        self.port, self.other_port, self.secure_port, self.proxy_port = free_ports(4)
        self.certificates = make_certificates(self.folder)
        self.marks = 0
        digest = subprocess.run(["openssl", "passwd", "-apr1", PASSWORD], check=True, capture_output=True, text=True)
        (self.folder / "users").write_text(f"{USER}:{digest.stdout}")
        (self.folder / "requests").touch()
        (self.folder / "proxied").touch()
        (self.folder / "apache.conf").write_text(self.configuration())
        # The server ends with the test, even when that is killed.
        self.process = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", PROGRAM, "-DFOREGROUND", "-f",
                                         self.folder / "apache.conf"], stderr=subprocess.DEVNULL)
        self.wait_until_it_answers()

    def configuration(self):
        folder = self.folder
        lines = [f'LoadModule {name}_module "{MODULES}/mod_{name}.so"' for name in NEEDED.split()]
        if os.getuid() == 0:
            # Apache does not serve as root: whoever it serves as has to be allowed to read.
            user = pwd.getpwnam("nobody")
            lines += [f"User #{user.pw_uid}", f"Group #{user.pw_gid}"]
            self.folder.chmod(0o755)
        ports = (self.port, self.other_port, self.secure_port)
        hosts = ["127.0.0.1", "[::1]"] if has_ipv6() else ["127.0.0.1"]
        lines += [f"Listen {host}:{port}" for host in hosts for port in (*ports, self.proxy_port)]
        lines.append(SETTINGS.format(folder=folder))
        secure = SECURE.format(folder=folder)
        for port, other, more in zip(ports, (self.other_port, self.port, self.port), ("", "", secure)):
            lines.append(SERVERS.format(folder=folder, port=port, other=other, secure=more))
        lines.append(PROXY.format(folder=folder, port=self.proxy_port, ports=" ".join(map(str, ports))))
        return "\n".join(lines)

    def wait_until_it_answers(self):
        for _ in range(200):
            if self.process.poll() is not None:
                break
            try:
                return socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                time.sleep(0.05)
        self.stop()
        log = self.folder / "errors"
        raise RuntimeError("Apache did not start: " + (log.read_text() if log.exists() else "no log"))

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def url(self, path, port=None, scheme=None, host="127.0.0.1", user=""):
        """The address of a file: of the first server unless said otherwise."""
        port = port or self.port
        scheme = scheme or ("https" if port == self.secure_port else "http")
        return f"{scheme}://{user}{host}:{port}/{path}"

    def requests(self, port=None):
        """Returns the requests since the last call, of one of the servers or of all."""
        self.marks += 1
        mark = f"/mark/{self.marks}"
        try:
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            opener.open(self.url(mark[1:]), timeout=10).close()
        except urllib.error.HTTPError:
            pass
        log = self.folder / "requests"
        for _ in range(200):
            found = [Request(*line.split("\t")) for line in log.read_text().splitlines()]
            if any(request.path == mark for request in found):
                break
            time.sleep(0.01)
        # A request is logged when its answer has been sent, so one that ended just before the mark may follow it.
        time.sleep(0.03)
        lines = log.read_text().splitlines()
        log.write_text("")
        found = [Request(*line.split("\t")) for line in lines]
        return [r for r in found if not r.path.startswith("/mark/") and (port is None or r.port == str(port))]

    def proxied(self):
        """What went through the proxy since the last call: method, host and first line of each request."""
        self.requests()
        log = self.folder / "proxied"
        lines = log.read_text().splitlines()
        log.write_text("")
        return [tuple(line.split("\t")) for line in lines]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as each:
            each.bind(("::1", 0))
        return True
    except OSError:
        return False


def make_certificates(folder, names="IP:127.0.0.1,DNS:localhost"):
    """Makes an authority, and a certificate by it for these names; returns the file that makes clients trust it."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "authority.key", "-out", "authority.pem", "-days", "2", "-subj",
            "/CN=authority of a test", "-addext", "keyUsage=critical,keyCertSign")
    openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=127.0.0.1")
    (folder / "names").write_text(f"subjectAltName={names}\nbasicConstraints=CA:FALSE\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial",
            "-days", "2", "-extfile", "names", "-out", "server.pem")
    return folder / "authority.pem"
