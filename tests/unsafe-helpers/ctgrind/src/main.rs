//! Runs every case under valgrind's memcheck and judges its reports; see the README beside this package.

mod cases;
mod memcheck;
mod planted;
mod report;

use std::process::{Command, ExitCode};

use cases::{CASES, Case};
use report::Report;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("--case") => {
            let case = CASES.iter().find(|case| case.name == arguments[2]).unwrap();
            assert!(memcheck::is_running(), "a case runs under valgrind");
            case.run();
            ExitCode::SUCCESS
        }
        _ => judge_all(),
    }
}

fn judge_all() -> ExitCode {
    let mut failed = false;
    for case in CASES {
        let reports = match observe(case) {
            Ok(reports) => reports,
            Err(problem) => {
                println!("FAIL {:<34} {problem}", case.name);
                failed = true;
                continue;
            }
        };
        let verdicts = reports.iter().filter(|report| report.is_verdict()).count();
        let leaks: Vec<&Report> =
            reports.iter().filter(|report| !report.is_verdict() && !report.is_start_up()).collect();
        let good = if case.planted { !leaks.is_empty() } else { leaks.is_empty() && verdicts > 0 };
        println!(
            "{} {:<34} {verdicts} places in the verdict, {} elsewhere{}",
            if good { "ok  " } else { "FAIL" },
            case.name,
            leaks.len(),
            if case.planted { " (planted)" } else { "" }
        );
        if !good {
            failed = true;
            leaks.iter().for_each(|leak| println!("{leak}"));
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs one case under valgrind.
fn observe(case: &Case) -> Result<Vec<Report>, String> {
    let file = std::env::temp_dir().join(format!(
        "hookproof-ctgrind-{}-{}.xml",
        std::process::id(),
        case.name
    ));
    let output = Command::new("valgrind")
        .args([
            "--tool=memcheck",
            "--error-limit=no",
            "--num-callers=40",
            "--xml=yes",
            "--leak-check=no",
        ])
        .arg(format!("--xml-file={}", file.display()))
        .arg(std::env::current_exe().unwrap())
        .args(["--case", case.name])
        .output()
        .map_err(|error| format!("valgrind cannot be run ({error}); install it"))?;
    let xml = std::fs::read_to_string(&file).unwrap_or_default();
    let _ = std::fs::remove_file(&file);
    if !output.status.success() {
        return Err(format!("the case failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    if !xml.contains("</valgrindoutput>") {
        return Err("valgrind wrote no whole report".to_owned());
    }
    Ok(report::parse(&xml))
}
