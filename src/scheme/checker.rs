//! A record prepared with keys and options: reads the head and plans the MAC.

use http::HeaderMap;

use crate::config_error::ConfigError;
use crate::delivery::Head;
use crate::error::{Error, ErrorKind, Faults};
use crate::evidence::Coverage;
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

/// A family's signature header.
#[derive(Clone, Copy, Debug)]
enum Signature<'h> {
    Absent,
    /// Present with a fault: the family's other headers are read all the same, since theirs may come first.
    Unreadable,
    Value(&'h [u8]),
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

    fn error(&self, kind: ErrorKind, header: &'static str) -> Error {
        Error::new(kind, self.scheme.info.id).with_header(header)
    }

    /// Reads every header of every present family, and reports the first fault in order of precedence.
    #[inline]
    fn read_families<'h>(
        &self,
        headers: &'h HeaderMap,
        plan: &mut MacPlan<'h>,
    ) -> Result<Found<'h>, Error> {
        let mut faults = Faults::default();
        let mut signatures = [Signature::Absent; MAX_FAMILIES];
        let mut present = 0usize;
        let mut lowest = 0u8;
        for ((index, family), signature) in self.families.iter().enumerate().zip(&mut signatures) {
            match family.signature.read(headers) {
                Ok(None) if self.wanted != Some(index) => continue,
                Ok(None) => {
                    faults.note(self.error(ErrorKind::MissingHeader, family.signature.text()))
                }
                Ok(Some(value)) => *signature = Signature::Value(value),
                Err(kind) => {
                    *signature = Signature::Unreadable;
                    faults.note(self.error(kind, family.signature.text()));
                }
            }
            present += 1;
            if present == 1 {
                lowest = u8::try_from(index).unwrap_or_default();
            }
        }
        plan.evidence_mut().family = lowest;
        let mut found = Found::default();
        let first = self.families.first().map_or("", |family| family.signature.text());
        if present == 0 {
            return Err(self.error(ErrorKind::MissingHeader, first));
        }
        if present > 1 && self.scheme.presence == Presence::OneOf {
            // Which family's other headers count is not known, so none of them is read.
            faults.note(self.error(ErrorKind::MalformedHeader, first));
        } else {
            for (family, signature) in self.families.iter().zip(signatures) {
                self.read_family(family, signature, headers, plan, &mut found, &mut faults);
            }
        }
        faults.into_result().map(|()| found)
    }

    #[inline]
    fn read_family<'h>(
        &self,
        family: &FamilyFields,
        signature: Signature<'h>,
        headers: &'h HeaderMap,
        plan: &mut MacPlan<'h>,
        found: &mut Found<'h>,
        faults: &mut Faults,
    ) {
        match signature {
            Signature::Absent => return,
            Signature::Unreadable => {}
            Signature::Value(value) => {
                plan.source(family.signature.text(), value);
                match grammar::read(&self.scheme.grammar, value, plan) {
                    Ok(Some(time)) => found.time = Some(time),
                    Ok(None) => {}
                    Err(kind) => faults.note(self.error(kind, family.signature.text())),
                }
            }
        }
        if let Some(field) = &family.timestamp {
            let time = self.read_field(field, headers).and_then(|text| {
                TimeText::read(text).map_err(|kind| self.error(kind, field.text()))
            });
            match time {
                Ok(time) => found.time = Some(time),
                Err(error) => faults.note(error),
            }
        }
        if let Some(field) = &family.id {
            match self.read_field(field, headers) {
                Ok(text) => found.id = Some(text),
                Err(error) => faults.note(error),
            }
        }
    }

    fn read_field<'h>(
        &self,
        field: &HeaderField,
        headers: &'h HeaderMap,
    ) -> Result<&'h [u8], Error> {
        match field.read(headers) {
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err(self.error(ErrorKind::MissingHeader, field.text())),
            Err(kind) => Err(self.error(kind, field.text())),
        }
    }
}

impl SchemeChecker {
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
        Session::mac(
            Frame {
                keys: &self.keys,
                encoding: self.scheme.encoding,
                provider: self.scheme.info.id,
                coverage: self.coverage,
            },
            |plan| self.fill(head, plan),
        )
    }

    fn needs(&self) -> Needs {
        self.needs
    }
}
