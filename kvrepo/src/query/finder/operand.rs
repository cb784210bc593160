//! A method's arguments, each checked against its field when compiling.

use super::plan::NONE;
use crate::backend::Plan;
use crate::entity::{IdArg, KvEntity, KvNested, NestedField};
use crate::error::Result;
use crate::query::comparison::Bound;
use crate::query::{
    Distance, EqualityIndex, Field, FieldInfo, Filter, GeoIndex, IdHandle, Located, Nested, Point,
    RangeIndex, Shape, Sort, TextValue, ValueArg,
};

/// What an argument is for its field: its part in [`Accept`].
pub mod role {
    /// What the field is to hold, or not to hold.
    pub const VALUE: usize = 0;
    /// Several of which the field is to hold one.
    pub const LIST: usize = 1;
    /// What the field is to be less or greater than.
    pub const BOUND: usize = 2;
    /// What the field is to begin with.
    pub const PREFIX: usize = 3;
    /// Where the field is to be near.
    pub const POINT: usize = 4;
    /// How near.
    pub const DISTANCE: usize = 5;
    /// In what the field is to be.
    pub const SHAPE: usize = 6;
}

/// An argument as the store compares it, its type forgotten.
pub struct Operand(pub(super) Kind);

/// What an argument has become.
pub(super) enum Kind {
    /// No argument: the finder is wrong.
    Nothing,
    /// All that it finds.
    Found(Result<Plan>),
    /// Its place in the range index of this name; `None` if it has none, as `NaN`.
    Bound(Result<Option<Bound>>),
    /// Where the field is to be near.
    Point(Located, Point),
    /// How near.
    Distance(Distance),
}

impl std::fmt::Debug for Operand {
    /// Without the value.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operand").finish_non_exhaustive()
    }
}

/// An entity whose fields have handles, which the derive gives all of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entity",
    note = "derive it: `#[derive(Serialize, Deserialize, KvEntity)]`, with `#[id]` on one field"
)]
pub trait HasFields: Sized {
    /// What `fields()` returns.
    type Fields;

    /// Its name.
    const ENTITY: &'static str;

    /// What finders can ask for.
    const TABLE: &'static [FieldInfo];

    /// The handles.
    fn all_fields() -> Self::Fields;

    /// Sorts by the field at the end of this way, whose steps are numbers in [`TABLE`](Self::TABLE).
    fn sort_by(way: &[usize], descending: bool) -> Sort<Self>;
}

/// The handle of a field takes an `A` in this [`role`].
#[diagnostic::on_unimplemented(
    message = "a finder cannot ask a `{Self}` for a `{A}`",
    label = "the field that the method's name has here does not take a `{A}`",
    note = "the method's parameters go with the fields in its name, in the same order: `&V` or `V` for a field that \
            holds a `V`, also in an `Option`; `&str` for a `String`; a collection of these for `in`"
)]
pub trait Accept<A, const ROLE: usize> {
    /// The argument, as the store compares it.
    fn accept(&self, argument: A) -> Operand;
}

/// A field, by its way through the tables, takes an `A` in this [`role`]. The derive implements it for the handles' struct:
/// only there are the types of fields private to who has them.
pub trait Takes<
    const FIRST: usize,
    const SECOND: usize,
    const THIRD: usize,
    const FOURTH: usize,
    const ROLE: usize,
    A,
>
{
    /// The argument, as the store compares it.
    fn operand(handles: &Self, argument: A) -> Operand;
}

/// No field takes anything: the finder is wrong, which is said elsewhere.
impl<H, const ROLE: usize, A> Takes<NONE, NONE, NONE, NONE, ROLE, A> for H {
    fn operand(_: &Self, _: A) -> Operand {
        Operand(Kind::Nothing)
    }
}

/// The same for a field of the struct that is in this one.
pub trait Within<const FIRST: usize, const SECOND: usize, const THIRD: usize, const ROLE: usize, A> {
    /// The argument, as the store compares it.
    fn operand(&self, argument: A) -> Operand;
}

impl<E, V, const FIRST: usize, const SECOND: usize, const THIRD: usize, const ROLE: usize, A>
    Within<FIRST, SECOND, THIRD, ROLE, A> for Nested<E, V>
where
    E: KvEntity,
    V: NestedField,
    <V::Nested as KvNested>::Fields<E>: Takes<FIRST, SECOND, THIRD, NONE, ROLE, A>,
{
    fn operand(&self, argument: A) -> Operand {
        Takes::operand(&**self, argument)
    }
}

impl<E, V, I, A> Accept<A, { role::VALUE }> for Field<E, V, I>
where
    I: EqualityIndex,
    A: ValueArg<I::Value>,
{
    fn accept(&self, argument: A) -> Operand {
        Operand(Kind::Found(self.index.lookup().equal(&[], [argument])))
    }
}

#[diagnostic::do_not_recommend]
impl<E, V, I, A> Accept<A, { role::LIST }> for Field<E, V, I>
where
    I: EqualityIndex,
    A: IntoIterator<Item: ValueArg<I::Value>>,
{
    fn accept(&self, arguments: A) -> Operand {
        Operand(Kind::Found(self.index.lookup().equal(&[], arguments)))
    }
}

impl<E, V, I, A> Accept<A, { role::BOUND }> for Field<E, V, I>
where
    I: RangeIndex,
    A: ValueArg<I::Value>,
{
    fn accept(&self, argument: A) -> Operand {
        Operand(Kind::Bound(self.index.lookup().bound(argument)))
    }
}

impl<E, V, I, A> Accept<A, { role::PREFIX }> for Field<E, V, I>
where
    I: RangeIndex<Value: TextValue>,
    A: ValueArg<I::Value>,
{
    fn accept(&self, argument: A) -> Operand {
        Operand(Kind::Bound(self.index.lookup().bound(argument)))
    }
}

impl<E, V, A: ValueArg<Point>> Accept<A, { role::POINT }> for Field<E, V, Located> {
    fn accept(&self, argument: A) -> Operand {
        Operand(Kind::Point(self.index, argument.into_value()))
    }
}

impl<E, V, A: ValueArg<Distance>> Accept<A, { role::DISTANCE }> for Field<E, V, Located> {
    fn accept(&self, argument: A) -> Operand {
        Operand(Kind::Distance(argument.into_value()))
    }
}

impl<E: KvEntity, V, A: Shape> Accept<A, { role::SHAPE }> for Field<E, V, Located> {
    fn accept(&self, argument: A) -> Operand {
        let within: Filter<E> = self.index.within(&argument, false);
        Operand(Kind::Found(within.into_plan().map(|(plan, _)| plan)))
    }
}

impl<E: KvEntity, A: IdArg<E::Id>> Accept<A, { role::VALUE }> for IdHandle<E> {
    fn accept(&self, argument: A) -> Operand {
        Operand(Kind::Found(self.eq(argument).into_plan().map(|(plan, _)| plan)))
    }
}

#[diagnostic::do_not_recommend]
impl<E, A> Accept<A, { role::LIST }> for IdHandle<E>
where
    E: KvEntity,
    A: IntoIterator<Item: IdArg<E::Id>>,
{
    fn accept(&self, arguments: A) -> Operand {
        Operand(Kind::Found(
            self.is_in(arguments).into_plan().map(|(plan, _)| plan),
        ))
    }
}

/// Sorts by a field.
pub fn sort<E: KvEntity, V, I>(field: &Field<E, V, I>, descending: bool) -> Sort<E> {
    field.sorted(descending)
}
