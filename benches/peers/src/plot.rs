//! A plot of the ratios over the size of the body, by hand: no package, and the same text for the same numbers.

use std::fmt::Write as _;

use crate::contenders::{ASYNC_STRIPE, BARE, LIMIT, OURS, STANDARD_WEBHOOKS, SVIX, WEBHOOK_VERIFY};
use crate::measure::Times;
use crate::report::Report;
use crate::{SIZES, size_name};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 250.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 40.0;
/// The ratios at the edges of the plot, which is logarithmic.
const LOW: f64 = 0.9;
const HIGH: f64 = 20.0;
/// The same crate has the same colour in every plot; told apart by people who see colours differently.
const COLOURS: [(&str, &str); 7] = [
    (BARE, "#888888"),
    (OURS, "#d55e00"),
    (WEBHOOK_VERIFY, "#0072b2"),
    (ASYNC_STRIPE, "#b79f00"),
    (STANDARD_WEBHOOKS, "#009e73"),
    (SVIX, "#cc79a7"),
    (LIMIT, "#222222"),
];

fn colour(name: &str) -> &'static str {
    COLOURS.iter().find(|(known, _)| name == *known).map_or("#000000", |(_, colour)| colour)
}

fn y(ratio: f64) -> f64 {
    let share = (ratio.clamp(LOW, HIGH) / LOW).ln() / (HIGH / LOW).ln();
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share)
}

fn x(index: usize, count: usize) -> f64 {
    LEFT + (WIDTH - LEFT - RIGHT) * index as f64 / (count - 1) as f64
}

/// The lines of one plot: what is verified with, and its cost at each size.
fn lines(times: &[Times]) -> Vec<(&'static str, Vec<f64>)> {
    COLOURS
        .iter()
        .filter(|(name, _)| times[0].has(name))
        .map(|(name, _)| (*name, times.iter().map(|times| times.ratio(name, LIMIT)).collect()))
        .collect()
}

pub fn svg(report: &Report) -> String {
    let sizes = SIZES.map(size_name);
    let plots: Vec<_> = report.peers.iter().map(|(name, times)| (name, lines(times))).collect();
    let height = HEIGHT * plots.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for (number, (title, table)) in plots.iter().enumerate() {
        let _ = writeln!(svg, "<g transform=\"translate(0 {})\">", HEIGHT * number as f64);
        let _ = writeln!(
            svg,
            "<text x=\"{LEFT}\" y=\"24\" font-size=\"15\" font-weight=\"bold\">{title}: cost of a verification, in multiples of the limit</text>"
        );
        for ratio in [1.0, 2.0, 3.0, 5.0, 10.0, 20.0] {
            let y = y(ratio);
            let _ = writeln!(
                svg,
                "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>",
                WIDTH - RIGHT
            );
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{ratio:.0}</text>",
                LEFT - 8.0,
                y + 4.0
            );
        }
        for (index, size) in sizes.iter().enumerate() {
            let x = x(index, sizes.len());
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{size}</text>",
                HEIGHT - BOTTOM + 20.0
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555555\">size of the body</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 4.0
        );
        // The names at the ends of the lines, moved apart where they would overlap.
        let mut ends: Vec<(f64, usize)> = table
            .iter()
            .enumerate()
            .map(|(index, (_, ratios))| (y(*ratios.last().unwrap()), index))
            .collect();
        ends.sort_by(|left, right| left.0.total_cmp(&right.0));
        let bottom = HEIGHT - BOTTOM;
        for index in (0..ends.len()).rev() {
            let below =
                if index + 1 == ends.len() { bottom + 4.0 } else { ends[index + 1].0 - 15.0 };
            ends[index].0 = ends[index].0.min(below);
        }
        for (end, index) in ends {
            let (name, ratios) = &table[index];
            let colour = colour(name);
            let points: Vec<String> = ratios
                .iter()
                .enumerate()
                .map(|(index, ratio)| format!("{:.1},{:.1}", x(index, ratios.len()), y(*ratio)))
                .collect();
            let wide = if name.contains("**") { 3.0 } else { 1.5 };
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{wide}\"/>",
                points.join(" ")
            );
            let name = name.replace(['*', '`'], "");
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>",
                WIDTH - RIGHT + 8.0,
                end + 4.0
            );
        }
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}
