//! The server as a process of its own: how it is started, and how it is asked what it has used.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use clap::ValueEnum;
use rustix::process::{Resource, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::{Error, probe};

/// Which server a process is.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Role {
    /// actix-web, with and without verification.
    Actix,
    /// axum, with and without verification.
    Axum,
    /// axum with the turns of its connections measured.
    Delay,
    /// axum, an endpoint for each sender.
    Soak,
}

/// A server that runs. It ends when this is dropped.
pub(crate) struct Server {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

/// What a server has used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// User and system time of the process since its beginning.
    pub(crate) cpu: Duration,
    /// Memory that is resident, in bytes.
    pub(crate) resident: u64,
    /// The longest turn of a connection since the last question: processor time between two looks at the others.
    pub(crate) longest_turn: Duration,
}

impl Server {
    pub(crate) fn start(role: Role) -> Result<Self, Error> {
        let name = role.to_possible_value().ok_or("every role has a name")?;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["serve", name.get_name()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let questions = child.stdin.take().ok_or("the server has no input")?;
        let mut answers = BufReader::new(child.stdout.take().ok_or("the server has no output")?);
        let mut line = String::new();
        answers.read_line(&mut line)?;
        let address = line.trim().parse()?;
        Ok(Self { child, questions, answers, address })
    }

    pub(crate) fn usage(&mut self) -> Result<Usage, Error> {
        self.questions.write_all(b"\n")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let numbers = line.split_whitespace().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
        let &[cpu, resident, turn] = &numbers[..] else {
            return Err("the server has ended".into());
        };
        Ok(Usage {
            cpu: Duration::from_nanos(cpu),
            resident,
            longest_turn: Duration::from_nanos(turn),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The server's side: says where it listens, and answers from a thread of its own. The process ends with its parent.
pub(crate) fn report(address: SocketAddr) -> Result<(), Error> {
    println!("{address}");
    std::thread::Builder::new().spawn(|| {
        for line in std::io::stdin().lines() {
            let used = clock_gettime(ClockId::ProcessCPUTime);
            let used = u64::try_from(used.tv_sec).unwrap_or(0) * 1_000_000_000
                + u64::try_from(used.tv_nsec).unwrap_or(0);
            if line.is_err() {
                break;
            }
            println!("{used} {} {}", resident().unwrap_or(0), probe::take_longest());
        }
        std::process::exit(0);
    })?;
    Ok(())
}

/// The resident memory of this process, in bytes.
fn resident() -> Result<u64, Error> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")).ok_or("no VmRSS")?;
    Ok(kib.trim().parse::<u64>()? * 1024)
}

/// Thousands of connections need as many descriptors.
pub(crate) fn allow_many_files() -> Result<(), Error> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;
    Ok(())
}
