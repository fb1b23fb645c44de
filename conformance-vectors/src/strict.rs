//! JSON without a doubled member, objects that are objects, members that are there or not: two readings of one file must
//! not be possible.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Reads a JSON text as a value and refuses a member that is given twice, at any level.
///
/// # Errors
///
/// What `serde_json` finds wrong, with line and column, or the name of the doubled member.
pub fn value(text: &str) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if members.contains_key(&name) {
                return Err(de::Error::custom(format_args!("member `{name}` is given twice")));
            }
            let value = map.next_value_seed(Self)?;
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

/// An object. Derived implementations alone also take a list of its members' values.
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        reader.deserialize_map(Members(PhantomData)).map(Self)
    }
}

/// An object; for `#[serde(deserialize_with)]`.
pub(crate) fn object<'de, D, T>(reader: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Object::deserialize(reader).map(|Object(value)| value)
}

/// A value that is there, so not null; for `#[serde(default, deserialize_with)]`.
pub(crate) fn given<'de, D, T>(reader: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(reader).map(Some)
}

/// An object that is there; for `#[serde(default, deserialize_with)]`.
pub(crate) fn given_object<'de, D, T>(reader: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    object(reader).map(Some)
}

/// A member that has to be there, and may be null; for `#[serde(deserialize_with)]`.
pub(crate) fn nullable<'de, D, T>(reader: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(reader)
}

/// Refuses a value that stands twice in a list; for `#[serde(deserialize_with)]`.
pub(crate) fn set<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<String>, D::Error> {
    let items = Vec::<String>::deserialize(reader)?;
    let mut seen = BTreeSet::new();
    for item in &items {
        if !seen.insert(item) {
            return Err(de::Error::custom(format_args!("`{item}` stands twice")));
        }
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn doubled_members_are_refused_at_every_level() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"c":1,"d":2,"c":3}}]"#, r#"{"a":1,"\u0061":2}"#]
        {
            let error = value(text).unwrap_err().to_string();
            assert!(error.contains("is given twice"), "{error}");
        }
        assert_eq!(
            value(r#"{"a":[1,-2,0.5,null,true,"x"]}"#).unwrap(),
            serde_json::json!({"a": [1, -2, 0.5, null, true, "x"]}),
        );
        assert!(value("{} {}").is_err());
    }
}
