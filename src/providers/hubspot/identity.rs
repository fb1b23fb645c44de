//! Identity of HubSpot's events: every field that tells two changes apart, since `eventId` is documented as not unique.

use crate::identity::{Document, Field, Identity, OrderFormat, OrderUnit, ValueKind};

const fn number(path: &'static str) -> Field {
    Field::body(path).kind(ValueKind::Number)
}

/// Per element of the list. `eventId` and `attemptNumber` are in no key.
pub(super) const IDENTITY: Identity = Identity::new(
    Document::JsonArray,
    &[
        number("portalId"),
        number("appId").optional(),
        Field::body("subscriptionType"),
        Field::body("objectTypeId").optional(),
        number("objectId").optional(),
        Field::body("associationType").optional(),
        number("fromObjectId").optional(),
        number("toObjectId").optional(),
        Field::body("associationRemoved").kind(ValueKind::Boolean).optional(),
        number("primaryObjectId").optional(),
        Field::body("mergedObjectIds").kind(ValueKind::Numbers).optional(),
        Field::body("propertyName").optional(),
        Field::body("propertyValue").kind(ValueKind::Digest).optional(),
        number("occurredAt"),
    ],
)
.one_of(&["objectId", "fromObjectId", "toObjectId", "primaryObjectId", "mergedObjectIds"])
.kind(Field::body("subscriptionType"))
.tenant(number("portalId"))
.subject(&[
    &[Field::body("objectTypeId"), Field::body("subscriptionType").before(b'.')],
    &[number("objectId")],
])
.stream(Field::body("propertyName"))
.order(&[(number("occurredAt"), OrderFormat::Number(OrderUnit::Millis))])
.attempt(number("attemptNumber"))
.retry_members(&["attemptNumber"]);
