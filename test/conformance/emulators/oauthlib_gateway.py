"""A gateway whose signature check nobody here wrote: oauthlib's, over the raw request.

Usage: oauthlib_gateway.py PORT KEYS. KEYS is a JSON file: login to {"controlKey": ..., "publicKey": ...}. Every verified
POST is accepted; GET tells what was seen, a JSON list of {path, method, verified, repeatedInBody}.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from oauthlib.common import Request
from oauthlib.oauth1.rfc5849 import signature

keys_file = Path(sys.argv[2])
seen = []


def verified(uri, body, authorization):
    """The signed set is the union by name of header and body: HMAC requests repeat the oauth_* in the body."""
    collected = signature.collect_parameters(
        body=body, headers={"Authorization": authorization}, exclude_oauth_signature=False
    )
    oauth = {name: value for name, value in collected if name.startswith("oauth_")}
    request = Request(uri, "POST", body)
    request.params = [(name, value) for name, value in collected if not name.startswith("oauth_")]
    request.params += [(name, value) for name, value in oauth.items() if name != "oauth_signature"]
    request.signature = oauth["oauth_signature"]
    merchant = json.loads(keys_file.read_text())[oauth["oauth_consumer_key"]]
    if oauth["oauth_signature_method"] == "HMAC-SHA1":
        return "HMAC-SHA1", signature.verify_hmac_sha1(request, client_secret=merchant["controlKey"])
    return "RSA-SHA256", signature.verify_rsa_sha256(request, merchant["publicKey"])


class Gateway(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(200, seen)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode("ascii")
        uri = f"http://{self.headers['host']}{self.path}"
        method, ok = verified(uri, body, self.headers["authorization"])
        seen.append({"path": self.path, "method": method, "verified": ok, "repeatedInBody": "oauth_nonce=" in body})
        if ok:
            self.answer(200, {"payout-id": "9000001", "transaction-id": "9000001"})
        else:
            self.answer(403, "bad signature")


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Gateway).serve_forever()
