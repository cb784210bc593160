//! What a call can say of the term.

/// Gives a request the methods that say which term an entity gets. The request has a field `term: Term`.
macro_rules! term_of_the_call {
    ($($request:ident<$($param:ident $(: $bound:path)?),*>)*) => {$(
        impl<$($param $(: $bound)?),*> $request<'_, $($param),*> {
            /// To have this term. Of several calls that say something of the term, the last counts.
            pub fn term(mut self, term: crate::term::Term) -> Self {
                self.term = term;
                self
            }

            /// To expire after this term, whatever entity and settings say. At least a millisecond.
            pub fn time_to_live(mut self, term: std::time::Duration) -> Self {
                self.term = crate::term::Term::Ttl(term);
                self
            }

            /// To expire at this time by the server's clock, whatever entity and settings say.
            pub fn expires_at(mut self, deadline: std::time::SystemTime) -> Self {
                self.term = crate::term::Term::At(deadline);
                self
            }

            /// To expire when it has not been used for this long, whatever entity and settings say: the term begins
            /// anew with each write that gives it one, and with each read of the entity by its id. At least a
            /// millisecond.
            pub fn idle(mut self, span: std::time::Duration) -> Self {
                self.term = crate::term::Term::Idle(span);
                self
            }

            /// Never to expire, whatever entity and settings say.
            pub fn persistent(mut self) -> Self {
                self.term = crate::term::Term::Persistent;
                self
            }

            /// To keep the term that the living entity has, an idle one as such. An entity that is not there gets one
            /// as if nothing had been said.
            pub fn keep_time_to_live(mut self) -> Self {
                self.term = crate::term::Term::Keep;
                self
            }
        }
    )*};
}

pub(super) use term_of_the_call;
