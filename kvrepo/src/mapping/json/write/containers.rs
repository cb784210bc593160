//! Arrays, objects and maps while they are being written.

use serde::ser::{self, Serialize};

use super::{Json, JsonSer};
use crate::mapping::fault::Fault;
use crate::mapping::json::{Lexer, write_str};
use crate::mapping::key::KeySer;

/// An array being written.
pub(in crate::mapping) struct JsonList<'o, 's> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) json: Json<'s>,
    pub(super) item: Json<'s>,
    /// Whether each element has a type of its own.
    pub(super) tuple: bool,
    pub(super) at: usize,
    pub(super) close: &'static str,
}

impl JsonList<'_, '_> {
    fn item<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Fault> {
        if self.at > 0 {
            self.out.push(b',');
        }
        if self.tuple && self.json.node.is_some() {
            self.item = self.json.element(self.at)?;
        }
        self.at += 1;
        value.serialize(JsonSer::new(self.out, self.item))?;
        Ok(())
    }

    fn close(self) -> Result<bool, Fault> {
        self.out.extend_from_slice(self.close.as_bytes());
        Ok(true)
    }
}

macro_rules! list {
    ($($trait:ident $method:ident),*) => {$(
        impl ser::$trait for JsonList<'_, '_> {
            type Ok = bool;
            type Error = Fault;

            fn $method<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Fault> {
                self.item(value)
            }

            fn end(self) -> Result<bool, Fault> {
                self.close()
            }
        }
    )*};
}

list!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

/// A struct being written. Without `close` it is a raw text in a struct's clothes.
pub(in crate::mapping) struct JsonObject<'o, 's> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) json: Json<'s>,
    pub(super) first: bool,
    pub(super) close: &'static str,
}

impl JsonObject<'_, '_> {
    fn field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), Fault> {
        if self.close.is_empty() {
            let mut text = String::new();
            value.serialize(KeySer::new(&mut text))?;
            self.out.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
        write_str(self.out, name)?;
        self.out.push(b':');
        let json = self.json.field(name)?;
        value.serialize(JsonSer::new(self.out, json))?;
        Ok(())
    }

    fn close(self) -> Result<bool, Fault> {
        self.out.extend_from_slice(self.close.as_bytes());
        Ok(true)
    }
}

macro_rules! object {
    ($($trait:ident),*) => {$(
        impl ser::$trait for JsonObject<'_, '_> {
            type Ok = bool;
            type Error = Fault;

            fn serialize_field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), Fault> {
                self.field(name, value)
            }

            fn end(self) -> Result<bool, Fault> {
                self.close()
            }
        }
    )*};
}

object!(SerializeStruct, SerializeStructVariant);

/// A map being written: as an object, or from the first key without a text on as an array of pairs.
pub(in crate::mapping) struct JsonMap<'o, 's> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) json: Json<'s>,
    /// How the next value is written.
    pub(super) value: Json<'s>,
    /// How any of them is.
    pub(super) each: Json<'s>,
    pub(super) start: usize,
    pub(super) first: bool,
    pub(super) pairs: bool,
}

impl JsonMap<'_, '_> {
    /// Turns what was written so far into pairs.
    fn pair(&mut self) -> Result<(), Fault> {
        self.pairs = true;
        let entries = self.out.split_off(self.start);
        let entries = String::from_utf8(entries).map_err(|_| Fault::new("what was written is not UTF-8"))?;
        self.out.push(b'[');
        let mut lexer = Lexer::new(&entries);
        lexer.need(b'{', "an object here")?;
        while lexer.peek().is_some() {
            let start = lexer.position();
            lexer.string()?;
            self.out.push(b'[');
            self.out.extend_from_slice(lexer.since(start).as_bytes());
            lexer.need(b':', "a colon after each key")?;
            let start = lexer.position();
            lexer.skip()?;
            self.out.push(b',');
            self.out.extend_from_slice(lexer.since(start).as_bytes());
            self.out.push(b']');
            if lexer.eat(b',') {
                self.out.push(b',');
            }
        }
        Ok(())
    }
}

impl ser::SerializeMap for JsonMap<'_, '_> {
    type Ok = bool;
    type Error = Fault;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Fault> {
        let mut text = String::new();
        if !self.pairs {
            match key.serialize(KeySer::new(&mut text)) {
                Err(fault) if fault.is_key() && self.json.exact => self.pair()?,
                result => result?,
            }
        }
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
        if self.pairs {
            self.out.push(b'[');
            let json = Json {
                node: None,
                ..self.each
            };
            key.serialize(JsonSer::new(self.out, json))?;
            self.out.push(b',');
        } else {
            write_str(self.out, &text)?;
            self.out.push(b':');
            let declared = self.json.plain.contains(&text.as_str());
            self.value = if declared {
                self.json.field(&text)?
            } else {
                self.each
            };
        }
        Ok(())
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Fault> {
        value.serialize(JsonSer::new(self.out, self.value))?;
        if self.pairs {
            self.out.push(b']');
        }
        Ok(())
    }

    fn end(self) -> Result<bool, Fault> {
        self.out.push(if self.pairs { b']' } else { b'}' });
        Ok(true)
    }
}
