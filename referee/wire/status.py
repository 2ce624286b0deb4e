"""
Refusals as `google.rpc` knows them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.message import DecodeError
from google.rpc import code_pb2, error_details_pb2, status_pb2

from referee.refusals import DOMAIN, Reason, Refusal

if TYPE_CHECKING:
    from google.protobuf.message import Message

DETAILS = "grpc-status-details-bin"
"""Key of the trailing metadata that holds a status with details."""


def write_refusal(refusal: Refusal) -> status_pb2.Status:
    """
    Return the status that tells a refusal.
    """
    status = status_pb2.Status(
        code=code_pb2.Code.Value(refusal.reason.status), message=refusal.text
    )
    info = error_details_pb2.ErrorInfo(reason=refusal.reason.name, domain=DOMAIN)
    if refusal.incident:
        info.metadata["incident"] = refusal.incident
    _pack(status, info)
    if refusal.fields:
        bad = error_details_pb2.BadRequest()
        for field, why in refusal.fields:
            bad.field_violations.add(field=field, description=why)
        _pack(status, bad)
    if refusal.retry is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(max(1, round(refusal.retry * 1000)))
        _pack(status, retry)
    return status


def read_refusal(packed: bytes) -> Refusal | None:
    """
    Return the refusal that the details of a status tell; None if they tell none of ours.
    """
    info = error_details_pb2.ErrorInfo()
    bad = error_details_pb2.BadRequest()
    retry = error_details_pb2.RetryInfo()
    try:
        status = status_pb2.Status.FromString(packed)
        again = False
        for detail in status.details:  # `Unpack` leaves alone what is of another kind
            detail.Unpack(info)
            detail.Unpack(bad)
            again |= detail.Unpack(retry)
    except DecodeError:
        return None
    if info.domain != DOMAIN or info.reason not in Reason.__members__:
        return None
    return Refusal(
        Reason[info.reason],
        status.message,
        tuple((each.field, each.description) for each in bad.field_violations),
        retry.retry_delay.ToMilliseconds() / 1000 if again else None,
        info.metadata.get("incident", ""),
    )


def _pack(status: status_pb2.Status, detail: Message) -> None:
    packed = Packed()
    packed.Pack(detail)
    status.details.append(packed)
