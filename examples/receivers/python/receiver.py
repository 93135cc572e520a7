"""A receiver of Crier's webhooks in one file, without dependencies. Run it with Python 3.9 or later:

    WEBHOOK_SECRET=whsec_... PORT=3000 python3 receiver.py
"""

import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OLDEST_SECONDS = 5 * 60
MAX_BODY_BYTES = 1024 * 1024
MAX_REMEMBERED = 10_000


def is_genuine(header: str, body: bytes, secret: str, now_seconds: float) -> bool:
    """Whether body was signed with secret in the last five minutes.

    header: t=<seconds>,v1=<hex>, with a second v1 while a secret is being replaced.
    """
    parts = [part.strip().partition("=") for part in header.split(",")]
    at = next((value for name, _, value in parts if name == "t"), "")
    # Checked in both directions: a time far in the future would stay valid for long.
    if not re.fullmatch(r"[0-9]{1,12}", at) or abs(now_seconds - int(at)) > OLDEST_SECONDS:
        return False
    # The signature covers the bytes as received: JSON parsed and written again has other bytes.
    # The key is the whole secret, including "whsec_".
    expected = hmac.new(secret.encode(), at.encode() + b"." + body, hashlib.sha256).hexdigest().encode()
    # Compared in constant time: the duration must not reveal how much of a guess was right.
    return any(hmac.compare_digest(expected, value.encode()) for name, _, value in parts if name == "v1")


class Seen:
    """An event comes at least once, so it may come again.

    In a real receiver, store the ids in a database, in the same transaction as your work.
    """

    def __init__(self) -> None:
        self._ids: "OrderedDict[str, None]" = OrderedDict()
        self._lock = threading.Lock()

    def is_new(self, event_id: str) -> bool:
        with self._lock:
            if event_id in self._ids:
                return False
            self._ids[event_id] = None
            if len(self._ids) > MAX_REMEMBERED:
                self._ids.popitem(last=False)
            return True


SECRET = os.environ.get("WEBHOOK_SECRET", "")
SEEN = Seen()


class Receiver(BaseHTTPRequestHandler):
    timeout = 30  # Seconds that a sender may be silent.

    def do_POST(self) -> None:
        self.answer(self.take())

    def do_HEAD(self) -> None:
        """Crier sends HEAD when the endpoint is registered."""
        self.answer(204)

    do_GET = do_HEAD

    def take(self) -> int:
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,12}", length):
            return 411
        if int(length) > MAX_BODY_BYTES:
            # The body is read to its end, so that the sender gets the answer.
            left = int(length)
            while left > 0 and (piece := self.rfile.read(min(left, 65536))):
                left -= len(piece)
            return 413
        body = self.rfile.read(int(length))
        if not is_genuine(self.headers.get("Service-Signature", ""), body, SECRET, time.time()):
            return 401
        event = json.loads(body)
        if SEEN.is_new(event["id"]):
            # Your work goes here. Keep it short, or put it in a queue: an answer after more than ten seconds counts as none.
            print(f"event {event['type']} {event['id']}", flush=True)
        return 204

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """One line for each event is enough."""


if __name__ == "__main__":
    if SECRET == "":
        sys.exit("Set WEBHOOK_SECRET to the secret that registering the endpoint answered with.")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
    print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
