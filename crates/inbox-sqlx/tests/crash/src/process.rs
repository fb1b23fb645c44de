//! A receiving process, as its parent has it: it can be told something, heard, stopped, killed.

use core::time::Duration;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};

use crate::args::ChildArgs;
use crate::wire::{Said, Told};

/// What is heard of a process.
#[derive(Debug)]
pub(crate) enum Heard {
    Said(Said),
    /// It says nothing any more.
    End,
}

/// A line to all processes of a share, by their numbers.
pub(crate) type Ear = Receiver<(usize, Heard)>;
pub(crate) type Mouth = Sender<(usize, Heard)>;

/// A process.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) number: usize,
    pub(crate) name: String,
    child: Child,
    tell: Option<Sender<Told>>,
}

impl Process {
    /// Starts one.
    pub(crate) fn start(number: usize, args: &ChildArgs, mouth: Mouth) -> Self {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command
            .args(["child", "--database", args.database.as_str(), "--place", &args.place])
            .args(["--effects", &args.effects, "--name", &args.name])
            .args(["--clock", &args.clock.to_string(), "--seed", &args.seed.to_string()]);
        if let Some(point) = &args.point {
            command.args(["--point", point, "--nth", &args.nth.to_string()]);
        }
        if let Some(fault) = args.fault {
            command.args(["--fault", fault.as_str()]);
        }
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a process");
        let (tell, told) = channel::<Told>();
        let mut stdin = child.stdin.take().expect("a pipe");
        thread::spawn(move || {
            for told in told {
                let mut line = serde_json::to_string(&told).expect("a line");
                line.push('\n');
                if stdin.write_all(line.as_bytes()).is_err() {
                    return;
                }
            }
        });
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        thread::spawn(move || {
            for line in stdout.lines() {
                // The last line of a process that was killed may be cut off.
                let Some(said) = line.ok().and_then(|line| serde_json::from_str(&line).ok()) else {
                    break;
                };
                if mouth.send((number, Heard::Said(said))).is_err() {
                    return;
                }
            }
            let _ = mouth.send((number, Heard::End));
        });
        Self { number, name: args.name.clone(), child, tell: Some(tell) }
    }

    pub(crate) fn tell(&self, told: Told) {
        if let Some(tell) = &self.tell {
            // It is dead already.
            let _ = tell.send(told);
        }
    }

    /// Stops it where it is, with whatever it holds.
    pub(crate) fn freeze(&self) {
        kill_process(Pid::from_child(&self.child), Signal::STOP).expect("a process");
    }

    /// Lets it go on.
    pub(crate) fn thaw(&self) {
        kill_process(Pid::from_child(&self.child), Signal::CONT).expect("a process");
    }

    /// Kills it, by SIGKILL.
    pub(crate) fn kill(&mut self) -> ExitStatus {
        self.child.kill().expect("a process");
        self.child.wait().expect("a process")
    }

    /// Tells it to stop.
    pub(crate) fn stop(&mut self) {
        self.tell(Told::Stop);
        self.tell = None;
    }

    /// Waits until it has ended by itself.
    pub(crate) fn wait(&mut self, time: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + time;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().expect("a process") {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(2));
        }
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Whoever panics leaves nothing behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
