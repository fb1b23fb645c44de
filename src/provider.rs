//! What a sender is to the verifier: an open, object-safe trait, and the session that a check of one delivery is.

use core::fmt;

use crate::config_error::{ConfigError, ConfigErrorKind};
use crate::delivery::Head;
use crate::error::Error;
use crate::evidence::Evidence;
use crate::info::Info;
use crate::plan::{Frame, MacPlan, MacRun};
use crate::secret::Secret;

/// A sender of webhooks.
///
/// The senders of this crate are `static` values in [`providers`](crate::providers). A private one is usually a
/// [`Scheme`](crate::Scheme) record; implement this trait for senders that no record can describe.
pub trait Provider: fmt::Debug + Send + Sync {
    /// The static facts about the sender.
    fn info(&self) -> &Info;

    /// Decodes a secret that was given as text. The default takes the text as it stands.
    ///
    /// # Errors
    ///
    /// [`BadSecret`](ConfigErrorKind::BadSecret) if the text cannot be a secret of this sender.
    fn secret(&self, text: &str) -> Result<Secret, ConfigError> {
        Secret::new(text)
    }

    /// Prepares the check of deliveries, once, at start-up: keys, options, header names.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] for every option or key that is not right.
    fn prepare(&self, setup: &Setup<'_>) -> Result<Box<dyn Checker>, ConfigError>;

    /// Prepares the making of deliveries, for tests and tools. The default says that it is not possible.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] for every option or key that is not right, or if deliveries of this sender cannot be made.
    #[cfg(feature = "sign")]
    fn prepare_sign(&self, setup: &Setup<'_>) -> Result<Box<dyn crate::sign::Sign>, ConfigError> {
        let _ = setup;
        Err(ConfigError::new(
            ConfigErrorKind::Unsupported,
            "deliveries of this sender cannot be made here",
        )
        .with_provider(self.info().id))
    }
}

/// What a sender is prepared with: the decoded secrets, the current one first, and the options.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    secrets: &'a [Secret],
    options: &'a [(&'a str, &'a str)],
}

impl<'a> Setup<'a> {
    pub(crate) const fn new(secrets: &'a [Secret], options: &'a [(&'a str, &'a str)]) -> Self {
        Self { secrets, options }
    }

    /// The secrets, in the order in which they were given; results name them by their index.
    #[must_use]
    pub const fn secrets(&self) -> &'a [Secret] {
        self.secrets
    }

    /// The value of an option, where it was given.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&'a str> {
        self.options.iter().find(|(given, _)| *given == name).map(|(_, value)| *value)
    }

    /// Refuses options of other names than these, and options given twice.
    ///
    /// # Errors
    ///
    /// [`BadOption`](ConfigErrorKind::BadOption), naming the options that there are.
    pub fn expect_options(&self, known: &[&str]) -> Result<(), ConfigError> {
        for (index, (name, _)) in self.options.iter().enumerate() {
            if !known.contains(name) {
                let known = if known.is_empty() {
                    "it has none".to_owned()
                } else {
                    format!("it has: {}", known.join(", "))
                };
                return Err(ConfigError::new(
                    ConfigErrorKind::BadOption,
                    format!("the sender does not have an option that was given; {known}"),
                ));
            }
            if self.options.iter().skip(index + 1).any(|(later, _)| later == name) {
                return Err(ConfigError::new(
                    ConfigErrorKind::BadOption,
                    format!(
                        "the option `{}` is given twice; give it once",
                        known_name(known, name)
                    ),
                ));
            }
        }
        Ok(())
    }
}

/// The name as the sender spells it, so that a message never repeats what was typed.
fn known_name<'k>(known: &[&'k str], name: &str) -> &'k str {
    known.iter().find(|known| **known == name).copied().unwrap_or_default()
}

/// What a prepared check needs beside headers and body chunks.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Needs {
    /// The method of every request.
    pub method: bool,
    /// The public URL of every request.
    pub url: bool,
    /// The whole body at once, because signature, time or parameters are in it.
    pub whole_body: bool,
}

impl Needs {
    /// Nothing beside headers and body chunks.
    pub const NOTHING: Self = Self { method: false, url: false, whole_body: false };

    /// Also the method and the public URL.
    #[must_use]
    pub const fn with_target(mut self) -> Self {
        self.method = true;
        self.url = true;
        self
    }

    /// Also the whole body at once.
    #[must_use]
    pub const fn with_whole_body(mut self) -> Self {
        self.whole_body = true;
        self
    }
}

/// A sender prepared with keys and options, shared by all requests.
pub trait Checker: Send + Sync {
    /// Reads the head, strictly, before any byte of the body. Method and URL are there if [`needs`](Self::needs) says so.
    ///
    /// # Errors
    ///
    /// The first fault of the head, in the order of [`ErrorKind`](crate::ErrorKind).
    fn begin<'h>(&'h self, head: Head<'h>) -> Result<Session<'h>, Error>;

    /// Reads the head and checks a body at hand: [`begin`](Self::begin), and the session run at once.
    ///
    /// Leave it as it is. Records have it to take the same steps without a move of the session, which is large.
    ///
    /// # Errors
    ///
    /// The first fault of the head, in the order of [`ErrorKind`](crate::ErrorKind), or why the delivery is refused.
    fn check(&self, head: Head<'_>, body: &[u8]) -> Result<Evidence, Error> {
        match &mut self.begin(head) {
            Ok(session) => session.run(body),
            Err(error) => Err(*error),
        }
    }

    /// What every request has to come with.
    fn needs(&self) -> Needs;
}

/// A check that needs the whole body at once.
pub trait WholeCheck: Send + Sync {
    /// Checks a delivery.
    ///
    /// # Errors
    ///
    /// Why the delivery is refused.
    fn check(&self, head: Head<'_>, body: &[u8]) -> Result<Evidence, Error>;
}

/// A check that takes the body in chunks.
pub trait BodyCheck: Send {
    /// Takes the next chunk of the body, in order.
    fn update(&mut self, chunk: &[u8]);

    /// Ends the body. Called once.
    ///
    /// # Errors
    ///
    /// Why the delivery is refused.
    fn finish(&mut self) -> Result<Evidence, Error>;
}

/// The check of one delivery whose head has been read.
pub struct Session<'h>(Inner<'h>);

// A plan is built in place on the stack; boxing it would allocate on every request.
#[expect(
    clippy::large_enum_variant,
    reason = "the plan stays on the stack, so that a verification allocates nothing"
)]
enum Inner<'h> {
    Mac(MacPlan<'h>),
    Whole(&'h dyn WholeCheck, Head<'h>),
    Boxed(Box<dyn BodyCheck + 'h>),
    Done(Evidence),
}

impl<'h> Session<'h> {
    /// A MAC over pieces of the head and the body; `fill` reads the head into the plan.
    // One variable is returned on every way out, so that the plan is built in the caller's place and never moved.
    #[inline]
    pub(crate) fn mac(
        frame: Frame<'h>,
        fill: impl FnOnce(&mut MacPlan<'h>) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut session = Ok(Self(Inner::Mac(MacPlan::new(frame))));
        if let Ok(Self(Inner::Mac(plan))) = &mut session
            && let Err(error) = fill(plan)
        {
            session = Err(error);
        }
        session
    }

    /// A check that needs the whole body.
    #[must_use]
    pub const fn whole(check: &'h dyn WholeCheck, head: Head<'h>) -> Self {
        Self(Inner::Whole(check, head))
    }

    /// A check of its own that takes chunks.
    #[must_use]
    pub const fn boxed(check: Box<dyn BodyCheck + 'h>) -> Self {
        Self(Inner::Boxed(check))
    }

    /// A check that the head alone has settled.
    #[must_use]
    pub const fn done(evidence: Evidence) -> Self {
        Self(Inner::Done(evidence))
    }

    /// Runs the check over a body at hand.
    #[inline]
    pub(crate) fn run(&mut self, body: &[u8]) -> Result<Evidence, Error> {
        match &mut self.0 {
            Inner::Mac(plan) => plan.run(body),
            Inner::Whole(check, head) => check.check(*head, body),
            Inner::Boxed(check) => {
                check.update(body);
                check.finish()
            }
            Inner::Done(evidence) => Ok(*evidence),
        }
    }

    /// The signed message of each reading; none where the check is not a MAC over pieces of the head and the body.
    pub(crate) fn messages(&self, body: &[u8]) -> Vec<Vec<u8>> {
        match &self.0 {
            Inner::Mac(plan) => plan.messages(body),
            _ => Vec::new(),
        }
    }

    /// Refuses candidates that cannot be decoded, before the first byte of a body that is to arrive.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), Error> {
        match &self.0 {
            Inner::Mac(plan) => plan.check(),
            Inner::Whole(..) | Inner::Boxed(_) | Inner::Done(_) => Ok(()),
        }
    }

    /// Opens the check for a body that arrives in chunks.
    #[inline]
    pub(crate) fn open(self) -> Opened<'h> {
        match self.0 {
            Inner::Mac(plan) => Opened::Mac(MacRun::new(plan)),
            Inner::Whole(check, head) => Opened::Whole(check, head),
            Inner::Boxed(check) => Opened::Boxed(check),
            Inner::Done(evidence) => Opened::Done(evidence),
        }
    }
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Session { .. }")
    }
}

/// A session that takes chunks.
#[expect(
    clippy::large_enum_variant,
    reason = "the states stay on the stack, so that a stream allocates nothing"
)]
pub(crate) enum Opened<'h> {
    Mac(MacRun<'h>),
    Whole(&'h dyn WholeCheck, Head<'h>),
    Boxed(Box<dyn BodyCheck + 'h>),
    Done(Evidence),
}

impl Opened<'_> {
    pub(crate) fn update(&mut self, chunk: &[u8]) {
        match self {
            Self::Mac(run) => run.update(chunk),
            Self::Boxed(check) => check.update(chunk),
            Self::Whole(..) | Self::Done(_) => {}
        }
    }

    /// Ends the check. `body` gives the whole body to the checks that need it.
    pub(crate) fn finish(
        &mut self,
        body: impl FnOnce() -> Result<bytes::Bytes, Error>,
    ) -> Result<Evidence, Error> {
        match self {
            Self::Mac(run) => run.finish(),
            Self::Boxed(check) => check.finish(),
            Self::Whole(check, head) => check.check(*head, &body()?),
            Self::Done(evidence) => Ok(*evidence),
        }
    }
}
