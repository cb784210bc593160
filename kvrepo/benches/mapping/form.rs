//! What is measured, and in which forms.

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Encode,
    Decode,
    DecodeShuffled,
}

impl Operation {
    pub(crate) const ALL: [Self; 3] = [Self::Encode, Self::Decode, Self::DecodeShuffled];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Encode => "encode",
            Self::Decode => "decode",
            Self::DecodeShuffled => "decode_shuffled",
        }
    }
}

/// By what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Kvrepo,
    Json,
    Hand,
}

impl Form {
    pub(crate) const ALL: [Self; 3] = [Self::Kvrepo, Self::Json, Self::Hand];
}
