//! Bytes are raw in one field.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Photo {
    photo: Vec<u8>,
}

#[track_caller]
fn raw(photo: &[u8]) {
    let photo = Photo {
        photo: photo.to_vec(),
    };
    let record = encode(&PLAIN, &photo).unwrap();
    assert_eq!(record.len(), 1);
    assert_eq!(record.get("photo"), Some(photo.photo.as_slice()));
    same(&photo);
}

#[test]
fn bytes_of_any_kind_are_one_field() {
    raw(b"ab-cd-ef");
    raw(&[0x00, 0xff, 0x80, 0xfe, 0x0d, 0x0a]);
    raw(b"[1,2]");
    raw(b"[");
    raw(b"{}");
    raw(b"null");
    let all: Vec<u8> = (0..4000_u32)
        .map(|n| n.to_le_bytes()[0] ^ n.to_le_bytes()[1])
        .collect();
    raw(&all);
}

#[test]
fn empty_bytes_and_bytes_that_look_empty_are_told_apart() {
    stored(&Photo { photo: vec![] }, &[("photo", "[]")]);
    stored(
        &Photo {
            photo: b"[]".to_vec(),
        },
        &[("photo.[0]", "91"), ("photo.[1]", "93")],
    );
}

#[test]
fn arrays_and_serde_bytes_are_raw_too() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Byte(u8);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Kinds {
        array: [u8; 3],
        brackets: [u8; 2],
        buf: ByteBuf,
        empty: ByteBuf,
        list: Vec<Vec<u8>>,
        new: Vec<Byte>,
        none: Option<Vec<u8>>,
        some: Option<Vec<u8>>,
        options: Vec<Option<u8>>,
    }
    let kinds = Kinds {
        array: [1, 2, 255],
        brackets: *b"[]",
        buf: ByteBuf::from(b"[]".to_vec()),
        empty: ByteBuf::new(),
        list: vec![vec![0xff], vec![], b"[]".to_vec()],
        new: vec![Byte(0xfe)],
        none: None,
        some: Some(vec![]),
        options: vec![Some(1), Some(2)],
    };
    same(&kinds);
    let record = encode(&PLAIN, &kinds).unwrap();
    assert_eq!(record.get("array"), Some([1, 2, 255].as_slice()));
    assert_eq!(record.get("buf"), Some(b"[]".as_slice()));
    assert_eq!(record.get("empty"), Some(b"".as_slice()));
    assert_eq!(record.get("list.[0]"), Some([0xff].as_slice()));
    assert_eq!(record.get("new"), Some([0xfe].as_slice()));
    assert_eq!(record.get("options.[1]"), Some(b"2".as_slice()));
}

#[test]
fn a_list_of_decimal_bytes_is_read_signed_or_not() {
    let back: Photo = read(&[("photo.[0]", "107"), ("photo.[1]", "118"), ("photo.[2]", "33")]);
    assert_eq!(back.photo, b"kv!");
    let signed = [
        ("photo.[0]", "-1"),
        ("photo.[1]", "-128"),
        ("photo.[2]", "0"),
        ("photo.[3]", "255"),
    ];
    assert_eq!(read::<Photo>(&signed).photo, [0xff, 0x80, 0x00, 0xff]);
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Buf {
        photo: ByteBuf,
    }
    assert_eq!(read::<Buf>(&signed).photo.as_ref(), [0xff, 0x80, 0x00, 0xff]);
    for wrong in ["256", "-129", "x", ""] {
        assert_eq!(
            refused::<Photo>(&[("photo.[0]", wrong)]),
            ("photo.[0]".to_owned(), "expected u8".to_owned())
        );
        assert_eq!(
            refused::<Buf>(&[("photo.[0]", wrong)]),
            ("photo.[0]".to_owned(), "expected u8".to_owned())
        );
    }
}

#[test]
fn the_raw_form_wins_over_the_list() {
    assert_eq!(read::<Photo>(&[("photo", "AB"), ("photo.[0]", "1")]).photo, b"AB");
}

#[test]
fn a_byte_that_is_no_list_element_is_not_negative() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct One {
        n: u8,
    }
    assert_eq!(refused::<One>(&[("n", "-1")]).0, "n");
}

#[test]
fn a_list_of_other_things_is_never_taken_for_bytes() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Nums {
        a: Vec<u16>,
        b: Vec<i8>,
    }
    stored(
        &Nums {
            a: vec![1],
            b: vec![-1],
        },
        &[("a.[0]", "1"), ("b.[0]", "-1")],
    );
    let back: Nums = read(&[("a", "[1,2]"), ("b", "[-1]")]);
    assert_eq!(
        back,
        Nums {
            a: vec![1, 2],
            b: vec![-1]
        }
    );
}

#[test]
fn more_bytes_than_an_array_takes_are_refused() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Two {
        it: [u8; 2],
    }
    assert_eq!(refused::<Two>(&[("it", "abc")]).0, "it");
    assert_eq!(refused::<Two>(&[("it", "a")]).0, "it");
}
