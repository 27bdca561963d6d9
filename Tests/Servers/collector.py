#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A collector of traces for tests: takes OTLP over HTTP in JSON, and reads it by the protocol's own definition.

    collector.py [--port N] [--header NAME=VALUE] [--slow SECONDS] [--status N]

Prints {"port": …}, then one JSON line for each request: {"spans": […]} with each span's service, name, kind, ids,
attributes and status, or {"fault": …} for what the protocol does not allow, which is answered with 400.
--header is demanded of each request, --slow waits before each answer, --status refuses all with it.
"""
import argparse
import base64
import http.server
import json
import re
import time

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--header")
parser.add_argument("--slow", type=float, default=0)
parser.add_argument("--status", type=int, default=200)
options = parser.parse_args()
IDS = {"traceId": 32, "spanId": 16, "parentSpanId": 16}


class Fault(Exception):
    pass


def say(value):
    print(json.dumps(value), flush=True)


def with_base64_ids(value):
    """OTLP writes ids in hexadecimal where protobuf's JSON has base64; all else is protobuf's."""
    if isinstance(value, list):
        return [with_base64_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {}
    for key, item in value.items():
        if key in IDS:
            if not re.fullmatch(f"[0-9a-f]{{{IDS[key]}}}", item) or not int(item, 16):
                raise Fault(f"{key} is {item}")
            item = base64.b64encode(bytes.fromhex(item)).decode()
        elif key in ("kind", "code") and not isinstance(item, int):
            raise Fault(f"{key} must be a number")
        changed[key] = with_base64_ids(item)
    return changed


def attributes(list_):
    names = [attribute.key for attribute in list_]
    if len(set(names)) != len(names):
        raise Fault(f"an attribute is there twice: {names}")
    return {item.key: getattr(item.value, item.value.WhichOneof("value")) for item in list_}


def spans(request):
    for resource in request.resource_spans:
        service = attributes(resource.resource.attributes)
        if not service.get("service.name"):
            raise Fault("no service.name")
        for scope in resource.scope_spans:
            for span in scope.spans:
                if not span.trace_id or not span.span_id or not span.name:
                    raise Fault("a span without its ids or its name")
                if not 0 < span.start_time_unix_nano <= span.end_time_unix_nano:
                    raise Fault(f"the times of {span.name}")
                yield {
                    "service": service["service.name"], "instance": service.get("service.instance.id"),
                    "name": span.name, "kind": Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_").lower(),
                    "traceID": span.trace_id.hex(), "spanID": span.span_id.hex(),
                    "parent": span.parent_span_id.hex() or None, "failed": span.status.code == 2,
                    "attributes": {key: str(value) for key, value in attributes(span.attributes).items()},
                }


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(options.slow)
        status, answer = options.status, b"{}"
        try:
            if status == 200:
                say({"spans": self.spans(body)})
        except (Fault, ValueError, json_format.ParseError) as error:
            say({"fault": str(error)})
            status = 400
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def spans(self, body):
        if self.path != "/v1/traces" or self.headers.get("Content-Type") != "application/json":
            raise Fault(f"{self.path} with {self.headers.get('Content-Type')}")
        if options.header:
            name, value = options.header.split("=", 1)
            if self.headers.get(name) != value:
                raise Fault(f"{name} is {self.headers.get(name)}")
        # Unknown members are faults, too.
        return list(spans(json_format.ParseDict(with_base64_ids(json.loads(body)), ExportTraceServiceRequest())))


server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), Collector)
say({"port": server.server_address[1]})
server.serve_forever()
