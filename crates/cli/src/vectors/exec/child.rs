//! A command that is spoken with in lines, with a time limit on every one.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::process::{self, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::Duration;

use crate::vectors::exec::protocol::MAX_LINE;

/// A running command. It is ended, with all that it has started, when this is dropped.
pub(crate) struct Child {
    process: process::Child,
    to: Option<Sender<Vec<u8>>>,
    from: Receiver<Heard>,
}

/// What the command said, or did instead.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It closed its output, so it has ended or is about to.
    End,
    /// A line, without its end.
    Line(Vec<u8>),
    /// Nothing within the limit.
    Silence,
    /// A line above the limit of the protocol; nothing is read after it.
    TooLong,
}

impl Child {
    /// Starts a command of the shell.
    pub(crate) fn start(line: &str) -> std::io::Result<Self> {
        let mut command = shell(line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut process = command.spawn()?;
        let pipe = || std::io::Error::from(ErrorKind::BrokenPipe);
        let input = process.stdin.take().ok_or_else(pipe)?;
        let output = process.stdout.take().ok_or_else(pipe)?;
        let (to, lines) = mpsc::channel();
        // Bounded, so that a command that chatters waits instead of filling the memory.
        let (hearing, from) = mpsc::sync_channel(64);
        thread::spawn(move || write_lines(input, &lines));
        thread::spawn(move || read_lines(output, &hearing));
        Ok(Self { process, to: Some(to), from })
    }

    /// Says a line. A command that has ended does not hear it, which shows when it is listened to.
    pub(crate) fn say(&mut self, line: Vec<u8>) {
        if let Some(to) = &self.to {
            let _ = to.send(line);
        }
    }

    /// Waits for what the command says next.
    pub(crate) fn hear(&mut self, limit: Duration) -> Heard {
        match self.from.recv_timeout(limit) {
            Ok(heard) => heard,
            Err(RecvTimeoutError::Timeout) => Heard::Silence,
            Err(RecvTimeoutError::Disconnected) => Heard::End,
        }
    }

    /// Closes the command's input.
    pub(crate) fn close(&mut self) {
        self.to = None;
    }

    /// How a command that has closed its output ended.
    pub(crate) fn end(&mut self) -> String {
        for _ in 0..50 {
            match self.process.try_wait() {
                Ok(Some(status)) => return status.to_string(),
                Ok(None) => thread::sleep(Duration::from_millis(10)),
                Err(error) => return error.to_string(),
            }
        }
        "its output is closed, it still runs".to_owned()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        end_all(&mut self.process);
        let _ = self.process.wait();
    }
}

fn write_lines(mut input: process::ChildStdin, lines: &Receiver<Vec<u8>>) {
    for mut line in lines {
        line.push(b'\n');
        // The reader of the output sees that the command has ended.
        if input.write_all(&line).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(output: process::ChildStdout, hearing: &SyncSender<Heard>) {
    let mut output = BufReader::new(output);
    let limit = u64::try_from(MAX_LINE).unwrap_or(u64::MAX).saturating_add(1);
    loop {
        let mut line = Vec::new();
        match output.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if line.pop_if(|byte| *byte == b'\n').is_none() && line.len() > MAX_LINE {
            let _ = hearing.send(Heard::TooLong);
            return;
        }
        if hearing.send(Heard::Line(line)).is_err() {
            return;
        }
    }
}

#[cfg(unix)]
fn shell(line: &str) -> Command {
    use std::os::unix::process::CommandExt as _;

    let mut command = Command::new("sh");
    command.arg("-c").arg(line).process_group(0);
    command
}

#[cfg(windows)]
fn shell(line: &str) -> Command {
    use std::os::windows::process::CommandExt as _;

    let mut command = Command::new("cmd");
    command.arg("/C").raw_arg(line);
    command
}

/// Ends the shell and what it has started, which are a process group of their own.
#[cfg(unix)]
fn end_all(process: &mut process::Child) {
    use rustix::process::{Pid, Signal, kill_process_group};

    if let Some(group) = i32::try_from(process.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_all(process: &mut process::Child) {
    let _ = process.kill();
}
