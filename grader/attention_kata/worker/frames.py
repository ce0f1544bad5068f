"""Frames on a private descriptor: one kind byte, a 32-bit length, a JSON part and a safetensors part."""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from safetensors.numpy import load, save

HEAD = struct.Struct("<cI")
LENGTH = struct.Struct("<I")

HELLO = b"H"  # the worker is ready
JOB = b"J"  # from the trusted side: files, limits, what to skip
CASES = b"C"  # from the trusted side: scripts and inputs of one exercise
BEGIN = b"B"  # the job is read; what comes next is the submission's code
MODULE = b"M"  # how importing one topic file went
OBSERVATION = b"O"  # one case, in the order of the job


def pack(kind: bytes, meta: Any, arrays: Mapping[str, np.ndarray] | None = None) -> bytes:
    """One frame; `meta` is JSON, `arrays` are bool, int64 or float64."""
    text = json.dumps(meta).encode()
    blob = save({name: np.asarray(array, order="C") for name, array in (arrays or {}).items()})
    payload = LENGTH.pack(len(text)) + text + blob
    return HEAD.pack(kind, len(payload)) + payload


def unpack(payload: bytes) -> tuple[Any, dict[str, np.ndarray]]:
    """The JSON part and the arrays of a frame's payload.  For frames from the trusted side only."""
    (length,) = LENGTH.unpack_from(payload)
    start = LENGTH.size + length
    return json.loads(payload[LENGTH.size : start]), load(payload[start:])


Channel = int | socket.socket  # a descriptor, since a confined process may not call send and recv; else a socket


def send(channel: Channel, frame: bytes) -> None:
    view = memoryview(frame)
    while view:
        view = view[os.write(channel, view) if isinstance(channel, int) else channel.send(view) :]


def receive(channel: Channel) -> tuple[bytes, bytes]:
    """(kind, payload) of the next frame.  EOFError when the other side is gone."""
    kind, length = HEAD.unpack(_exactly(channel, HEAD.size))
    return kind, _exactly(channel, length)


def _exactly(channel: Channel, count: int) -> bytes:
    chunks, missing = [], count
    while missing:
        wanted = min(missing, 1 << 20)
        chunk = os.read(channel, wanted) if isinstance(channel, int) else channel.recv(wanted)
        if not chunk:
            raise EOFError("the other side closed the connection")
        chunks.append(chunk)
        missing -= len(chunk)
    return b"".join(chunks)
