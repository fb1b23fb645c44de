//! The cost by the number of keys, as an SVG.

use std::path::Path;

use plotters::prelude::*;

use crate::Error;

/// What was measured on one database.
pub(crate) struct Line {
    pub(crate) name: &'static str,
    /// Numbers of keys, and the cost there, of that at the first.
    pub(crate) points: Vec<(u64, f64)>,
}

/// Told apart by people who see colours differently.
const COLOURS: [RGBColor; 2] = [RGBColor(0xd5, 0x5e, 0x00), RGBColor(0x00, 0x72, 0xb2)];

pub(crate) fn write(path: &Path, lines: &[Line]) -> Result<(), Error> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let least = points().map(|(keys, _)| *keys).min().unwrap_or(1);
    let most = points().map(|(keys, _)| *keys).max().unwrap_or(10).max(least + 1);
    let highest = points().map(|(_, cost)| *cost).fold(1.5, f64::max).ceil();
    let area = SVGBackend::new(path, (760, 360)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption("record, by the number of recorded keys", ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d((least..most).log_scale(), 0.0..highest)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.15))
        .x_labels(4)
        .x_desc("keys")
        .y_desc("cost, of that at the first")
        .x_label_formatter(&|keys| keys.to_string())
        .draw()?;
    for (line, colour) in lines.iter().zip(COLOURS) {
        let series = LineSeries::new(line.points.iter().copied(), colour.stroke_width(2));
        chart
            .draw_series(series.point_size(3))?
            .label(line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE)
        .draw()?;
    area.present()?;
    Ok(())
}
