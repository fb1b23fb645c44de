//! The files of the suite, embedded.

/// The vector files: the sender's id and the text of `<id>.json`, in alphabetical order.
pub const FILES: &[(&str, &str)] = &[
    ("acuity", include_str!("../acuity.json")),
    ("anyhook", include_str!("../anyhook.json")),
    ("calcom", include_str!("../calcom.json")),
    ("calendly", include_str!("../calendly.json")),
    ("github", include_str!("../github.json")),
    ("hubspot", include_str!("../hubspot.json")),
    ("paymos", include_str!("../paymos.json")),
    ("shopify", include_str!("../shopify.json")),
    ("standard-webhooks", include_str!("../standard-webhooks.json")),
    ("stripe", include_str!("../stripe.json")),
];

/// Texts for people: the path below the suite's folder, and the text.
pub const DOCUMENTS: &[(&str, &str)] = &[
    ("CHANGELOG.md", include_str!("../CHANGELOG.md")),
    ("LICENSE", include_str!("../LICENSE")),
    ("NOTICE", include_str!("../NOTICE")),
    ("README.md", include_str!("../README.md")),
];

/// The JSON Schemas, draft-07: the path below the suite's folder, and the text.
pub const SCHEMAS: &[(&str, &str)] = &[
    ("schema/policy-v1.json", include_str!("../schema/policy-v1.json")),
    ("schema/v1.json", include_str!("../schema/v1.json")),
];

/// The policy files: the path below the suite's folder, and the text.
pub const POLICIES: &[(&str, &str)] =
    &[("policies/hookproof.json", include_str!("../policies/hookproof.json"))];
