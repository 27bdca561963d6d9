#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An OpenID Connect provider for ProviderSignInTests and SettingsTests: oidc-provider-mock (on Authlib), which here also
demands PKCE and the client's secret, and whose key can be changed. Prints `ready PORT`."""

import base64
import sys
import urllib.parse
import warnings

warnings.simplefilter("ignore")

import flask
import oidc_provider_mock
from authlib import jose
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from werkzeug.serving import WSGIRequestHandler, make_server

PEOPLE = [
    {"sub": "ada-1815", "email": "ada@example.org", "email_verified": True, "name": "Ada L"},
    {"sub": "bob-1900", "email": "somebody@example.org", "email_verified": False},
]
CLIENT = "the market"
SECRET = "s3cret: with a colon & more"

app = oidc_provider_mock.app(
    require_nonce=True,
    user_claims=[
        oidc_provider_mock.User(sub=person["sub"], claims={k: v for k, v in person.items() if k != "sub"})
        for person in PEOPLE
    ],
)
challenges = {}


@app.before_request
def demand():
    request = flask.request
    if request.path == "/oauth2/authorize":
        if request.args.get("code_challenge_method") != "S256" or len(request.args.get("code_challenge", "")) != 43:
            return "PKCE is demanded", 400
        if request.args.get("client_id") != CLIENT or not request.args.get("state"):
            return "no such client", 400
    if request.path == "/oauth2/token":
        scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
        pair = base64.b64decode(credentials).decode().split(":") if scheme == "Basic" else []
        if [urllib.parse.unquote(part) for part in pair] != [CLIENT, SECRET]:
            return {"error": "invalid_client"}, 401
        challenge = challenges.pop(request.form.get("code"), None)
        if challenge is None or create_s256_code_challenge(request.form.get("code_verifier", "")) != challenge:
            return {"error": "invalid_grant"}, 400
    return None


@app.after_request
def remember(answer):
    if flask.request.path == "/oauth2/authorize" and "Location" in answer.headers:
        query = urllib.parse.parse_qs(urllib.parse.urlparse(answer.headers["Location"]).query)
        for code in query.get("code", []):
            challenges[code] = flask.request.args["code_challenge"]
    return answer


@app.post("/rotate")
def rotate():
    flask.g.oidc_provider_mock_storage.jwk = jose.RSAKey.generate_key(is_private=True)
    return "", 204


class Quiet(WSGIRequestHandler):
    def log_request(self, *arguments):
        pass


server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
print(f"ready {server.server_port}", flush=True)
sys.stdin.close()
server.serve_forever()
