//! The sender's list: ids one a line, in a JSON array, or in a column of a CSV file.

use serde_json::Value;

/// The ids of a list, without repetitions, in their order.
pub(crate) fn read(bytes: &[u8], column: Option<&str>) -> Result<Vec<String>, String> {
    let ids = match column {
        Some(column) => csv_column(bytes, column)?,
        None => {
            let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
            // What Windows programs put before a text.
            let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
            if text.starts_with('[') {
                json_array(text)?
            } else {
                text.lines().map(str::to_owned).collect()
            }
        }
    };
    let mut seen = std::collections::HashSet::new();
    let ids: Vec<String> = ids
        .iter()
        .map(|id| id.trim().to_owned())
        .filter(|id| !id.is_empty() && seen.insert(id.clone()))
        .collect();
    if ids.is_empty() { Err("it holds no id".to_owned()) } else { Ok(ids) }
}

/// Texts and numbers, or objects with an `id`, as the lists of senders' interfaces are.
fn json_array(text: &str) -> Result<Vec<String>, String> {
    let values: Vec<Value> =
        serde_json::from_str(text).map_err(|error| format!("it is no JSON array: {error}"))?;
    let ids = values.iter().zip(1..).map(|(value, number)| {
        let id = value.get("id").unwrap_or(value);
        match id {
            Value::String(id) => Ok(id.clone()),
            // Numbers of 64 bits, as they are written.
            Value::Number(id) if id.is_i64() || id.is_u64() => Ok(id.to_string()),
            _ => Err(format!(
                "element {number} is neither a text nor an integer, nor an object with such an `id`"
            )),
        }
    });
    ids.collect()
}

fn csv_column(bytes: &[u8], column: &str) -> Result<Vec<String>, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::Headers).from_reader(bytes);
    let headers = reader.headers().map_err(|error| format!("it is no CSV file: {error}"))?;
    let place = headers.iter().position(|name| name == column).ok_or_else(|| {
        let names: Vec<&str> = headers.iter().collect();
        format!("its first line has no column `{column}`; it has {}", names.join(", "))
    })?;
    let cell = |record: csv::Result<csv::StringRecord>| {
        let record = record.map_err(|error| format!("it is no CSV file: {error}"))?;
        Ok(record.get(place).unwrap_or_default().to_owned())
    };
    reader.records().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn all_three_forms_are_read() {
        for (text, column) in [
            ("a\nb\n\n  7  \nb\n", None),
            ("\u{feff}a\r\nb\r\n7\r\n", None),
            (r#" ["a", "b", 7, "a"]"#, None),
            (r#"[{"id":"a","x":1},{"id":"b"},{"id":7}]"#, None),
            ("when,id\n1,a\n2,b\n3,7\n", Some("id")),
            ("\u{feff}id , when\n\"a\",\"1,5\"\nb,2\n7,3\n", Some("id")),
        ] {
            assert_eq!(read(text.as_bytes(), column).unwrap(), ["a", "b", "7"], "{text:?}");
        }
    }

    #[test]
    fn other_lists_are_refused_with_the_reason() {
        for (text, column, hint) in [
            ("", None, "no id"),
            ("\n \n", None, "no id"),
            ("[]", None, "no id"),
            ("[", None, "JSON array"),
            ("[1.5]", None, "element 1"),
            (r#"["a",{"key":1}]"#, None, "element 2"),
            ("[null]", None, "element 1"),
            ("id\n", Some("id"), "no id"),
            ("key,when\na,b\n", Some("id"), "it has key, when"),
            ("id,when\na\n", Some("id"), "CSV"),
        ] {
            let error = read(text.as_bytes(), column).unwrap_err();
            assert!(error.contains(hint), "{text:?}: {error}");
        }
        assert!(read(b"\xff", None).unwrap_err().contains("UTF-8"));
    }
}
