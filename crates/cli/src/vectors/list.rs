//! `hookproof vectors list`: one line a vector.

use serde_json::json;

use crate::args::ListArgs;
use crate::failure::{Ending, Outcome};
use crate::output::{DIM, Screen, paint, plain};
use crate::vectors::select;

/// Runs the command.
pub(crate) fn run(args: &ListArgs, screen: &mut Screen) -> Outcome {
    let files = select::load_checked(&args.selection)?;
    let cases = select::cases(&files, &args.selection)?;
    if args.json {
        let objects = cases.iter().map(|case| {
            let test = case.test;
            json!({
                "id": test.id,
                "provider": case.file.provider,
                "comment": test.comment,
                "flags": test.flags,
                "result": test.outcome.as_str(),
                "reason": test.outcome.reason(),
                "source": case.group.source.kind.as_str(),
            })
        });
        screen.json(&objects.collect());
        return Ok(Ending::Good);
    }
    let width = cases.iter().map(|case| case.test.id.len()).max().unwrap_or_default();
    for case in &cases {
        let test = case.test;
        let result = test.outcome.reason().unwrap_or(test.outcome.as_str());
        screen.line(format_args!(
            "{:<width$}  {result:<19}  {}",
            plain(&test.id),
            paint(DIM, plain(test.flags.join(" ")))
        ));
    }
    Ok(Ending::Good)
}
