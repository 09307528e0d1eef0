//! The header of an npy array: `{'descr': '<f8', 'fortran_order': False, 'shape': (1000, 100), }`.

use std::io::Read;

use mixgist::{Error, Result};

use crate::array::shape_text;
use crate::source::shown;

const MAGIC: &[u8] = b"\x93NUMPY";
/// numpy itself refuses longer headers unless told to trust the file.
const LONGEST_HEADER: usize = 10_000;
const MOST_AXES: usize = 32;

/// What an npy header promises.
#[derive(Debug, PartialEq)]
pub(crate) struct Header {
    pub dtype: DType,
    pub fortran_order: bool,
    pub shape: Vec<usize>,
    /// Number of values, the product of the shape.
    pub count: usize,
    /// Bytes of the header, before the values.
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DType {
    pub kind: Kind,
    /// Bytes a value.
    pub size: usize,
    pub big_endian: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Float,
    Signed,
    Unsigned,
    /// UTF-32, padded with zeros.
    Unicode,
    /// Bytes, padded with zeros.
    Bytes,
}

impl Header {
    /// Reads a header; never more than its own bytes.
    pub fn read(reader: &mut dyn Read) -> Result<Self> {
        let mut start = [0; 8];
        read_exactly(reader, &mut start)?;
        if &start[..6] != MAGIC {
            return Err(Error::input("is not an npy array (it does not start with \\x93NUMPY)"));
        }
        let (length, before) = match start[6] {
            1 => {
                let mut length = [0; 2];
                read_exactly(reader, &mut length)?;
                (usize::from(u16::from_le_bytes(length)), 10)
            }
            2 | 3 => {
                let mut length = [0; 4];
                read_exactly(reader, &mut length)?;
                (u32::from_le_bytes(length) as usize, 12)
            }
            version => {
                return Err(Error::input(format!("npy format version {version} is unknown, expected 1, 2 or 3")));
            }
        };
        if length > LONGEST_HEADER {
            return Err(Error::input(format!("npy header of {length} bytes, expected at most {LONGEST_HEADER}")));
        }
        let mut text = vec![0; length];
        read_exactly(reader, &mut text)?;
        let text = std::str::from_utf8(&text).map_err(|_| Error::input("npy header is not text"))?;
        let mut header = Parser { rest: text }.header().map_err(|wrong| {
            Error::input(format!("npy header cannot be understood: {wrong} in \"{}\"", shown(text.trim_end())))
        })??;
        header.bytes = before + length as u64;
        Ok(header)
    }

    /// Bytes of all values.
    pub fn value_bytes(&self) -> u64 {
        self.count as u64 * self.dtype.size as u64
    }

    /// The promise in words, such as "(1000, 2) of 8-byte floats".
    pub fn text(&self) -> String {
        let kind = match self.dtype.kind {
            Kind::Float => "floats",
            Kind::Signed | Kind::Unsigned => "integers",
            Kind::Unicode | Kind::Bytes => "strings",
        };
        format!("{} of {}-byte {kind}", shape_text(&self.shape), self.dtype.size)
    }
}

fn read_exactly(reader: &mut dyn Read, out: &mut [u8]) -> Result<()> {
    reader.read_exact(out).map_err(|cause| match cause.kind() {
        std::io::ErrorKind::UnexpectedEof => Error::input("ends within the npy header"),
        _ => Error::input(format!("cannot be read: {cause}")),
    })
}

/// Reads the dictionary literal: just strings, booleans and tuples of integers.
struct Parser<'a> {
    rest: &'a str,
}

/// Outside: the text is no header; inside: it is one that cannot be used.
type Parsed<T> = std::result::Result<Result<T>, String>;

impl<'a> Parser<'a> {
    fn header(mut self) -> Parsed<Header> {
        let (mut dtype, mut fortran_order, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.accept('}') {
            let key = self.string()?;
            self.expect(':')?;
            match key {
                "descr" if self.starts_with('[') => {
                    return Ok(Err(Error::input("holds records (a structured array), expected plain numbers")
                        .hint("save each field as its own array")));
                }
                "descr" => match parse_dtype(self.string()?) {
                    Ok(parsed) => dtype = Some(parsed),
                    Err(error) => return Ok(Err(error)),
                },
                "fortran_order" => fortran_order = Some(self.boolean()?),
                "shape" => shape = Some(self.tuple()?),
                other => return Err(format!("unknown key '{other}'")),
            }
            if !self.accept(',') {
                self.expect('}')?;
                break;
            }
        }
        if !self.rest.trim().is_empty() {
            return Err(format!("'{}' after the dictionary", self.rest.trim()));
        }
        let dtype = dtype.ok_or("no 'descr'")?;
        let fortran_order = fortran_order.ok_or("no 'fortran_order'")?;
        let shape = shape.ok_or("no 'shape'")?;
        if shape.len() > MOST_AXES {
            return Err(format!("{} axes", shape.len()));
        }
        let count = shape.iter().try_fold(1usize, |count, &axis| count.checked_mul(axis));
        match count.filter(|count| count.checked_mul(dtype.size).is_some()) {
            Some(count) => Ok(Ok(Header { dtype, fortran_order, shape, count, bytes: 0 })),
            None => Ok(Err(Error::input(format!(
                "promises an array of shape {}, more than any memory holds",
                shape_text(&shape)
            )))),
        }
    }

    fn starts_with(&mut self, c: char) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.starts_with(c)
    }

    fn accept(&mut self, c: char) -> bool {
        let found = self.starts_with(c);
        if found {
            self.rest = &self.rest[c.len_utf8()..];
        }
        found
    }

    fn expect(&mut self, c: char) -> std::result::Result<(), String> {
        if self.accept(c) { Ok(()) } else { Err(format!("expected '{c}'")) }
    }

    fn string(&mut self) -> std::result::Result<&'a str, String> {
        let quote = if self.accept('\'') {
            '\''
        } else if self.accept('"') {
            '"'
        } else {
            return Err("expected a string".into());
        };
        let (string, rest) = self.rest.split_once(quote).ok_or("a string that does not end")?;
        self.rest = rest;
        Ok(string)
    }

    fn boolean(&mut self) -> std::result::Result<bool, String> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err("expected True or False".into())
    }

    fn tuple(&mut self) -> std::result::Result<Vec<usize>, String> {
        self.expect('(')?;
        let mut axes = Vec::new();
        while !self.accept(')') {
            self.rest = self.rest.trim_start();
            let digits = self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            axes.push(self.rest[..digits].parse().map_err(|_| "a length that is no number, or too large a number")?);
            self.rest = &self.rest[digits..];
            self.rest = self.rest.strip_prefix('L').unwrap_or(self.rest); // written by Python 2
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(axes)
    }
}

/// Characters of a string in an array, at most: more than any column's name has. What memory they take is counted elsewhere.
const LONGEST_TEXT: usize = 1 << 20;

fn parse_dtype(descr: &str) -> Result<DType> {
    let unsupported = || {
        Error::input(format!("values of type '{descr}' cannot be read, expected floats, integers or strings"))
            .hint("convert before saving, e.g. array.astype('float64')")
    };
    let mut chars = descr.chars();
    let order = chars.next().ok_or_else(unsupported)?;
    let kind = chars.next().ok_or_else(unsupported)?;
    if kind == 'O' {
        return Err(Error::input("holds Python objects (pickle), which are never loaded")
            .hint("save plain numbers, e.g. array.astype('float64'); draws of differing size go into flat arrays with 'offsets'"));
    }
    let size: usize = chars.as_str().parse().map_err(|_| unsupported())?;
    let big_endian = match order {
        '<' => false,
        '>' => true,
        '|' => false,
        '=' => cfg!(target_endian = "big"),
        _ => return Err(unsupported()),
    };
    let (kind, size) = match (kind, size) {
        ('f', 4 | 8) => (Kind::Float, size),
        ('i', 1 | 2 | 4 | 8) => (Kind::Signed, size),
        ('u', 1 | 2 | 4 | 8) | ('b', 1) => (Kind::Unsigned, size),
        ('U', 1..=LONGEST_TEXT) => (Kind::Unicode, 4 * size),
        ('S', 1..=LONGEST_TEXT) => (Kind::Bytes, size),
        _ => return Err(unsupported()),
    };
    Ok(DType { kind, size, big_endian })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(version: u8, text: &str) -> Result<Header> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([version, 0]);
        match version {
            1 => bytes.extend((text.len() as u16).to_le_bytes()),
            _ => bytes.extend((text.len() as u32).to_le_bytes()),
        }
        bytes.extend(text.as_bytes());
        Header::read(&mut &bytes[..])
    }

    #[test]
    fn headers_of_all_versions_are_read() {
        for version in [1, 2, 3] {
            let header = read(version, "{'descr': '>f4', 'fortran_order': True, 'shape': (3, 2), }   \n").unwrap();
            assert_eq!(header.dtype, DType { kind: Kind::Float, size: 4, big_endian: true });
            assert!(header.fortran_order);
            assert_eq!((header.shape.as_slice(), header.count), (&[3, 2][..], 6));
        }
    }

    #[test]
    fn spacing_quotes_and_old_integers_do_not_matter() {
        let header = read(1, "{\"shape\":(5L,),\"fortran_order\":False,\"descr\":\"|u1\"}").unwrap();
        assert_eq!((header.shape.as_slice(), header.count, header.dtype.size), (&[5][..], 5, 1));
        assert_eq!(read(1, "{'descr': '<i8', 'fortran_order': False, 'shape': ()}").unwrap().count, 1);
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let message = |text: &str| read(1, text).unwrap_err().to_string();
        assert!(message("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}").contains("Python objects"));
        assert!(message("{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}").contains("'<c16'"));
        assert!(message("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}").contains("structured"));
        assert!(
            message("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 99999999999)}")
                .contains("more than any memory")
        );
        assert!(message("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}").contains("no number"));
        assert!(message("{'descr': '<f8', 'shape': (1,)}").contains("no 'fortran_order'"));
        assert!(message("{'descr': '<f8', 'fortran_order': 1, 'shape': (1,)}").contains("True or False"));
        assert!(message("{'descr': '<f8").contains("does not end"));
        assert!(message("[]").contains("expected '{'"));
        assert!(message("{} x").contains("after the dictionary"));
        assert!(read(4, "").unwrap_err().to_string().contains("version 4"));
        assert!(read(2, &" ".repeat(10_001)).unwrap_err().to_string().contains("10001 bytes"));
    }
}
