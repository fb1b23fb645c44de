//! A record prepared with keys and options: reads the head and plans the MAC.

use http::HeaderMap;

use crate::config_error::ConfigError;
use crate::delivery::Head;
use crate::error::{Error, ErrorKind, Faults};
use crate::evidence::{Coverage, Evidence};
use crate::grammar::{self, TimeText};
use crate::header::HeaderField;
use crate::mac::MacKeys;
use crate::plan::{Frame, MacPlan, Piece};
use crate::provider::{Checker, Needs, Session, Setup};
use crate::scheme::{Family, MAX_FAMILIES, Part, Presence, Scheme, TimeSource};
use crate::time::SignedTime;

/// A family with its header names resolved.
#[derive(Debug)]
struct FamilyFields {
    signature: HeaderField,
    timestamp: Option<HeaderField>,
    id: Option<HeaderField>,
}

impl FamilyFields {
    fn new(family: &Family) -> Result<Self, ConfigError> {
        Ok(Self {
            signature: HeaderField::new(family.signature)?,
            timestamp: family.timestamp.map(HeaderField::new).transpose()?,
            id: family.id.map(HeaderField::new).transpose()?,
        })
    }
}

/// A record prepared with keys and options.
#[derive(Debug)]
pub(super) struct SchemeChecker {
    scheme: Scheme,
    keys: MacKeys,
    families: Box<[FamilyFields]>,
    wanted: Option<usize>,
    coverage: Coverage,
    needs: Needs,
}

/// What the headers gave for the message.
#[derive(Clone, Copy, Debug, Default)]
struct Found<'h> {
    time: Option<TimeText<'h>>,
    id: Option<&'h [u8]>,
}

impl SchemeChecker {
    pub(super) fn new(scheme: &Scheme, setup: &Setup<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            scheme: *scheme,
            wanted: scheme.wanted(setup)?,
            families: scheme.families.iter().map(FamilyFields::new).collect::<Result<_, _>>()?,
            keys: MacKeys::new(scheme.algorithm, setup.secrets())?,
            coverage: scheme.coverage(),
            needs: scheme.needs(),
        })
    }

    fn error(&self, kind: ErrorKind, header: &HeaderField) -> Error {
        Error::new(kind, self.scheme.info.id).with_header(header.text())
    }

    #[cold]
    fn note(&self, faults: &mut Faults, kind: ErrorKind, header: &HeaderField) {
        faults.note(self.error(kind, header));
    }

    /// Reads every header of every present family, and reports the first fault in order of precedence.
    #[inline]
    fn read_families<'h>(
        &self,
        headers: &'h HeaderMap,
        plan: &mut MacPlan<'h>,
    ) -> Result<Found<'h>, Error> {
        let mut faults = Faults::default();
        let mut found = Found::default();
        match &*self.families {
            [family] => match family.signature.read(headers).transpose() {
                None => return Err(self.error(ErrorKind::MissingHeader, &family.signature)),
                Some(signature) => {
                    self.read_family(family, signature, headers, plan, &mut found, &mut faults);
                }
            },
            families => self.read_several(families, headers, plan, &mut found, &mut faults),
        }
        faults.into_result().map(|()| found)
    }

    fn read_several<'h>(
        &self,
        families: &[FamilyFields],
        headers: &'h HeaderMap,
        plan: &mut MacPlan<'h>,
        found: &mut Found<'h>,
        faults: &mut Faults,
    ) {
        let mut signatures = [None; MAX_FAMILIES];
        let mut present = 0usize;
        for ((index, family), signature) in families.iter().enumerate().zip(&mut signatures) {
            *signature = match family.signature.read(headers).transpose() {
                None if self.wanted == Some(index) => Some(Err(ErrorKind::MissingHeader)),
                read => read,
            };
            if signature.is_some() {
                present += 1;
                if present == 1 {
                    plan.evidence_mut().family = u8::try_from(index).unwrap_or_default();
                }
            }
        }
        if let [first, ..] = families {
            if present == 0 {
                self.note(faults, ErrorKind::MissingHeader, &first.signature);
            } else if present > 1 && self.scheme.presence == Presence::OneOf {
                // Which family's other headers count is not known, so none of them is read.
                for (family, signature) in families.iter().zip(signatures) {
                    if let Some(Err(kind)) = signature {
                        self.note(faults, kind, &family.signature);
                    }
                }
                self.note(faults, ErrorKind::MalformedHeader, &first.signature);
                return;
            }
        }
        for (family, signature) in families.iter().zip(signatures) {
            if let Some(signature) = signature {
                self.read_family(family, signature, headers, plan, found, faults);
            }
        }
    }

    /// Reads the headers of a present family, all of them, whatever is wrong with one.
    #[inline]
    fn read_family<'h>(
        &self,
        family: &FamilyFields,
        signature: Result<&'h [u8], ErrorKind>,
        headers: &'h HeaderMap,
        plan: &mut MacPlan<'h>,
        found: &mut Found<'h>,
        faults: &mut Faults,
    ) {
        let time = signature.and_then(|value| {
            plan.source(family.signature.text(), value);
            grammar::read(&self.scheme.grammar, value, plan)
        });
        match time {
            Ok(Some(time)) => found.time = Some(time),
            Ok(None) => {}
            Err(kind) => self.note(faults, kind, &family.signature),
        }
        if let Some(field) = &family.timestamp {
            match read_field(field, headers).and_then(TimeText::read) {
                Ok(time) => found.time = Some(time),
                Err(kind) => self.note(faults, kind, field),
            }
        }
        if let Some(field) = &family.id {
            match read_field(field, headers) {
                Ok(text) => found.id = Some(text),
                Err(kind) => self.note(faults, kind, field),
            }
        }
    }
}

/// The value of a header that must be there.
fn read_field<'h>(field: &HeaderField, headers: &'h HeaderMap) -> Result<&'h [u8], ErrorKind> {
    field.read(headers)?.ok_or(ErrorKind::MissingHeader)
}

impl SchemeChecker {
    #[inline]
    fn frame(&self) -> Frame<'_> {
        Frame {
            keys: &self.keys,
            encoding: self.scheme.encoding,
            provider: self.scheme.info.id,
            coverage: self.coverage,
        }
    }

    /// Fills the plan from the head.
    #[inline]
    fn fill<'h>(&'h self, head: Head<'h>, plan: &mut MacPlan<'h>) -> Result<(), Error> {
        let found = self.read_families(head.headers(), plan)?;
        if let (Some(time), Some(source)) = (found.time, self.scheme.time) {
            let (TimeSource::Header(unit) | TimeSource::Pairs(unit)) = source;
            plan.evidence_mut().signed_at = Some(SignedTime::new(time.value, unit));
        }
        let mut body_seen = false;
        for part in self.scheme.message {
            let bytes = match *part {
                Part::Body => {
                    body_seen = true;
                    continue;
                }
                Part::Id => found.id.unwrap_or_default(),
                Part::Literal(text) => text.as_bytes(),
                Part::Method => {
                    head.method().map(|method| method.as_str().as_bytes()).unwrap_or_default()
                }
                Part::Timestamp => found.time.map(|time| time.text).unwrap_or_default(),
                Part::Url => head.url().map(str::as_bytes).unwrap_or_default(),
            };
            if body_seen {
                plan.after(Piece::Bytes(bytes))
            } else {
                plan.before(Piece::Bytes(bytes))
            }
        }
        Ok(())
    }
}

impl Checker for SchemeChecker {
    fn begin<'h>(&'h self, head: Head<'h>) -> Result<Session<'h>, Error> {
        Session::mac(self.frame(), |plan| self.fill(head, plan))
    }

    fn check(&self, head: Head<'_>, body: &[u8]) -> Result<Evidence, Error> {
        let mut plan = MacPlan::new(self.frame());
        self.fill(head, &mut plan)?;
        plan.run(body)
    }

    fn needs(&self) -> Needs {
        self.needs
    }
}
