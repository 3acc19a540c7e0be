"""Objects in S3: the program and a C program as clients of a server that checks signatures."""
import ctypes
import json
import os
import re
import struct
import subprocess
import unittest

import numpy as np

import files
from served import ROOT, answer, environment, run
from stored import Stored


class Reading(Stored):
    def test_public_objects_need_no_credentials(self):
        address, data = self.sample("public-read")
        self.assert_same(self.read(address), data)
        self.assertEqual(self.authorizations(), [False] * 3)

    def test_keys_of_the_environment_sign(self):
        address, data = self.sample()
        self.assert_same(self.read(address, **self.key), data)
        found = self.store.requests()
        self.assertEqual([request.status for request in found], [206] * 3)
        for request in found:
            self.assertRegex(request.headers["authorization"],
                             r"^AWS4-HMAC-SHA256 Credential=\w+/\d{8}/us-east-1/s3/aws4_request, "
                             r"SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$")
            self.assertTrue(request.headers["range"].startswith("bytes="))

    def test_a_session_has_a_token_too(self):
        address, data = self.sample()
        key, secret, token = self.store.session
        names = dict(AWS_ACCESS_KEY_ID=key, AWS_SECRET_ACCESS_KEY=secret)
        self.assert_same(self.read(address, **names, AWS_SESSION_TOKEN=token), data)
        self.assertEqual({request.headers["x-amz-security-token"] for request in self.store.requests()}, {token})
        self.assertIn("AWS_SESSION_TOKEN", self.refused(address, "io", **names, AWS_SESSION_TOKEN="wrong"))

    def test_profiles(self):
        address, data = self.sample()
        key, secret = self.store.key
        (self.local / ".aws").mkdir()
        (self.local / ".aws/config").write_text(
            f"[profile mine]\nregion = eu-north-1\nendpoint_url = {self.store.endpoint}\n[profile sso]\nsso_session = s\n")
        (self.local / ".aws/credentials").write_text(f"[mine]\naws_access_key_id = {key}\naws_secret_access_key = {secret}\n")
        self.assert_same(self.read(address, AWS_ENDPOINT_URL="", HOME=str(self.local), AWS_PROFILE="mine"), data)
        self.assertIn("/eu-north-1/s3/", self.store.requests()[0].headers["authorization"])
        files = dict(AWS_CONFIG_FILE=str(self.local / ".aws/config"),
                     AWS_SHARED_CREDENTIALS_FILE=str(self.local / ".aws/credentials"))
        self.assert_same(self.read(address, AWS_PROFILE="mine", **files), data)
        self.assertIn("no profile 'none'", self.refused(address, "request", AWS_PROFILE="none", **files))
        self.assertIn("export-credentials", self.refused(address, "unsupported", AWS_PROFILE="sso", **files))

    def test_files_of_profiles_are_read_once_for_all_fragments(self):
        names = [f"f{number}.nc" for number in range(9)]
        data = [files.fragment(self.local / name, files.values(number)) for number, name in enumerate(names)]
        for name in names:
            self.put(name, self.local / name)
        files.aggregation(self.local / "agg.nc", names)
        address = self.put("agg.nc", self.local / "agg.nc")
        key, secret = self.store.key
        path = self.local / "credentials"
        path.write_text(f"[default]\naws_access_key_id = {key}\naws_secret_access_key = {secret}\n")
        # Counts how often it is opened. What happens twice in a row is told once, so its closing is told too.
        libc = ctypes.CDLL(None)
        watch = libc.inotify_init1(os.O_NONBLOCK)
        self.addCleanup(os.close, watch)
        opened, closed = 0x20, 0x10
        libc.inotify_add_watch(watch, os.fsencode(path), opened | closed)
        self.assert_same(self.read(address, AWS_SHARED_CREDENTIALS_FILE=str(path)), np.concatenate(data))
        masks = [mask for _, mask, _, _ in struct.iter_unpack("iIII", os.read(watch, 4096))]
        self.assertEqual(masks, [opened, closed])

    def test_odd_keys(self):
        names = ["a b+c.nc", "50%.nc", "\u00fc\u4e2d.nc", "q?x=1&y.nc", "h#sh.nc", "a*'(1)!~=@$,;:.nc", "x//y.nc", "%41.nc"]
        data = [files.fragment(self.local / f"{number}.nc", files.values(number)) for number in range(len(names))]
        quoted = []
        for number, name in enumerate(names):
            self.put("odd/" + name, self.local / f"{number}.nc")
            quoted.append(re.sub(r"[^A-Za-z0-9._~/:-]", lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), name))
        absolute = [[f"s3://{self.bucket}/odd/{name}" for name in some] for some in (quoted, names)]
        for number, locations in enumerate([quoted, *absolute]):
            files.aggregation(self.local / "agg.nc", locations)
            address = self.put(f"odd/agg{number}.nc", self.local / "agg.nc")
            self.assert_same(self.read(address, **self.key), np.concatenate(data))
            # S3 takes a plus sign for a space; the test server does not.
            paths = [request.path for request in self.store.requests()]
            self.assertIn(f"/{self.bucket}/odd/a%20b%2Bc.nc", paths)
        # A user writes a name encoded, or as it is.
        for name in (*names, *quoted):
            done = run("info", f"s3://{self.bucket}/odd/{name}", **self.environment(**self.key))
            self.assertEqual(done.returncode, 0, (name, done.stderr))

    def test_parts_of_large_objects(self):
        shape = (8, 256, 256)
        data = [files.fragment(self.local / f"f{i}.nc", files.values(i, shape), chunksizes=(1, 256, 256)) for i in range(2)]
        for name in ("f0.nc", "f1.nc"):
            self.put(name, self.local / name)
        files.aggregation(self.local / "agg.nc", ["f0.nc", "f1.nc"], shape=shape)
        address = self.put("agg.nc", self.local / "agg.nc")
        got = self.read(address, "--start", "7,0,0", "--count", "2,1,256", **self.key)
        self.assert_same(got, np.concatenate(data)[7:9, :1])
        sizes = [request.headers["range"] for request in self.store.requests()]
        total = sum(int(last) - int(first) + 1 for first, last in (text[6:].split("-") for text in sizes))
        self.assertLess(total, 2 << 20)

    def test_from_c(self):
        address, data = self.sample()
        program = self.local / "cfa_read"
        subprocess.run(["cc", "-o", program, ROOT / "examples/cfa_read.c", f"-I{ROOT}/build/include", f"-L{ROOT}/build/lib",
                        "-lcfa", "-lm", f"-Wl,-rpath,{ROOT}/build/lib"], check=True)
        done = subprocess.run([program, address, "tas"], capture_output=True, text=True, timeout=60,
                              env=environment(**self.environment(**self.key)))
        self.assertEqual(json.loads(done.stdout)["values"], data.ravel().tolist())

    def test_other_commands(self):
        address, _ = self.sample()
        for words in (["info", address], ["info", address, "--fragments"], ["check", address, "--fragments"],
                      ["convert", address, str(self.local / "c.nc"), "--dialect", "cfa-0.6.2"],
                      ["extract", address, str(self.local / "e.nc")]):
            done = run(*words, **self.environment(**self.key))
            self.assertEqual(done.returncode, 0, (words, done.stderr))
        # What was converted names the objects.
        converted = self.local / "c.nc"
        self.assertIn(f"s3://{self.bucket}/run/f0.nc".encode(), converted.read_bytes())
        self.read(converted, CFA_ALLOWED_SOURCES=f"{self.local};s3://{self.bucket}/run", **self.key)


    def test_created_from_addresses(self):
        names, data = files.fragments(self.local / "made")
        addresses = [self.put(f"a b/{name}", self.local / "made" / name) for name in names]
        out = self.local / "created.nc"
        done = run("create", str(out), *addresses, "--dim", "d0", "--record-state", **self.environment(**self.key))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.authorizations(), [True] * len(names))
        allowed = {"CFA_ALLOWED_SOURCES": f"s3://{self.bucket}"}
        self.assert_same(self.read(out, **allowed, **self.key), data)
        self.assertIn(f"s3://{self.bucket}/a%20b/{names[0]}".encode(), out.read_bytes())


class Policy(Stored):
    def local_aggregation(self, acl):
        names, data = files.fragments(self.local / "made")
        for name in names:
            self.put(f"run/{name}", self.local / "made" / name, acl)
        return files.aggregation(self.local / "agg.nc", [f"s3://{self.bucket}/run/{name}" for name in names]), data

    def test_a_local_file_reads_public_buckets_anonymously(self):
        local, data = self.local_aggregation("public-read")
        self.assert_same(self.read(local, **self.key), data)
        self.assertEqual(self.authorizations(), [False, False])
        self.refused(local, "policy", CFA_ALLOWED_SOURCES="LOCAL", **self.key)
        self.assertEqual(self.authorizations(), [])

    def test_a_list_lets_sign(self):
        local, data = self.local_aggregation("private")
        message = self.refused(local, "fragment-unreadable", **self.key)
        self.assertIn(f"s3://{self.bucket}/", message)
        self.assertIn("ALLOWED_SOURCES", message)
        self.assertEqual(set(self.authorizations()), {False})
        self.refused(local, "fragment-unreadable", CFA_ALLOWED_SOURCES="ALL", **self.key)
        self.assertEqual(set(self.authorizations()), {False})
        self.assert_same(self.read(local, CFA_ALLOWED_SOURCES=f"{self.local};s3://{self.bucket}/run", **self.key), data)
        self.refused(local, "policy", CFA_ALLOWED_SOURCES=f"{self.local};s3://{self.bucket}/ru", **self.key)

    def test_another_bucket_is_not_that_of_the_aggregation(self):
        names, data = files.fragments(self.local / "made")
        other = self.bucket + "2"
        for name in names:
            self.put(name, self.local / "made" / name, "public-read", other)
        files.aggregation(self.local / "agg.nc", [f"s3://{other}/{name}" for name in names])
        address = self.put("agg.nc", self.local / "agg.nc")
        self.refused(address, "policy", **self.key)
        self.assertEqual(self.authorizations(), [True])
        self.assert_same(self.read(address, CFA_ALLOWED_SOURCES="ALL", **self.key), data)
        self.assertEqual(self.authorizations(), [True, False, False])

    def test_an_address_that_is_not_public_must_be_allowed(self):
        address, _ = self.sample("public-read")
        got = answer(address, **self.environment(CFA_ALLOW_PRIVATE_NETWORK="NO"))
        self.assertEqual(got["error"], "policy")
        self.assertIn("ALLOW_PRIVATE_NETWORK", got["message"])
        self.assertEqual(self.store.requests(), [])


class Settings(Stored):
    def test_requests_without_a_signature(self):
        address, data = self.sample("public-read")
        for word in ("AWS_NO_SIGN_REQUEST", "AWS_SKIP_SIGNATURE"):
            self.assert_same(self.read(address, **{word: "YES"}, **self.key), data)
            self.assertEqual(self.authorizations(), [False] * 3)

    def test_the_requester_pays(self):
        address, data = self.sample()
        self.assert_same(self.read(address, AWS_REQUEST_PAYER="requester", **self.key), data)
        for request in self.store.requests():
            self.assertEqual(request.headers["x-amz-request-payer"], "requester")
            self.assertIn(";x-amz-request-payer", request.headers["authorization"])

    def test_the_endpoint_of_gdal(self):
        address, data = self.sample()
        where = dict(AWS_ENDPOINT_URL="", AWS_S3_ENDPOINT=self.store.endpoint.split("//")[1], AWS_HTTPS="NO")
        self.assert_same(self.read(address, **where, **self.key), data)

    def test_the_bucket_in_the_name_of_the_server(self):
        address, data = self.sample()
        for word in ("AWS_VIRTUAL_HOSTED_STYLE_REQUEST", "AWS_VIRTUAL_HOSTING"):
            where = {"AWS_ENDPOINT_URL": "http://s3.amazonaws.com", "http_proxy": self.store.endpoint, word: "TRUE"}
            self.assert_same(self.read(address, **where, **self.key), data)
            found = [(request.host, request.path) for request in self.store.requests()]
            self.assertEqual(found[0], (f"{self.bucket}.s3.amazonaws.com", "/run/agg.nc"))

    def test_servers_of_aws_and_their_regions(self):
        address, data = self.sample()
        where = dict(AWS_ENDPOINT_URL="", https_proxy=self.store.endpoint, SSL_CERT_FILE=str(self.store.certificates))
        self.assert_same(self.read(address, AWS_REGION="eu-west-1", **where, **self.key), data)
        found = self.store.requests()
        self.assertEqual({request.host for request in found}, {f"{self.bucket}.s3.eu-west-1.amazonaws.com"})
        self.assertIn("/eu-west-1/s3/", found[0].headers["authorization"])

        def elsewhere(_, path, headers):
            if "eu-west-1" not in headers["host"]:
                return 301, {"x-amz-bucket-region": "eu-west-1"}, b"<Error><Code>PermanentRedirect</Code></Error>"

        self.store.fault = elsewhere
        self.assert_same(self.read(address, **where, **self.key), data)
        # One request goes astray.
        self.assertEqual([request.status for request in self.store.requests()], [301, 206, 206, 206])

    def test_credentials_of_the_machine_are_asked_for_only_when_switched_on(self):
        address, data = self.sample()
        key, secret, token = self.store.session

        def metadata(method, path, headers):
            if path == "/latest/api/token":
                return (200 if method == "PUT" else 400), {}, b"TOKEN"
            if path.startswith("/latest/"):
                given = headers.get("x-aws-ec2-metadata-token") == "TOKEN"
                found = f'{{"AccessKeyId": "{key}", "SecretAccessKey": "{secret}", "Token": "{token}"}}'
                return (200 if given else 401), {}, (found if path.endswith("/role") else "role\n").encode()

        self.store.fault = metadata
        where = dict(AWS_EC2_METADATA_SERVICE_ENDPOINT=self.store.endpoint, AWS_EC2_METADATA_DISABLED="")
        self.assertIn("anonymous", self.refused(address, "io", **where))
        self.assertFalse(any(request.path.startswith("/latest") for request in self.store.requests()))
        self.assert_same(self.read(address, CFA_S3_INSTANCE_METADATA="YES", **where), data)
        asked = [request.path for request in self.store.requests() if request.path.startswith("/latest")]
        self.assertEqual(len(asked), 3)
        self.store.fault = lambda method, path, headers: (404, {}, b"") if path.startswith("/latest") else None
        self.assertIn("S3_INSTANCE_METADATA", self.refused(address, "io", CFA_S3_INSTANCE_METADATA="YES", **where))


def problem(status, code, **headers):
    return status, headers, f"<Error><Code>{code}</Code><Message>hidden</Message></Error>".encode()


class Errors(Stored):
    def test_without_credentials(self):
        address, _ = self.sample()
        message = self.refused(address, "io")
        self.assertIn(address, message)
        self.assertIn("AWS_PROFILE", message)

    def test_wrong_keys(self):
        address, _ = self.sample()
        wrong = {**self.key, "AWS_SECRET_ACCESS_KEY": "wrongsecret"}
        self.assertIn("secret key of the environment", self.refused(address, "io", **wrong))
        unknown = {**self.key, "AWS_ACCESS_KEY_ID": "AKIAUNKNOWN"}
        self.assertIn("does not know the access key", self.refused(address, "io", **unknown))
        self.assertIn("AWS_SECRET_ACCESS_KEY is not", self.refused(address, "request", AWS_ACCESS_KEY_ID="AKIA"))

    def test_nothing_there(self):
        self.sample()
        message = self.refused(f"s3://{self.bucket}/none.nc", "io", **self.key)
        self.assertIn(f"s3://{self.bucket}/none.nc: no such file", message)
        self.assertIn("no bucket 'nowhere-at-all'", self.refused("s3://nowhere-at-all/a.nc", "io", **self.key))
        self.assertIn("no object", self.refused(f"s3://{self.bucket}", "uri", **self.key))

    def test_the_next_version_is_tried(self):
        data = files.fragment(self.local / "f.nc", files.values(1))
        self.put("f.nc", self.local / "f.nc", "public-read")
        versions = (f"s3://{self.bucket}/none.nc", "s3://nowhere-at-all/f.nc", f"s3://{self.bucket}/f.nc")
        local = files.aggregation(self.local / "agg.nc", [versions], dialect="CFA-0.6.2")
        self.assert_same(self.read(local), data)
        local = files.aggregation(self.local / "agg.nc", [versions[:2]], dialect="CFA-0.6.2")
        message = self.refused(local, "fragment-missing")
        self.assertIn("no bucket 'nowhere-at-all'", message)

    def test_codes_in_plain_words(self):
        address, _ = self.sample()
        for answered, words in (
            (problem(403, "RequestTimeTooSkewed"), "clock"),
            (problem(400, "ExpiredToken"), "expired"),
            (problem(403, "InvalidObjectState"), "archive"),
            (problem(403, "AccessDenied"), "AWS_REQUEST_PAYER"),
            (problem(400, "AuthorizationHeaderMalformed"), "another region"),
            (problem(400, "Strange"), "400 (Strange)"),
        ):
            self.store.fault = lambda *_, answered=answered: answered
            message = self.refused(address, "io", **self.key)
            self.assertIn(words, message)
            self.assertNotIn("hidden", message)
            self.assertEqual(len(self.store.requests()), 1)

    def test_a_busy_store_is_asked_again(self):
        address, data = self.sample()
        count = 0

        def busy(*_):
            nonlocal count
            count += 1
            return problem(503, "SlowDown") if count % 2 else None

        self.store.fault = busy
        self.assert_same(self.read(address, **self.key), data)
        self.assertEqual({request.status for request in self.store.requests()}, {206, 503})

    def test_a_region_is_followed_once(self):
        address, data = self.sample()

        def in_region(wanted):
            return lambda _, path, headers: (
                None if f"/{wanted}/s3/" in headers["authorization"]
                else (400, {}, f"<Error><Code>AuthorizationHeaderMalformed</Code><Region>{wanted}</Region></Error>".encode()))

        self.store.fault = in_region("eu-central-1")
        self.assert_same(self.read(address, **self.key), data)
        self.assertEqual([request.status for request in self.store.requests()], [400, 206, 206, 206])
        # A store that names one region after another, or none that can be one.
        regions = iter(f"r-{number}" for number in range(100))
        self.store.fault = lambda *_: problem(301, "PermanentRedirect", **{"x-amz-bucket-region": next(regions)})
        self.assertIn("another region", self.refused(address, "io", **self.key))
        self.assertEqual(len(self.store.requests()), 2)
        self.store.fault = lambda *_: problem(301, "PermanentRedirect", **{"x-amz-bucket-region": "evil.example.org/x"})
        message = self.refused(address, "io", **self.key)
        self.assertNotIn("evil", message)
        self.assertEqual(len(self.store.requests()), 1)

    def test_a_redirection_is_followed_without_the_signature(self):
        address, data = self.sample("public-read")
        target = f"{self.store.endpoint}/{self.bucket}/run/agg.nc?moved=1"

        def moved(_, path, headers):
            return None if "moved" in path or "agg" not in path else (307, {"Location": target}, b"")

        self.store.fault = moved
        self.read(address, **self.key)
        signed = {request.path: "authorization" in request.headers for request in self.store.requests()}
        self.assertTrue(signed[f"/{self.bucket}/run/agg.nc"])
        self.assertFalse(signed[f"/{self.bucket}/run/agg.nc?moved=1"])
        self.assertTrue(signed[f"/{self.bucket}/run/f0.nc"])
        self.store.fault = lambda *_: (307, {"Location": "http://169.254.169.254/latest"}, b"")
        got = answer(address, **self.environment(CFA_HTTP_CONNECT_TIMEOUT="1", CFA_HTTP_MAX_RETRY="0", **self.key))
        self.assertIn("error", got)


if __name__ == "__main__":
    unittest.main()
