"""From the answers of the adapters to the matrix: what is counted, what is shown, what is withheld."""

import base64
import collections
import html
import json
import pathlib

VECTORS = pathlib.Path(__file__).resolve().parents[1]

# Families are the flags of the vectors; an area is a group of families. What is in no area is in the last one.
AREAS = {
    "Basics": "Basic VendorExample VendorExperiment PublicReport OtherClock OrderOfReasons",
    "Body": "AllBytes AnyBody BigBody ByteOrderMark DuplicateKeys EmptyBody LineEnding NonUtf8Body ReplacementCharacter"
    " ReserialisedBody SubstitutionPattern TamperedBody TextOnlyLibrary",
    "Headers": "HeaderNameCase HeaderSyntax JoinedHeaderLines LongHeader LookalikeHeader MalformedHeader MissingHeader"
    " MissingRoutingHeader OuterWhiteSpace OverlongHeader RepeatedHeader BlankAfterComma BlankInItem",
    "Signature": "AnyCaseHex BoundarySlide TruncatedTag UnseparatedParts WrongEncoding WrongPrimitive",
    "Several signatures": "BareListItem EmptyListItem ManyItems MultipleSignatures TooManySignatures"
    " UndocumentedSignatureList UnknownVersionBeside UnknownVersionOnly UnusableCandidate",
    "Time": "BoundaryInside BoundaryOutside ClockMilliseconds DuplicateTimestamp Future NonCanonicalTimestamp"
    " SignatureBeforeTime Stale TamperedTimestamp TimestampNotCanonical TimestampOverflow TimestampUnit Tolerance",
    "Secrets": "BlankAroundSecret BlankSecret NoSecretProvided RotatedSecret SecretForm TooManySecrets UnpaddedSecret"
    " WrongKindOfSecret WrongSecret",
    "Target": "HubSpotDecodedUrl HubSpotVerbatimUrl MissingTarget UrlEscape WrongMethod WrongUrl",
    "Versions, ids": "DottedId HeaderFamilies HubSpotV1 HubSpotV2 HubSpotVersions MixedHeaderFamilies Sha1"
    " ShopifyFamilies SignedId",
    "Other": "",
}
AREA_OF = {family: area for area, families in AREAS.items() for family in families.split()}

# Flags that say where a vector comes from or how it is made, not what it is about.
GENERIC = {"Basic", "Events", "OtherClock", "OrderOfReasons", "PublicReport", "VendorExample", "VendorExperiment"}
SENSITIVE = ("AUTH_BYPASS", "REPLAY", "AVAILABILITY")
# An accepted request with one of these faults tells of such a case, whatever its flags.
SENSITIVE_REASONS = {
    "missing-header",
    "repeated-header",
    "signature-mismatch",
    "timestamp-in-future",
    "timestamp-too-old",
}
COUNTS = ("pass", "differs", "withheld", "policyAccepted", "policyRefused", "unsupported")


class Suite:
    """The vectors by id, and the notes of their flags."""

    def __init__(self, folder=VECTORS):
        self.notes, self.cases = {}, {}
        for path in sorted(folder.glob("*.json")):
            file = json.loads(path.read_text("utf-8"))
            for flag, note in file["notes"].items():
                links = self.notes.setdefault(flag, {**note, "links": []})["links"]
                links += [link for link in note.get("links", []) if link not in links]
            for group in file["testGroups"]:
                for test in group["tests"]:
                    self.cases[test["tcId"]] = (file["provider"], group, test)

    def bug_types(self, test):
        return {self.notes[flag]["bugType"] for flag in test["flags"]}

    def family(self, test):
        """The one flag under which a vector is counted: the gravest that says what it is about."""

        def rank(flag):
            bug = self.notes[flag]["bugType"]
            grave = SENSITIVE.index(bug) if bug in SENSITIVE else len(SENSITIVE)
            return (flag in GENERIC, flag == "Events", grave, flag)

        return min(test["flags"], key=rank, default="Basic")

    def events_only(self, test):
        """Whether a vector asks for nothing that its plain brothers do not, but for its events."""
        flags = set(test["flags"]) - {"OtherClock"}
        about = flags - GENERIC
        return "Events" in flags and (flags == {"Events"} or any(flag.startswith("Event") for flag in about))

    def policy_flags(self, test):
        return [flag for flag in test["flags"] if self.notes[flag].get("policy")]


class Implementation:
    """The grades of one implementation. `run` is what `hookproof vectors run --json` says of it, under a policy that
    accepts nothing, so that the answer to every vector can be told."""

    def __init__(self, suite, run, adapter, language):
        self.name, self.version = run["implementation"].rsplit(" ", 1)
        self.name = self.name.removesuffix(f" ({language})")
        self.adapter, self.language = adapter, language
        self.units = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
        self.lacks, self.policy = collections.Counter(), collections.defaultdict(collections.Counter)
        self.differences, self.hidden, self.exceptions = [], [], 0
        failed = {failure["id"]: failure["got"] for failure in run["failures"]}
        lacking = {skipped["id"]: skipped["why"] for skipped in run["unsupported"]}
        reasons = [other["got"] for other in run["differentReasons"]] + list(failed.values())
        self.exceptions = sum("(exception:" in reason for reason in reasons)
        for case_id, (provider, _, test) in suite.cases.items():
            why = lacking.get(case_id)
            if suite.events_only(test) or why == f"the provider {provider} is not offered":
                continue
            grade = "unsupported" if why else self._grade(suite, case_id, test, failed.get(case_id))
            if why:
                self.lacks[why] += 1
            self.units[provider][suite.family(test)][grade] += 1

    def _grade(self, suite, case_id, test, got):
        bugs = suite.bug_types(test)
        crashed = bool(got) and got.startswith("error:")
        if test["result"] == "acceptable" and not crashed:
            grade = "policyAccepted" if got == "accept" else "policyRefused"
            for flag in suite.policy_flags(test):
                self.policy[flag][grade] += 1
            return grade
        if got is None:
            return "pass"
        accepted = got == "accept"
        withheld = (
            crashed
            or (accepted and (bugs & set(SENSITIVE) or test.get("reason") in SENSITIVE_REASONS))
            or (accepted and "OrderOfReasons" in test["flags"])
            or "AVAILABILITY" in bugs
        )
        (self.hidden if withheld else self.differences).append((case_id, got))
        return "withheld" if withheld else "differs"

    def totals(self, provider=None):
        total = collections.Counter()
        for unit, families in self.units.items():
            if provider in (None, unit):
                for counts in families.values():
                    total.update(counts)
        return total

    def areas(self):
        areas = collections.defaultdict(collections.Counter)
        for families in self.units.values():
            for family, counts in families.items():
                areas[AREA_OF.get(family, "Other")].update(counts)
        return areas

    def withheld_families(self):
        families = collections.Counter()
        for unit in self.units.values():
            families.update({family: counts["withheld"] for family, counts in unit.items() if counts["withheld"]})
        return families


def expected(test):
    return {"valid": "accept", "invalid": f"refuse ({test.get('reason')})"}.get(test["result"], "either")


def answered(got):
    """An answer in words: an error that the package does not document is named as one."""
    word, _, reason = got.partition(" (")
    reason = reason.removesuffix(")")
    if reason.startswith("exception:"):
        return f"refuse, by an undocumented {reason.removeprefix('exception:')}"
    if word == "reject":
        return f"refuse ({reason})" if reason else "refuse"
    return word.replace("reject without a reason", "refuse")


def body(test, limit=1500):
    """The body of a vector for people: a form and a text."""
    plain = test.get("body")
    if isinstance(plain, dict):
        return "repeat", f"{plain['repeat'][:200]} × {plain['times']}"
    if plain is None:
        data = base64.b64decode(test["bodyBase64"])
        return "hex", f"{data[:400].hex(' ')}{' …' if len(data) > 400 else ''}"
    return "text", plain if len(plain) <= limit else f"{plain[:limit]} … ({len(plain)} characters)"


def _shorten(value, limit=600):
    if not isinstance(value, str):
        return value
    return value if len(value) <= limit else f"{value[:limit]} … ({len(value)} characters)"


def _vector(suite, case_id):
    provider, group, test = suite.cases[case_id]
    form, text = body(test)
    return {
        "provider": provider,
        "family": suite.family(test),
        "flags": test["flags"],
        "comment": test["comment"],
        "expected": expected(test),
        "nowMs": test["nowMs"],
        "method": test.get("method"),
        "url": test.get("url"),
        "headers": [[name, _shorten(value)] for name, value in test["headers"]],
        "bodyForm": form,
        "body": text,
        "secrets": [_shorten(secret) for secret in group["secrets"]],
        "tolerance": group.get("toleranceSeconds"),
        "options": group.get("options") or None,
        "source": {key: group["source"].get(key) for key in ("kind", "name", "url")},
    }


def data(suite, implementations, meta):
    """All that the page shows; nothing in it names a case that is withheld."""
    shown = sorted({case_id for one in implementations for case_id, _ in one.differences})
    used = {flag for case_id in shown for flag in suite.cases[case_id][2]["flags"]}
    used |= {family for one in implementations for unit in one.units.values() for family in unit}
    used |= {flag for one in implementations for flag in one.policy}
    rows = []
    for one in implementations:
        units = {
            provider: {family: [counts[name] for name in COUNTS] for family, counts in sorted(families.items())}
            for provider, families in sorted(one.units.items())
        }
        rows.append(
            {
                "name": one.name,
                "version": one.version,
                "language": one.language,
                "adapter": one.adapter,
                "units": units,
                "lacks": one.lacks.most_common(),
                "exceptions": one.exceptions,
                "policy": {flag: [c["policyAccepted"], c["policyRefused"]] for flag, c in sorted(one.policy.items())},
                "differences": {case_id: answered(got) for case_id, got in one.differences},
            }
        )
    families = {
        flag: {
            "area": AREA_OF.get(flag, "Other"),
            "bugType": suite.notes[flag]["bugType"],
            "note": suite.notes[flag]["description"],
            "links": suite.notes[flag]["links"],
        }
        for flag in sorted(used)
    }
    vectors = {case_id: _vector(suite, case_id) for case_id in shown}
    return {"meta": meta, "areas": list(AREAS), "families": families, "implementations": rows, "vectors": vectors}


def page(content, template):
    """The page: the template with its data inside. No `<` is left in the data that could end the element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return template.replace("<!--data-->", text).replace("<!--date-->", html.escape(content["meta"]["date"]))


def _table(head, rows, numbers=True):
    align = ["---"] + ["--:" if numbers else "---"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, align, *rows])


def _title(one):
    return f"{one.name}, {one.language}"


def _by_sender(implementations):
    rows = []
    for one in implementations:
        for provider in sorted(one.units):
            c = one.totals(provider)
            name = f"[{one.name}](../{one.adapter}) {one.version}, {one.language}"
            policy = f"{c['policyAccepted']} / {c['policyRefused']}"
            rows.append([name, f"`{provider}`", c["pass"], c["differs"], c["withheld"], policy, c["unsupported"]])
    return _table(["implementation", "sender", "pass", "differs", "withheld", "policy", "unsupported"], rows)


def _by_area(implementations):
    names = [area for area in AREAS if any(area in one.areas() for one in implementations)]

    def cell(counts):
        return (
            f"{counts['pass']} / {counts['differs'] + counts['withheld']} / {counts['unsupported']}" if counts else ""
        )

    rows = [[_title(one), *(cell(one.areas().get(area)) for area in names)] for one in implementations]
    return _table(["implementation", *names], rows)


def _withheld(implementations):
    rows = []
    for one in implementations:
        families = one.withheld_families()
        text = ", ".join(f"`{family}` {count}" for family, count in sorted(families.items()))
        rows.append([_title(one), families.total(), text or "none"])
    return _table(["implementation", "all", "by family"], rows).replace("| --: | --: |", "| --: | --- |")


def _policy(implementations):
    words = ("accepts", "accepts some", "refuses")
    rows = []
    for flag in sorted({flag for one in implementations for flag in one.policy}):
        answers = {word: [] for word in words}
        for one in implementations:
            if flag in one.policy:
                counts = one.policy[flag]
                word = words[0] if not counts["policyRefused"] else words[1] if counts["policyAccepted"] else words[2]
                answers[word].append(f"{one.name} ({one.language})")
        rows.append([f"`{flag}`", *(", ".join(answers[word]) for word in words)])
    return _table(["flag", *words], rows, numbers=False)


def _differences(suite, implementations):
    parts = []
    for one in implementations:
        by_family = collections.defaultdict(list)
        for case_id, got in one.differences:
            test = suite.cases[case_id][2]
            line = f"  - `{case_id}`: expected {expected(test)}, got {answered(got)}"
            by_family[suite.family(test)].append(line)
        lines = []
        for family, cases in sorted(by_family.items()):
            lines += [f"- `{family}`: {suite.notes[family]['description']}", *cases]
        head = f"{html.escape(one.name)} {one.version}, {one.language}: {len(one.differences)}"
        text = "\n".join(lines) or "None."
        parts.append(f"<details>\n<summary>{head}</summary>\n\n{text}\n\n</details>")
    return "\n\n".join(parts)


def _unsupported(implementations):
    lines = []
    for one in implementations:
        why = "; ".join(f"{text} ({count})" for text, count in one.lacks.most_common())
        lines.append(f"- {_title(one)}: {why or 'nothing'}")
    return "\n".join(lines)


def markdown(suite, implementations, meta):
    return TEXT.format(
        summary=_by_sender(implementations),
        areas=_by_area(implementations),
        withheld=_withheld(implementations),
        policy=_policy(implementations),
        details=_differences(suite, implementations),
        lacks=_unsupported(implementations),
        **meta,
    )


TEXT = """# Libraries and the vectors

What published packages answer to the vectors of this suite. Written by `conformance-vectors/run-adapters`; do not edit. The
same as a page with filters: [`index.html`](index.html).

Run on {date} with suite {suite}, {vectors} vectors, on {platform}.

**A difference is not a verdict on a package.** It says that the package's answer is not the one of this suite. A vector can be
stricter than a package's documentation, a package can leave a matter to its caller, an adapter can be wrong, and so can a vector. If
you maintain one of these packages and think that a row or a vector is wrong, [`SECURITY.md`](../../SECURITY.md) says how to report it;
[`adapters/`](../adapters/README.md) has the few lines that called it. Only the versions below were looked at.

| word | meaning |
|---|---|
| pass | the verdict of the vector; reasons are not compared |
| differs | another verdict: a genuine request refused, or one accepted that this suite refuses |
| withheld | a difference that is counted and not shown, see below |
| policy | `acceptable` vectors, accepted / refused: either answer can be defended |
| unsupported | what the package cannot express or leaves to its caller, and so was not asked |

A vector is counted once, under the gravest of its flags. Vectors that are about events only are left out.

## By sender

{summary}

## By area

Pass / differs and withheld / unsupported.

{areas}

## Withheld until reported

Where a package accepts a request of a family about forgery, replay or availability, where it refuses a genuine one of the last of
these, and where it crashes, the number is here and the case is nowhere in this repository. It is shown once its maintainers have had
the report and the time to answer. Some are choices that a package documents, or matters that it leaves to its caller.

{withheld}

## Policy

{policy}

## Differences

{details}

## Unsupported

{lacks}
"""
