"""The ten senders as data. `verifier.py` and `identity.py` hold the rules, this file holds the facts.

A header name that begins with `~` stands for the name with the prefix of the family that the request uses
(`~webhook-id` is `x-shopify-webhook-id` or `shopify-webhook-id`).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """A value that identifies: `where` is "body" or "header", `name` a member path or a header name."""

    where: str
    name: str
    kind: str = "text"  # text, number, numbers (a list), boolean, digest (of a text); "any" is text or number
    need: bool = True  # absent is `missing-field`; otherwise absent leaves an empty slot
    cut: str = ""  # only the text before this character
    unless: tuple = ()  # the slot stays empty for these kinds of event


@dataclass(frozen=True)
class Identity:
    body: str = "json"  # json, array (one event an element), form; read only as far as fields are in it
    key: tuple = ()  # fields, one slot each
    one_of: tuple = ()  # fields of the key of which at least one must be there
    agree: str = ""  # a header that must hold the same id where it is present
    unkeyed: bool = False  # only the kinds in `keyed` have a key
    keyed: tuple = ()
    kind: Field | None = None
    subject: tuple = ()  # slots; each is a tuple of alternatives, the first present one counts
    stream: tuple = ()  # slots that the stream has beyond the subject
    order: tuple = ()  # (field, unit of a number) alternatives; a text is RFC 3339
    attempt: Field | None = None
    twin: bool = False  # subject + kind


@dataclass(frozen=True)
class Sender:
    grammar: str  # t-list, prefix, whole, standard, hubspot
    header: str
    identity: Identity
    encoding: str = "hex"
    unit_ms: int | None = None  # None: no time is signed
    tolerance: int = 300  # seconds
    secret: str = "text"  # text, or whsec-base64
    refused: tuple = ()  # beginnings of keys of another kind
    families: tuple = ()
    options: tuple = ()


def body(name: str, kind: str = "text", **more) -> Field:
    return Field("body", name, kind, **more)


def header(name: str, **more) -> Field:
    return Field("header", name, **more)


SENDERS: dict[str, Sender] = {
    "stripe": Sender(
        grammar="t-list",
        header="stripe-signature",
        unit_ms=1000,
        refused=("sk_", "pk_", "rk_", "we_"),
        identity=Identity(
            key=(body("id"),),
            kind=body("type"),
            subject=((body("data.object.id"), body("related_object.id")),),
            order=((body("created", "any"), "s"),),
            twin=True,
        ),
    ),
    "calendly": Sender(
        grammar="t-list",
        header="calendly-webhook-signature",
        unit_ms=1000,
        tolerance=180,
        identity=Identity(
            key=(
                body("payload.uri"),
                body("event"),
                body("created_at", unless=("invitee.created", "invitee.canceled")),
            ),
            kind=body("event"),
            subject=((body("payload.uri"),),),
            order=((body("created_at"), ""),),
        ),
    ),
    "github": Sender(
        grammar="prefix",
        header="x-hub-signature-256",
        options=("legacySha1",),
        identity=Identity(
            key=(header("x-github-hook-id", need=False), header("x-github-delivery")),
            kind=header("x-github-event"),
        ),
    ),
    "shopify": Sender(
        grammar="whole",
        header="~hmac-sha256",
        encoding="base64",
        families=("x-shopify-", "shopify-"),
        options=("headers",),
        identity=Identity(
            key=(header("~webhook-id"),),
            kind=header("~topic"),
            subject=((header("~topic", cut="/"),), (body("id", "any"),)),
            order=((body("updated_at"), ""), (header("~triggered-at"), "")),
        ),
    ),
    "hubspot": Sender(
        grammar="hubspot",
        header="x-hubspot-signature-v3",
        encoding="base64",
        unit_ms=1,
        options=("versions",),
        identity=Identity(
            body="array",
            key=(
                body("portalId", "number"),
                body("appId", "number", need=False),
                body("subscriptionType"),
                body("objectTypeId", need=False),
                body("objectId", "number", need=False),
                body("associationType", need=False),
                body("fromObjectId", "number", need=False),
                body("toObjectId", "number", need=False),
                body("associationRemoved", "boolean", need=False),
                body("primaryObjectId", "number", need=False),
                body("mergedObjectIds", "numbers", need=False),
                body("propertyName", need=False),
                body("propertyValue", "digest", need=False),
                body("occurredAt", "number"),
            ),
            one_of=("objectId", "fromObjectId", "toObjectId", "primaryObjectId", "mergedObjectIds"),
            kind=body("subscriptionType"),
            subject=((body("objectTypeId"), body("subscriptionType", cut=".")), (body("objectId", "number"),)),
            stream=(body("propertyName"),),
            order=((body("occurredAt", "number"), "ms"),),
            attempt=body("attemptNumber", "number"),
        ),
    ),
    "paymos": Sender(
        grammar="t-list",
        header="x-webhook-signature",
        unit_ms=1000,
        identity=Identity(
            key=(body("event_id"),),
            agree="x-webhook-id",
            kind=body("event_type"),
            subject=((body("data.withdrawal_id"), body("data.invoice_id"), body("data.id")),),
            order=((body("data.updated_at", "number"), "s"), (body("occurred_at", "number"), "s")),
            twin=True,
        ),
    ),
    "anyhook": Sender(
        grammar="t-list",
        header="anyhook-signature",
        unit_ms=1000,
        identity=Identity(key=(header("x-anyhook-delivery"),)),
    ),
    "standard-webhooks": Sender(
        grammar="standard",
        header="~signature",
        encoding="base64",
        unit_ms=1000,
        secret="whsec-base64",
        families=("webhook-", "svix-"),
        identity=Identity(key=(header("~id"),), kind=body("type")),
    ),
    "calcom": Sender(
        grammar="whole",
        header="x-cal-signature-256",
        identity=Identity(
            key=(body("triggerEvent"), body("payload.uid"), body("payload.attendeeSeatId", need=False)),
            kind=body("triggerEvent"),
            subject=((body("payload.uid"),),),
            stream=(body("payload.attendeeSeatId"),),
            order=((body("createdAt"), ""),),
        ),
    ),
    "acuity": Sender(
        grammar="whole",
        header="x-acuity-signature",
        encoding="base64",
        identity=Identity(
            body="form",
            key=(body("action"), body("id")),
            unkeyed=True,
            keyed=("scheduled", "canceled"),
            kind=body("action"),
            subject=((body("id"),),),
        ),
    ),
}
