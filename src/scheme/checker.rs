//! A record prepared with keys and options: reads the head and plans the MAC.

use http::HeaderMap;

use crate::config_error::ConfigError;
use crate::delivery::Head;
use crate::error::{Error, ErrorKind, Faults};
use crate::grammar::{self, TimeText};
use crate::header::Field;
use crate::mac::MacKeys;
use crate::plan::{MacPlan, Piece};
use crate::provider::{Checker, Needs, Session, Setup};
use crate::scheme::{Family, MAX_FAMILIES, Part, Presence, Scheme, TimeSource};
use crate::time::SignedTime;

/// A family with its header names resolved.
#[derive(Debug)]
struct FamilyFields {
    signature: Field,
    timestamp: Option<Field>,
    id: Option<Field>,
}

impl FamilyFields {
    fn new(family: &Family) -> Result<Self, ConfigError> {
        Ok(Self {
            signature: Field::new(family.signature)?,
            timestamp: family.timestamp.map(Field::new).transpose()?,
            id: family.id.map(Field::new).transpose()?,
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
            keys: MacKeys::new(scheme.algorithm, setup.secrets()),
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
        let mut values = [None; MAX_FAMILIES];
        let mut present = 0usize;
        for ((index, family), value) in self.families.iter().enumerate().zip(&mut values) {
            match family.signature.read(headers) {
                Ok(None) if self.wanted != Some(index) => continue,
                Ok(None) => {
                    faults.note(self.error(ErrorKind::MissingHeader, family.signature.text()))
                }
                Ok(some) => *value = some,
                Err(kind) => faults.note(self.error(kind, family.signature.text())),
            }
            present += 1;
        }
        let mut found = Found::default();
        let first = self.families.first().map_or("", |family| family.signature.text());
        if present == 0 {
            return Err(self.error(ErrorKind::MissingHeader, first));
        }
        if present > 1 && self.scheme.presence == Presence::OneOf {
            // Which family's other headers count is not known, so none of them is read.
            faults.note(self.error(ErrorKind::MalformedHeader, first));
        } else {
            for (family, value) in self.families.iter().zip(values) {
                if let Some(value) = value {
                    self.read_family(family, value, headers, plan, &mut found, &mut faults);
                }
            }
        }
        faults.into_result().map(|()| found)
    }

    #[inline]
    fn read_family<'h>(
        &self,
        family: &FamilyFields,
        value: &'h [u8],
        headers: &'h HeaderMap,
        plan: &mut MacPlan<'h>,
        found: &mut Found<'h>,
        faults: &mut Faults,
    ) {
        plan.source(family.signature.text(), value);
        match grammar::read(&self.scheme.grammar, value, plan) {
            Ok(Some(time)) => found.time = Some(time),
            Ok(None) => {}
            Err(kind) => faults.note(self.error(kind, family.signature.text())),
        }
        if let Some(field) = &family.timestamp {
            match self.read_field(field, headers).and_then(|text| {
                TimeText::read(text).map_err(|kind| self.error(kind, field.text()))
            }) {
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

    fn read_field<'h>(&self, field: &Field, headers: &'h HeaderMap) -> Result<&'h [u8], Error> {
        match field.read(headers) {
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err(self.error(ErrorKind::MissingHeader, field.text())),
            Err(kind) => Err(self.error(kind, field.text())),
        }
    }
}

impl Checker for SchemeChecker {
    fn begin<'h>(&'h self, head: Head<'h>) -> Result<Session<'h>, Error> {
        let needs = self.needs();
        if (needs.method && head.method().is_none()) || (needs.url && head.url().is_none()) {
            return Err(Error::new(ErrorKind::MissingTarget, self.scheme.info.id));
        }
        let mut plan = MacPlan::new(
            &self.keys,
            self.scheme.encoding,
            self.scheme.info.id,
            self.scheme.coverage(),
        );
        let found = self.read_families(head.headers(), &mut plan)?;
        if let (Some(time), Some(source)) = (found.time, self.scheme.time) {
            let (TimeSource::Header(unit) | TimeSource::Pairs(unit)) = source;
            plan.evidence_mut().signed_at = Some(SignedTime::new(time.value, unit));
        }
        let mut body_seen = false;
        for part in self.scheme.message {
            let piece = match *part {
                Part::Body => {
                    body_seen = true;
                    continue;
                }
                Part::Id => Piece::Bytes(found.id.unwrap_or_default()),
                Part::Literal(text) => Piece::Bytes(text.as_bytes()),
                Part::Method => Piece::Bytes(
                    head.method().map(|method| method.as_str().as_bytes()).unwrap_or_default(),
                ),
                Part::Timestamp => {
                    Piece::Bytes(found.time.map(|time| time.text).unwrap_or_default())
                }
                Part::Url => Piece::Bytes(head.url().map(str::as_bytes).unwrap_or_default()),
            };
            if body_seen { plan.after(piece) } else { plan.before(piece) }
        }
        Ok(Session::mac(plan))
    }

    fn needs(&self) -> Needs {
        self.scheme.needs()
    }
}
