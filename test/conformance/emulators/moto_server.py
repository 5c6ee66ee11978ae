"""moto's server on a loopback port, with one lock around its tables.

moto checks a condition and writes in two steps: of two conditional writes at once both may win, which DynamoDB never
lets happen. Its queues need no lock, and with one a long poll would stop everything else.
"""

import sys
from threading import Lock

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple

tables = Lock()
moto = DomainDispatcherApplication(create_backend_app)


def application(environ, start_response):
    if environ.get("HTTP_X_AMZ_TARGET", "").startswith("DynamoDB"):
        with tables:
            return list(moto(environ, start_response))
    return moto(environ, start_response)


run_simple("127.0.0.1", int(sys.argv[1]), application, threaded=True)
