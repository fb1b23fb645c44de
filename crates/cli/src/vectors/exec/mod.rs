//! Another implementation, asked over the line protocol.
//!
//! Cases are streamed, a few ahead of the answers. When the command crashes, falls silent or says something
//! that cannot be read while several cases are open, it is started again and these are asked one by one, so
//! that the fault is put down to the right case. Several processes of one command take their cases from one queue.

mod child;
mod protocol;

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use self::child::{Child, Heard};
use self::protocol::Capabilities;
use crate::failure::Failure;
use crate::vectors::grade::Answer;
use crate::vectors::progress::Progress;
use crate::vectors::select::Case;

/// How many cases are open at once.
const AHEAD: usize = 16;

/// After so many faults in a row without one answer between them, the rest is not asked.
const GIVE_UP_AFTER: usize = 10;

/// The command and how long it may be silent.
pub(crate) struct Command {
    /// What a shell runs.
    pub(crate) line: String,
    /// How long the command may be silent while a case is open; three times that for its hello.
    pub(crate) time_limit: Duration,
    /// How many processes are asked at once.
    pub(crate) processes: NonZeroUsize,
}

/// What an implementation says of itself, and its answers in the order of the cases.
pub(crate) struct Asked {
    pub(crate) name: String,
    pub(crate) offers_events: bool,
    pub(crate) answers: Vec<Answer>,
}

/// Asks the command for each case that it offers.
pub(crate) fn ask(
    command: &Command,
    cases: &[Case<'_>],
    progress: &Progress,
) -> Result<Asked, Failure> {
    let (child, offered) = start(command).map_err(|message| {
        Failure::of_kind("exec-failed", format!("`{}`: {message}", command.line))
    })?;
    let lacking: Vec<Option<Answer>> =
        cases.iter().map(|case| offered.lacks(case).map(Answer::Unsupported)).collect();
    lacking.iter().flatten().for_each(|_| progress.step());
    let pending: VecDeque<usize> =
        (0..cases.len()).filter(|index| matches!(lacking.get(*index), Some(None))).collect();
    let processes = command.processes.get().min(pending.len());
    let pending = Mutex::new(pending);
    let work = |child: Option<Child>| {
        let mut run = Run {
            command,
            cases,
            progress,
            pending: &pending,
            child,
            answers: lacking.clone(),
            suspects: VecDeque::new(),
            open: VecDeque::new(),
            blame: None,
            faults_in_a_row: 0,
        };
        run.ask_all();
        run.answers
    };
    let mut answers = lacking.clone();
    thread::scope(|scope| {
        let others: Vec<_> = (1..processes).map(|_| scope.spawn(|| work(None))).collect();
        merge(&mut answers, &lacking, work(Some(child)));
        for other in others {
            let given = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            merge(&mut answers, &lacking, given);
        }
    });
    // Left over only where every process was given up.
    let lost = || Answer::Error("not asked: the command failed too often in a row".to_owned());
    let answers = answers.into_iter().map(|answer| answer.unwrap_or_else(lost)).collect();
    Ok(Asked { name: offered.name(), offers_events: offered.offers_events(), answers })
}

/// Takes over what one process has added to what was known before.
fn merge(answers: &mut [Option<Answer>], before: &[Option<Answer>], given: Vec<Option<Answer>>) {
    for ((answer, before), given) in answers.iter_mut().zip(before).zip(given) {
        if given != *before {
            *answer = given;
        }
    }
}

/// Starts the command and exchanges hellos.
fn start(command: &Command) -> Result<(Child, Capabilities), String> {
    let mut child =
        Child::start(&command.line).map_err(|error| format!("cannot be started: {error}"))?;
    child.say(protocol::hello());
    let limit = command.time_limit * 3;
    match child.hear(limit) {
        Heard::Line(line) => protocol::capabilities(&line).map(|offered| (child, offered)),
        Heard::TooLong => Err("its hello is longer than 1 MiB".to_owned()),
        Heard::Silence => Err(format!("said nothing within {limit:?}; a hello line was expected")),
        Heard::End => Err(format!("ended ({}) before its hello line", child.end())),
    }
}

/// The state of a run; cases are named by their index.
struct Run<'a> {
    command: &'a Command,
    cases: &'a [Case<'a>],
    progress: &'a Progress,
    /// Not asked yet, by any process.
    pending: &'a Mutex<VecDeque<usize>>,
    child: Option<Child>,
    /// What this process has answered.
    answers: Vec<Option<Answer>>,
    /// Open when something went wrong: to be asked again, one by one.
    suspects: VecDeque<usize>,
    /// Asked and not answered, the oldest first.
    open: VecDeque<usize>,
    /// What went wrong while several cases were open, until a suspect is found guilty.
    blame: Option<Blame>,
    faults_in_a_row: usize,
}

/// A fault that no case is known to have made.
struct Blame {
    oldest: usize,
    message: String,
    open: usize,
}

impl Run<'_> {
    fn ask_all(&mut self) {
        loop {
            if self.open.is_empty() && self.suspects.is_empty() {
                self.settle_blame();
                if self.with_pending(|pending| pending.is_empty()) {
                    break;
                }
            }
            if self.faults_in_a_row >= GIVE_UP_AFTER {
                return self.give_up();
            }
            if self.child.is_none() {
                match start(self.command) {
                    Ok((child, _)) => self.child = Some(child),
                    Err(message) => {
                        self.faults_in_a_row = GIVE_UP_AFTER;
                        self.progress.warn(format_args!("`{}`: {message}", self.command.line));
                        continue;
                    }
                }
            }
            self.send();
            self.listen();
        }
        self.close();
    }

    /// Sends cases as long as more may be open.
    fn send(&mut self) {
        loop {
            let alone = !self.suspects.is_empty() || self.blame.is_some();
            if self.open.len() >= if alone { 1 } else { AHEAD } {
                return;
            }
            let next = if alone {
                self.suspects.pop_front()
            } else {
                self.with_pending(VecDeque::pop_front)
            };
            let Some(index) = next else { return };
            let Some(case) = self.cases.get(index) else { continue };
            match protocol::case(case) {
                Ok(line) => {
                    self.open.push_back(index);
                    if let Some(child) = &mut self.child {
                        child.say(line);
                    }
                }
                Err(message) => self.put(index, Answer::Error(message)),
            }
        }
    }

    /// Takes what the command says next.
    fn listen(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let limit = self.command.time_limit;
        let Some(child) = &mut self.child else { return };
        match child.hear(limit) {
            Heard::Line(line) => self.take(&line),
            Heard::TooLong => self.fault("it answered with a line longer than 1 MiB".to_owned()),
            Heard::Silence => self.fault(format!("no answer within {limit:?}")),
            Heard::End => {
                let end = child.end();
                self.fault(format!("the command ended ({end}) before it answered"));
            }
        }
    }

    /// Takes an answer.
    fn take(&mut self, line: &[u8]) {
        let (id, answer) = match protocol::answer(line) {
            Ok(answered) => answered,
            Err(message) => return self.fault(message),
        };
        let is = |index: &usize| self.cases.get(*index).is_some_and(|case| case.test.id == id);
        if let Some(place) = self.open.iter().position(is) {
            if let Some(index) = self.open.remove(place) {
                self.faults_in_a_row = 0;
                self.put(index, answer);
            }
            return;
        }
        match (0..self.cases.len()).find(is) {
            Some(index) if self.answers.get(index).is_some_and(Option::is_some) => {
                self.put(
                    index,
                    Answer::Error(
                        "it was answered more than once, or without being asked".to_owned(),
                    ),
                );
            }
            _ => self.fault(format!("it answered for {id:?}, which is not asked")),
        }
    }

    /// Ends the command and puts the fault down to the one case that is open, or makes suspects of the open ones.
    fn fault(&mut self, message: String) {
        self.child = None;
        self.faults_in_a_row += 1;
        let open = std::mem::take(&mut self.open);
        match (open.front(), open.len()) {
            (Some(&only), 1) => {
                self.blame = None;
                self.put(only, Answer::Error(message));
            }
            (Some(&oldest), _) => {
                self.blame = Some(Blame { oldest, message, open: open.len() });
                self.suspects = open;
            }
            (None, _) => {}
        }
    }

    /// All suspects answered when they were asked alone: the fault stays with the oldest.
    fn settle_blame(&mut self) {
        if let Some(Blame { oldest, message, open }) = self.blame.take() {
            let message =
                format!("{message}; the {open} cases that were open then were answered one by one");
            self.put(oldest, Answer::Error(message));
        }
    }

    fn give_up(&mut self) {
        self.child = None;
        self.blame = None;
        // What is pending is left to other processes.
        let rest: Vec<usize> = self.open.drain(..).chain(self.suspects.drain(..)).collect();
        for index in rest {
            self.put(
                index,
                Answer::Error("not asked: the command failed too often in a row".to_owned()),
            );
        }
    }

    /// Lets the command end, and takes what it says after the last answer.
    fn close(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        child.close();
        loop {
            match child.hear(self.command.time_limit) {
                Heard::Line(line) => self.take_late(&line),
                Heard::TooLong => {}
                Heard::Silence => {
                    self.progress
                        .warn("the command went on after its input was closed; it was ended");
                    return;
                }
                Heard::End => return,
            }
        }
    }

    fn take_late(&mut self, line: &[u8]) {
        let id = protocol::answer(line).map(|(id, _)| id);
        let index = id.ok().and_then(|id| self.cases.iter().position(|case| case.test.id == id));
        match index {
            Some(index) => self.put(
                index,
                Answer::Error("it was answered more than once, or without being asked".to_owned()),
            ),
            None => self.progress.warn("the command said something after the last answer"),
        }
    }

    fn put(&mut self, index: usize, answer: Answer) {
        if let Some(place) = self.answers.get_mut(index)
            && place.replace(answer).is_none()
        {
            self.progress.step();
        }
    }

    fn with_pending<T>(&self, act: impl FnOnce(&mut VecDeque<usize>) -> T) -> T {
        act(&mut self.pending.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
