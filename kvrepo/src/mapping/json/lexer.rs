//! The words of JSON.

use std::borrow::Cow;

use crate::mapping::fault::Fault;
use crate::mapping::path::MAX_DEPTH;

/// Reads a JSON text word by word.
#[derive(Debug)]
pub(in crate::mapping) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

/// Whether the whole text is one JSON value.
pub(in crate::mapping) fn is_json(text: &str) -> bool {
    let mut lexer = Lexer::new(text);
    let likely = matches!(
        lexer.peek(),
        Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
    );
    likely && lexer.skip().is_ok() && lexer.end().is_ok()
}

impl<'a> Lexer<'a> {
    pub(in crate::mapping) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The first byte of the next word.
    pub(in crate::mapping) fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.byte() {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// Where the next word begins.
    pub(in crate::mapping) fn position(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// The text from `start` to here.
    pub(in crate::mapping) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Steps over one byte, or what is left of a character.
    pub(in crate::mapping) fn advance(&mut self) {
        self.at += 1;
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    /// Takes a bracket, comma or colon, if it comes next.
    pub(in crate::mapping) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at += 1;
        }
        found
    }

    pub(in crate::mapping) fn need(&mut self, byte: u8, what: &str) -> Result<(), Fault> {
        if self.eat(byte) {
            Ok(())
        } else {
            Err(Fault::expected(format_args!("JSON with {what}")))
        }
    }

    /// Takes exactly this text, if it comes next.
    pub(in crate::mapping) fn literal(&mut self, literal: &str) -> bool {
        self.peek();
        let found = self
            .text
            .as_bytes()
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(literal.as_bytes()));
        if found {
            self.at += literal.len();
        }
        found
    }

    /// Nothing but space may be left.
    pub(in crate::mapping) fn end(&mut self) -> Result<(), Fault> {
        if self.peek().is_none() {
            Ok(())
        } else {
            Err(Fault::expected("JSON of one value"))
        }
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.byte().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at > start
    }

    /// A number's text, by JSON's grammar.
    pub(in crate::mapping) fn number(&mut self) -> Result<&'a str, Fault> {
        let start = self.position();
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        let zero = self.byte() == Some(b'0');
        let whole = self.at;
        let mut good = self.digits() && !(zero && self.at > whole + 1);
        if good && self.byte() == Some(b'.') {
            self.at += 1;
            good = self.digits();
        }
        if good && matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            good = self.digits();
        }
        if good {
            Ok(self.since(start))
        } else {
            self.at = start;
            Err(Fault::expected("a number in JSON"))
        }
    }

    /// A string, unescaped.
    pub(in crate::mapping) fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        if self.peek() != Some(b'"') {
            return Err(Fault::expected("a string in JSON"));
        }
        let start = self.at;
        let mut escaped = false;
        let mut at = start + 1;
        loop {
            match self.text.as_bytes().get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    at += 2;
                }
                Some(0x20..) => at += 1,
                _ => return Err(Fault::expected("a complete string in JSON")),
            }
        }
        self.at = at + 1;
        if !escaped {
            return Ok(Cow::Borrowed(self.text.get(start + 1..at).unwrap_or_default()));
        }
        match serde_json::from_str(self.since(start)) {
            Ok(text) => Ok(Cow::Owned(text)),
            Err(_) => Err(Fault::expected("a string with valid escapes in JSON")),
        }
    }

    /// Steps over one value of any kind, and sees that it is one.
    pub(in crate::mapping) fn skip(&mut self) -> Result<(), Fault> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            // A value starts here.
            match self.peek() {
                Some(b'{') => {
                    self.at += 1;
                    if !self.eat(b'}') {
                        open.push(b'}');
                        self.key()?;
                        Self::bounded(&open)?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    if !self.eat(b']') {
                        open.push(b']');
                        Self::bounded(&open)?;
                        continue;
                    }
                }
                Some(b'"') => drop(self.string()?),
                Some(b'-' | b'0'..=b'9') => drop(self.number()?),
                _ if self.literal("null") || self.literal("true") || self.literal("false") => {}
                _ => return Err(Fault::expected("a JSON value")),
            }
            // A value has ended here, and maybe what holds it.
            loop {
                let Some(&close) = open.last() else { return Ok(()) };
                if self.eat(b',') {
                    if close == b'}' {
                        self.key()?;
                    }
                    break;
                }
                self.need(close, "its brackets closed")?;
                open.pop();
            }
        }
    }

    fn bounded(open: &[u8]) -> Result<(), Fault> {
        if open.len() > usize::from(MAX_DEPTH) {
            Err(Fault::too_deep())
        } else {
            Ok(())
        }
    }

    /// A key and its colon.
    pub(in crate::mapping) fn key(&mut self) -> Result<Cow<'a, str>, Fault> {
        let key = self.string()?;
        self.need(b':', "a colon after each key")?;
        Ok(key)
    }
}
