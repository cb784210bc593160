//! The text of a mistake, put together when compiling.

/// As much as a message can have; what is longer ends there.
const CAPACITY: usize = 600;

/// What is wrong with a finder.
#[derive(Clone, Copy)]
pub struct Message {
    bytes: [u8; CAPACITY],
    len: usize,
}

impl Message {
    pub(super) const fn new(text: &str) -> Self {
        let empty = Self {
            bytes: [0; CAPACITY],
            len: 0,
        };
        empty.and(text)
    }

    /// With this text behind it.
    pub(super) const fn and(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut end = bytes.len();
        if end > CAPACITY - self.len {
            end = CAPACITY - self.len;
            // Not in the middle of a character.
            while end > 0 && bytes[end] & 0xC0 == 0x80 {
                end -= 1;
            }
        }
        let mut i = 0;
        while i < end {
            self.bytes[self.len + i] = bytes[i];
            i += 1;
        }
        self.len += end;
        self
    }

    /// With this name behind it, in backticks.
    pub(super) const fn name(self, name: &str) -> Self {
        self.and("`").and(name).and("`")
    }

    /// With this number behind it.
    pub(super) const fn number(self, number: usize) -> Self {
        let this = if number >= 10 {
            self.number(number / 10)
        } else {
            self
        };
        let digits = "0123456789";
        this.and(super::text::between(digits, number % 10, number % 10 + 1))
    }

    /// With `; did you mean …?` behind it, if something is meant.
    pub(super) const fn or_else(self, meant: Option<Self>) -> Self {
        match meant {
            Some(meant) => self.and("; did you mean `").and(meant.text()).and("`?"),
            None => self,
        }
    }

    /// The text.
    #[must_use]
    pub const fn text(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "a finder is wrong",
        }
    }
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self.text(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::{CAPACITY, Message};

    #[test]
    fn a_message_is_put_together() {
        let message = Message::new("")
            .name("city")
            .and(" takes ")
            .number(120)
            .and(" values");
        assert_eq!(message.text(), "`city` takes 120 values");
    }

    #[test]
    fn a_message_that_is_too_long_ends_with_a_whole_character() {
        let mut message = Message::new("x");
        for _ in 0..CAPACITY {
            message = message.and("ä");
        }
        assert_eq!(message.text().len(), CAPACITY - 1);
        assert!(message.text().ends_with('ä'));
    }
}
