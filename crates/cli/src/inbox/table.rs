//! Tables: as wide as the terminal, or one line a row where there is none.

use comfy_table::{ContentArrangement, Table as Layout, presets};

use crate::output::{NAME, Screen, paint, plain_line};

/// A table with its headings.
pub(crate) struct Table {
    layout: Layout,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(headings: &[&str]) -> Self {
        let mut layout = Layout::new();
        layout.load_style(presets::NOTHING);
        layout.set_header(headings);
        for column in layout.column_iter_mut() {
            column.set_padding((0, 2));
        }
        Self { layout }
    }

    /// Adds a row. Texts are those of senders: what could steer the terminal is written out.
    pub(crate) fn row(&mut self, cells: &[String]) {
        self.layout.add_row(cells.iter().map(plain_line));
    }

    /// Prints it.
    pub(crate) fn print(self, screen: &mut Screen) {
        let width = console::Term::stdout().size_checked().map(|(_, columns)| columns);
        for (index, line) in self.lines(width).iter().enumerate() {
            match index {
                0 => screen.line(paint(NAME, line)),
                _ => screen.line(line),
            }
        }
    }

    /// The lines, none of them wider than this.
    fn lines(mut self, width: Option<u16>) -> Vec<String> {
        match width {
            // The padding of the last column is not seen.
            Some(width) => self
                .layout
                .set_width(width.saturating_add(2))
                .set_content_arrangement(ContentArrangement::Dynamic),
            None => self.layout.set_content_arrangement(ContentArrangement::Disabled),
        };
        self.layout.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    fn table() -> Table {
        let mut table = Table::new(&["id", "kind", "about"]);
        table.row(&["1".into(), "invoice.paid".into(), "in_1".into()]);
        table.row(&["22".into(), "a\u{1b}[31m\nb\u{202e}".into(), "k".repeat(60)]);
        table
    }

    #[test]
    fn without_a_terminal_a_row_is_a_line() {
        let lines = table().lines(None);
        assert_eq!(lines.len(), 3, "{lines:#?}");
        assert_eq!(lines[0], "id  kind                    about");
        assert_eq!(lines[1], "1   invoice.paid            in_1");
        assert_eq!(lines[2], format!("22  a\\u{{1b}}[31m\\nb\\u{{202e}}  {}", "k".repeat(60)));
    }

    #[test]
    fn on_a_terminal_no_line_is_too_wide_and_nothing_is_lost() {
        for width in [40, 60, 80, 200] {
            let lines = table().lines(Some(width));
            let widest = lines.iter().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= usize::from(width), "{width}: {lines:#?}");
            assert_eq!(lines.concat().matches('k').count(), 61, "{lines:#?}");
        }
    }
}
