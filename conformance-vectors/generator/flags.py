"""What every flag means. A file carries the notes of the flags that it uses."""

_REPO = "https://github.com/"

# name: (bug type, description, links, policy)
_TABLE = {
    "Basic": ("BASIC", "An ordinary delivery as the sender makes it.", (), False),
    "VendorExample": ("BASIC", "An example with all its inputs that the sender itself publishes.", (), False),
    "VendorExperiment": ("FUNCTIONALITY", "An input on which the sender's own libraries were run.", (), False),
    "PublicReport": ("KNOWN_BUG", "Rebuilt from a public bug report; the group names it.", (), False),
    "OtherClock": ("BASIC", "The clock is not at 1700000000000.", (), False),
    "TamperedBody": ("AUTH_BYPASS", "The body is not the one that was signed.", (), False),
    "WrongSecret": ("AUTH_BYPASS", "Signed with a key that is not configured.", (), False),
    "MissingHeader": (
        "AUTH_BYPASS",
        "A header that the scheme needs is absent or empty. Absence is a failure, never a reason to skip the check.",
        (),
        False,
    ),
    "MalformedHeader": ("EDGE_CASE", "A header that cannot be read by the sender's grammar.", (), False),
    "RepeatedHeader": (
        "AUTH_BYPASS",
        "Two lines of a header that the scheme reads once. Two parsers may choose two different lines.",
        (),
        False,
    ),
    "LookalikeHeader": (
        "FUNCTIONALITY",
        "The signature stands under a name that other senders, old texts or wrong manuals use.",
        (),
        False,
    ),
    "HeaderNameCase": ("FUNCTIONALITY", "Header names have no case.", (), False),
    "EmptyBody": ("EDGE_CASE", "A body of no bytes has a signature like any other.", (), False),
    "NonUtf8Body": (
        "FUNCTIONALITY",
        "The signature is over bytes; a body that is not UTF-8 must not be refused, replaced or re-coded.",
        (),
        False,
    ),
    "ReplacementCharacter": (
        "AUTH_BYPASS",
        "Bytes that are not UTF-8 and U+FFFD are different bodies. A lossy decoder before the MAC makes them equal.",
        (),
        False,
    ),
    "ByteOrderMark": (
        "AUTH_BYPASS",
        "A byte order mark belongs to the signed bytes; decoders that drop it change the body.",
        (),
        False,
    ),
    "LineEnding": ("MODIFIED_PARAMETER", "Line ends and a final newline are signed as they are.", (), False),
    "ReserialisedBody": (
        "MODIFIED_PARAMETER",
        "The same JSON document in other bytes. Parsing and printing before the check breaks the signature, or hides a change.",
        (),
        False,
    ),
    "SubstitutionPattern": (
        "AUTH_BYPASS",
        "Bodies with $&, $$, %s, {body} or a backslash. A signed text built by text replacement expands them.",
        (),
        False,
    ),
    "DuplicateKeys": (
        "EDGE_CASE",
        "JSON with a doubled member. The verifier signs bytes and does not read it.",
        (),
        False,
    ),
    "AllBytes": ("EDGE_CASE", "Every octet from 00 to FF in one body.", (), False),
    "BigBody": ("AVAILABILITY", "A body of a megabyte or more.", (), False),
    "AnyBody": ("FUNCTIONALITY", "The body need not be JSON, text or of the expected type.", (), False),
    "MultipleSignatures": (
        "AVAILABILITY",
        "Several signatures in one delivery, as during a rotation: any match is enough, in any position.",
        (),
        False,
    ),
    "RotatedSecret": ("AVAILABILITY", "Several secrets at the receiver: the current one and earlier ones.", (), False),
    "TooManySignatures": (
        "AVAILABILITY",
        "At most 32 signatures of an accepted version and 64 items of any kind, so that work is bounded; also the largest numbers allowed.",
        (),
        False,
    ),
    "LongHeader": ("AVAILABILITY", "A signature header has at most 8192 bytes once outer blanks are off.", (), False),
    "TruncatedTag": (
        "AUTH_BYPASS",
        "A part of the right signature, or more than it. Comparing a prefix makes forgery cheap.",
        (),
        False,
    ),
    "WrongEncoding": ("EDGE_CASE", "The right signature in another encoding than the sender's.", (), False),
    "WrongPrimitive": ("WRONG_PRIMITIVE", "Another function, or the right one over other parts.", (), False),
    "UnknownVersionOnly": (
        "AUTH_BYPASS",
        "No signature of an accepted version. The sender's text never chooses the algorithm.",
        (),
        False,
    ),
    "UnknownVersionBeside": (
        "AVAILABILITY",
        "A version that is not known beside one that is; it is skipped.",
        (),
        False,
    ),
    "UnusableCandidate": (
        "AVAILABILITY",
        "A signature that cannot be decoded beside a good one; it must not spoil it.",
        (),
        False,
    ),
    "HeaderSyntax": ("EDGE_CASE", "A header in an unusual form.", (), False),
    "DuplicateTimestamp": (
        "REPLAY",
        "Two times in one header. Which one is signed and which one is checked must never be a matter of order.",
        (),
        False,
    ),
    "Stale": ("REPLAY", "A genuine delivery older than the tolerance.", (), False),
    "Future": (
        "REPLAY",
        "A genuine delivery dated ahead of the clock by more than the tolerance; without this limit it never expires.",
        (_REPO + "stripe/stripe-dotnet/issues/1183",),
        False,
    ),
    "BoundaryInside": ("EDGE_CASE", "Exactly at the tolerance, which is inside.", (), False),
    "BoundaryOutside": ("EDGE_CASE", "One unit beyond the tolerance.", (), False),
    "Tolerance": (
        "FUNCTIONALITY",
        "A tolerance other than the sender's. Zero means the same unit of time and is never off.",
        (),
        False,
    ),
    "ClockMilliseconds": (
        "EDGE_CASE",
        "The clock has a part of a second; it is cut down to the sender's unit.",
        (),
        False,
    ),
    "TimestampUnit": ("REPLAY", "Seconds where milliseconds are due, or the reverse.", (), False),
    "TimestampOverflow": ("REPLAY", "A time at the limits of integer types.", (), False),
    "TimestampNotCanonical": (
        "REPLAY",
        "A time that is not plain decimal digits. What is not a number must not skip the check of the age.",
        (),
        False,
    ),
    "TamperedTimestamp": ("REPLAY", "The time is not the one that was signed.", (), False),
    "OrderOfReasons": (
        "FUNCTIONALITY",
        "Two faults at once: the first in the order of reasons is reported.",
        (),
        False,
    ),
    "SignatureBeforeTime": (
        "CONFIDENTIALITY",
        "Stale or ahead, and forged: only a genuine delivery is called stale.",
        (),
        False,
    ),
    "BlankSecret": (
        "AUTH_BYPASS",
        "A secret that is empty or white space, or none at all. Anyone can sign with it.",
        (_REPO + "stripe/stripe-ruby/pull/1960",),
        False,
    ),
    "TooManySecrets": ("AVAILABILITY", "At most 8 secrets.", (), False),
    "WrongKindOfSecret": (
        "FUNCTIONALITY",
        "A secret of another kind, or one that cannot be decoded; refused when the verifier is built.",
        (),
        False,
    ),
    "SecretForm": (
        "FUNCTIONALITY",
        "How the text of a secret becomes a key: as it stands, or decoded, as the sender documents.",
        (),
        False,
    ),
    "BoundarySlide": ("MALLEABILITY", "Bytes moved over the border between two signed parts.", (), False),
    "MissingTarget": ("FUNCTIONALITY", "Method or URL is signed and the receiver did not give it.", (), False),
    "WrongUrl": ("AUTH_BYPASS", "The URL is not the one that was signed. It is compared as text.", (), False),
    "WrongMethod": ("AUTH_BYPASS", "The method is not the one that was signed.", (), False),
    "UrlEscape": ("EDGE_CASE", "Percent escapes in a signed URL.", (), False),
    "Sha1": (
        "LEGACY",
        "GitHub's old SHA-1 header. It counts only where the receiver asks for it, and never rescues the newer one.",
        (),
        False,
    ),
    "HubSpotVersions": (
        "AUTH_BYPASS",
        "HubSpot's three signature versions. The receiver's list decides, not the request.",
        (),
        False,
    ),
    "HubSpotV1": ("LEGACY", "HubSpot's version 1: SHA-256 over secret and body.", (), False),
    "HubSpotV2": ("LEGACY", "HubSpot's version 2: SHA-256 over secret, method, URL and body.", (), False),
    "ShopifyFamilies": (
        "AUTH_BYPASS",
        "Shopify's headers with and without X-. Where both signatures are present both must be right.",
        (),
        False,
    ),
    "NoSecretProvided": (
        "AUTH_BYPASS",
        "Cal.com sends this literal when a webhook has no secret. It is a failed delivery, not an unsigned one to let through.",
        (_REPO + "calcom/cal.com",),
        False,
    ),
    "HeaderFamilies": (
        "AUTH_BYPASS",
        "The two families of header names of Standard Webhooks. Id, time and signature come from one.",
        (),
        False,
    ),
    "SignedId": ("AUTH_BYPASS", "The message id is signed.", (), False),
    # policy flags: a careful receiver may answer either way
    "AnyCaseHex": (
        "MALLEABILITY",
        "Hexadecimal with capital letters. The sender writes small ones; the bytes are the same, and some libraries compare text, others bytes.",
        (),
        True,
    ),
    "BlankAfterComma": (
        "EDGE_CASE",
        "A blank at the start of a list item. Some libraries trim it, others read another key.",
        (),
        True,
    ),
    "BlankInItem": (
        "EDGE_CASE",
        "A blank around the equals sign or before a comma. Some libraries trim it or read a number leniently.",
        (),
        True,
    ),
    "EmptyListItem": (
        "EDGE_CASE",
        "Nothing between two separators. Some libraries skip it, others refuse the header.",
        (),
        True,
    ),
    "BareListItem": (
        "EDGE_CASE",
        "An item without key or version beside good ones. Some libraries skip it, others refuse the header.",
        (),
        True,
    ),
    "OuterWhiteSpace": (
        "EDGE_CASE",
        "Blanks around a header value. HTTP takes them off, so that a verifier meets them only where the layer below does not.",
        ("https://www.rfc-editor.org/rfc/rfc9110#section-5.5",),
        True,
    ),
    "NonCanonicalTimestamp": (
        "MALLEABILITY",
        "A spelling of the right time that a library of the sender reads as a number. Only plain digits have one spelling.",
        (),
        True,
    ),
    "UndocumentedSignatureList": (
        "EDGE_CASE",
        "Several signatures from a sender that documents one. Any right one is proof; refusing what is not documented is as defensible.",
        (),
        True,
    ),
    "HubSpotDecodedUrl": (
        "EDGE_CASE",
        "Signed over the URL with the documented escapes decoded. The documentation says so, the sender's libraries do not.",
        ("https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation",),
        True,
    ),
    "HubSpotVerbatimUrl": (
        "EDGE_CASE",
        "Signed over a URL with documented escapes as it stands. The sender's libraries do so, the documentation does not.",
        ("https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation",),
        True,
    ),
    "UnpaddedSecret": (
        "EDGE_CASE",
        "A base64 secret without its padding. The key is the same; strict decoders refuse it.",
        (),
        True,
    ),
    "BlankAroundSecret": (
        "FUNCTIONALITY",
        "A text secret with white space around it, which signed the delivery. Nearly always a mistake of pasting; libraries take it literally.",
        (),
        True,
    ),
    "MixedHeaderFamilies": (
        "EDGE_CASE",
        "Signature headers of both families in one request. Libraries choose one; refusing is the safer reading.",
        (),
        True,
    ),
    "JoinedHeaderLines": (
        "EDGE_CASE",
        "Two header lines that a proxy joined with a comma. Lenient decoders stop at the first value.",
        (),
        True,
    ),
    "DottedId": (
        "MALLEABILITY",
        "A message id with a full stop, which is also the separator. Libraries take it; the specification asks senders to avoid it.",
        ("https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",),
        True,
    ),
    "MissingRoutingHeader": (
        "EDGE_CASE",
        "The signature is right and an unsigned header beside it is absent. Verification does not need it; libraries that also route refuse.",
        (),
        True,
    ),
    "TextOnlyLibrary": (
        "FUNCTIONALITY",
        "A body that is not UTF-8, rightly signed. The sender's only library decodes bodies as text and refuses it; the bytes are the signed ones.",
        (),
        True,
    ),
    "OverlongHeader": (
        "AVAILABILITY",
        "A right signature in a header of more than 8192 bytes. Refusing it bounds the work; libraries set no limit.",
        (),
        True,
    ),
    "ManyItems": (
        "AVAILABILITY",
        "A right signature among more than 64 items, at most 32 of them of an accepted version. Refusing it bounds the work; libraries set no limit.",
        (),
        True,
    ),
    "UnseparatedParts": (
        "MALLEABILITY",
        "Bytes moved between signed parts that have no separator. The signature is right for the moved form; a receiver that knows its own URL may refuse it.",
        (),
        True,
    ),
}

ALL = set(_TABLE)
POLICY = {name for name, row in _TABLE.items() if row[3]}


def note(name):
    bug_type, description, links, policy = _TABLE[name]
    result = {"bugType": bug_type, "description": description}
    if links:
        result["links"] = list(links)
    if policy:
        result["policy"] = True
    return result
