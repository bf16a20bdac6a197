"""A Hub on this machine: the endpoints that the real client calls to publish and load a dataset.

Written from what the client sends and reads. Commits are whole trees in memory, as git has them;
large files are kept by their SHA-256 and arrive through LFS's basic transfer. A connection can be
cut at any request: before it acts, after it acted, or in the middle of its answer.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "hf_loopbacktoken"


@dataclass(frozen=True)
class Blob:
    content: bytes
    large: bool

    @property
    def sha256(self):
        return hashlib.sha256(self.content).hexdigest()

    @property
    def oid(self):
        if not self.large:
            return _git_hash(self.content)
        size = len(self.content)
        pointer = (
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\nsize {size}\n"
        )
        return _git_hash(pointer.encode())

    def info(self, path):
        held = {"type": "file", "path": path, "size": len(self.content), "oid": self.oid}
        if self.large:
            held["lfs"] = {"oid": self.sha256, "size": len(self.content), "pointerSize": 134}
        return held


def _git_hash(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass
class Repo:
    private: bool
    gated: object = False
    commits: dict = field(default_factory=dict)  # oid -> {path: Blob}
    branches: dict = field(default_factory=dict)
    tags: dict = field(default_factory=dict)
    history: list = field(default_factory=list)  # (branch, oid) of every commit

    def commit_tree(self, branch, tree):
        paths = json.dumps([[path, tree[path].oid] for path in sorted(tree)])
        oid = hashlib.sha1(f"{len(self.commits)} {branch} {paths}".encode()).hexdigest()
        self.commits[oid] = tree
        self.branches[branch] = oid
        self.history.append((branch, oid))
        return oid

    def resolve(self, revision):
        for names in (self.branches, self.tags):
            if revision in names:
                return names[revision]
        return revision if revision in self.commits else None


class LoopbackHub:
    """See the module.

    `cuts` maps the number of a request, from 1 on, to "before", "after" or "half"; with `mortal`
    the Hub answers nothing more after a cut, until `revive_server`.
    """

    def __init__(self, token=TOKEN):
        self.token = token
        self.repos, self.objects = {}, {}
        self.asked, self.cuts, self.dead, self.mortal = [], {}, False, False
        self.sent = 0  # bytes of large files that arrived
        self.lock = threading.RLock()
        hub = self

        class Handler(_Handler):
            pass

        Handler.hub = hub
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def revive_server(self):
        self.cuts, self.dead = {}, False

    def find_repo(self, name="org/name"):
        return self.repos[name]

    def list_repo_files(self, revision, name="org/name"):
        repo = self.repos[name]
        return {path: blob.content for path, blob in repo.commits[repo.resolve(revision)].items()}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    hub: LoopbackHub

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.handle_request_body()

    do_POST = do_PUT = do_DELETE = do_HEAD = do_GET  # noqa: N815

    def handle_request_body(self):
        size = int(self.headers.get("Content-Length") or 0)
        chunked = self.headers.get("Transfer-Encoding") == "chunked"
        self.body = self._read_chunks() if chunked else self.rfile.read(size)
        path = urlsplit(self.path)
        self.query = parse_qs(path.query)
        parts = [unquote(part) for part in path.path.strip("/").split("/")]
        with self.hub.lock:
            self.hub.asked.append((self.command, path.path))
            cut = self.hub.cuts.get(len(self.hub.asked))
            if self.hub.dead:
                cut = "before"
            self.hub.dead |= bool(cut) and self.hub.mortal
            if cut == "before":
                return self._hang_up()
            status, headers, content = self._route_request(parts)
        if cut == "after":
            return self._hang_up()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content[: len(content) // 2] if cut == "half" else content)
        if cut == "half":
            return self._hang_up()

    def _read_chunks(self):
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _hang_up(self):
        self.close_connection = True
        try:
            self.wfile.flush()
            self.connection.shutdown(2)
        except OSError:
            pass

    def _route_request(self, parts):
        known = self.headers.get("Authorization") == f"Bearer {self.hub.token}"
        match parts:
            case ["lfs", oid] if self.command == "PUT":
                if hashlib.sha256(self.body).hexdigest() != oid:
                    return self._send_error(400, "BadHash")
                self.hub.objects[oid] = self.body
                self.hub.sent += len(self.body)
                return self._send_json({})
            case ["api", "validate-yaml"]:
                return self._send_json({"errors": [], "warnings": []})
            case ["api", "repos", "create"]:
                return self._create_repo(json.loads(self.body), known)
            case ["api", "datasets", owner, name, *rest]:
                return self._route_api(f"{owner}/{name}", rest, known)
            case ["datasets", owner, name, "info", "lfs", "objects", "batch"]:
                return self._start_lfs_batch(f"{owner}/{name.removesuffix('.git')}", known)
            case ["datasets", owner, name, "resolve", revision, *path]:
                return self._send_file(f"{owner}/{name}", revision, "/".join(path), known)
        return self._send_error(404, "NotFound")

    def _send_json(self, content, status=200):
        return status, {"Content-Type": "application/json"}, json.dumps(content).encode()

    def _send_error(self, status, code):
        headers = {"X-Error-Code": code, "X-Error-Message": code}
        return status, headers, json.dumps({"error": code}).encode()

    def _create_repo(self, asked, known):
        if not known:
            return self._send_error(401, "NotAllowed")
        name = f"{asked['organization']}/{asked['name']}"
        if name in self.hub.repos:
            return self._send_error(409, "Exists")
        repo = Repo(private=asked.get("visibility") != "public")
        attributes = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"
        repo.commit_tree("main", {".gitattributes": Blob(attributes, False)})
        self.hub.repos[name] = repo
        return self._send_json({"url": f"{self.hub.url}/datasets/{name}", "name": name, "id": name})

    def _route_api(self, name, rest, known):
        repo = self.hub.repos.get(name)
        if repo is None or (repo.private and not known):
            return self._send_error(404 if known else 401, "RepoNotFound")
        if self.command in ("POST", "PUT", "DELETE") and rest[0] != "paths-info" and not known:
            return self._send_error(401, "NotAllowed")
        match rest:
            case [] | ["revision", _]:
                revision = rest[1] if rest else "main"
                oid = repo.resolve(revision)
                if oid is None:
                    return self._send_error(404, "RevisionNotFound")
                held = {"id": name, "sha": oid, "private": repo.private, "gated": repo.gated}
                siblings = [{"rfilename": path} for path in sorted(repo.commits[oid])]
                return self._send_json({**held, "tags": [], "downloads": 0, "siblings": siblings})
            case ["settings"]:
                repo.gated = json.loads(self.body)["gated"]
                return self._send_json({})
            case ["refs"]:
                return self._send_json(
                    {
                        "branches": _list_refs("heads", repo.branches),
                        "tags": _list_refs("tags", repo.tags),
                        "converts": [],
                    }
                )
            case ["branch", branch] if self.command == "DELETE":
                if repo.branches.pop(branch, None) is None:
                    return self._send_error(404, "RevisionNotFound")
                return self._send_json({})
            case ["branch", branch]:
                if branch in repo.branches:
                    return self._send_error(409, "Exists")
                start = repo.resolve(json.loads(self.body).get("startingPoint", "main"))
                repo.branches[branch] = start
                return self._send_json({})
            case ["tag", revision]:
                tag = json.loads(self.body)["tag"]
                if tag in repo.tags:
                    return self._send_error(409, "Exists")
                oid = repo.resolve(revision)
                if oid is None:
                    return self._send_error(404, "RevisionNotFound")
                repo.tags[tag] = oid
                return self._send_json({})
            case ["preupload", revision]:
                return self._check_upload_modes(repo, revision)
            case ["commit", branch]:
                return self._receive_commit(name, repo, branch)
            case ["tree", revision, *folder]:
                return self._list_tree(repo, revision, "/".join(folder))
            case ["paths-info", revision]:
                return self._list_paths_info(repo, revision)
        return self._send_error(404, "NotFound")

    def _check_upload_modes(self, repo, revision):
        oid = repo.resolve(revision)
        if oid is None:
            return self._send_error(404, "RevisionNotFound")
        tree, files = repo.commits[oid], []
        for file in json.loads(self.body)["files"]:
            path = file["path"]
            mode = "lfs" if path.endswith((".parquet", ".png")) else "regular"
            held = {"path": path, "uploadMode": mode, "shouldIgnore": False}
            files.append(held | ({"oid": tree[path].oid} if path in tree else {}))
        return self._send_json({"files": files})

    def _start_lfs_batch(self, name, known):
        if name not in self.hub.repos or not known:
            return self._send_error(401, "NotAllowed")
        objects = []
        for held in json.loads(self.body)["objects"]:
            found = {"oid": held["oid"], "size": held["size"]}
            if held["oid"] not in self.hub.objects:
                found["actions"] = {"upload": {"href": f"{self.hub.url}/lfs/{held['oid']}"}}
            objects.append(found)
        return self._send_json({"transfer": "basic", "objects": objects})

    def _receive_commit(self, name, repo, branch):
        if branch not in repo.branches:
            return self._send_error(404, "RevisionNotFound")
        lines = [json.loads(line) for line in self.body.splitlines()]
        parent = next(line["value"] for line in lines if line["key"] == "header").get(
            "parentCommit", repo.branches[branch]
        )
        if parent != repo.branches[branch]:
            return self._send_error(412, "PreconditionFailed")
        tree = dict(repo.commits[parent])
        for line in lines:
            value = line["value"]
            match line["key"]:
                case "file":
                    tree[value["path"]] = Blob(base64.b64decode(value["content"]), False)
                case "lfsFile":
                    if value["oid"] not in self.hub.objects:
                        return self._send_error(400, "MissingObject")
                    tree[value["path"]] = Blob(self.hub.objects[value["oid"]], True)
                case "deletedFile":
                    if value["path"] not in tree:
                        return self._send_error(404, "EntryNotFound")
                    del tree[value["path"]]
        oid = repo.commit_tree(branch, tree)
        url = f"{self.hub.url}/datasets/{name}/commit/{oid}"
        return self._send_json({"commitUrl": url, "commitOid": oid})

    def _list_tree(self, repo, revision, folder):
        oid = repo.resolve(revision)
        if oid is None:
            return self._send_error(404, "RevisionNotFound")
        deep = self.query.get("recursive", ["false"])[0].lower() in ("true", "1")
        prefix = f"{folder}/" if folder else ""
        found, folders = [], set()
        for path, blob in sorted(repo.commits[oid].items()):
            if not path.startswith(prefix):
                continue
            steps = path.removeprefix(prefix).split("/")
            for depth in range(1, len(steps)):
                if deep or depth == 1:
                    folders.add(prefix + "/".join(steps[:depth]))
            if deep or len(steps) == 1:
                found.append(blob.info(path))
        if folder and not found and not folders:
            return self._send_error(404, "EntryNotFound")
        return self._send_json([*map(_folder_entry, sorted(folders)), *found])

    def _list_paths_info(self, repo, revision):
        oid = repo.resolve(revision)
        if oid is None:
            return self._send_error(404, "RevisionNotFound")
        if "json" in (self.headers.get("Content-Type") or ""):
            paths = json.loads(self.body)["paths"]
        else:
            paths = parse_qs(self.body.decode())["paths"]
        tree, found = repo.commits[oid], []
        for path in paths:
            if path in tree:
                found.append(tree[path].info(path))
            elif any(name.startswith(f"{path}/") for name in tree):
                found.append(_folder_entry(path))
        return self._send_json(found)

    def _send_file(self, name, revision, path, known):
        repo = self.hub.repos.get(name)
        if repo is None or (repo.private and not known):
            return self._send_error(404 if known else 401, "RepoNotFound")
        if repo.gated and not known:
            return self._send_error(403, "GatedRepo")
        oid = repo.resolve(revision)
        if oid is None:
            return self._send_error(404, "RevisionNotFound")
        blob = repo.commits[oid].get(path)
        if blob is None:
            return self._send_error(404, "EntryNotFound")
        tag = blob.sha256 if blob.large else blob.oid
        headers = {"X-Repo-Commit": oid, "ETag": f'"{tag}"', "Accept-Ranges": "bytes"}
        content, status = blob.content, 200
        if asked := self.headers.get("Range"):
            first, _, last = asked.removeprefix("bytes=").partition("-")
            size, begin = len(content), int(first)
            end = min(int(last) if last else size - 1, size - 1)
            content, status = content[begin : end + 1], 206
            headers["Content-Range"] = f"bytes {begin}-{end}/{size}"
        return status, headers, content


def _folder_entry(path):
    return {"type": "directory", "path": path, "oid": _git_hash(path.encode())}


def _list_refs(kind, names):
    return [
        {"name": name, "ref": f"refs/{kind}/{name}", "targetCommit": oid}
        for name, oid in names.items()
    ]
