//! Lines of comma-separated text, one record at a time, each with the exact line it starts on.
//!
//! csv-core splits the fields; lines are fed to it one by one, because its own count is off after blank lines and comments.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

use csv_core::ReadRecordResult;
use mixgist::{Error, Result};

use crate::draws::ReadOptions;
use crate::output::cannot_write;
use crate::source::{Source, size_text};

/// Fields cost more memory than the commas between them.
const MOST_FIELDS: usize = 1 << 24;
/// A line is held twice, as it is and as its fields.
const LONGEST_LINE: u64 = 1 << 28;

/// A reader of comma-separated text.
pub(crate) struct Records<R> {
    source: BufReader<R>,
    splitter: csv_core::Reader,
    /// Lines read so far.
    lines: u64,
    /// The most bytes that a line may have.
    longest: u64,
    /// Whether the first record may show that fields are separated by semicolons or tabs.
    any_separator: bool,
    /// Whether a record was seen: comments may stand before the first one.
    begun: bool,
    line: Vec<u8>,
    fields: Vec<u8>,
    ends: Vec<usize>,
}

/// What a line holds.
pub(crate) enum Line<'a> {
    /// What follows the `#`.
    Comment(&'a str),
    Record(Record<'a>),
}

/// The fields of a record.
pub(crate) struct Record<'a> {
    /// Where it starts, counted from 1.
    pub line: u64,
    text: &'a str,
    ends: &'a [usize],
}

impl Records<std::fs::File> {
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        let records = Records::new(Source::open(path)?.file);
        Ok(Records { longest: LONGEST_LINE.min(options.memory_limit / 4), ..records })
    }
}

impl<R: Read> Records<R> {
    pub fn new(source: R) -> Self {
        Records {
            source: BufReader::with_capacity(1 << 16, source),
            splitter: csv_core::Reader::new(),
            lines: 0,
            longest: LONGEST_LINE,
            any_separator: false,
            begun: false,
            line: Vec::new(),
            fields: vec![0; 1024],
            ends: vec![0; 32],
        }
    }

    /// Takes semicolons, tabs or blanks for separators when the first record has no comma, see [`separator_of`].
    pub fn with_any_separator(self) -> Self {
        Records { any_separator: true, ..self }
    }

    /// The next record; blank lines are passed over, and so are comments before the first record, as `numpy.savetxt` writes them.
    ///
    /// Further down a line that begins with `#` is a record: spreadsheets write `#DIV/0!` and `#N/A` where a value could not be computed.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>> {
        if !self.read_line()? {
            return Ok(None);
        }
        while !self.begun && is_leading_comment(&self.line) {
            if !self.read_line()? {
                return Ok(None);
            }
        }
        self.begin();
        self.split().map(Some)
    }

    /// Before the first record is split: what separates its fields.
    fn begin(&mut self) {
        if self.any_separator && !self.begun {
            let separator = separator_of(&self.line);
            if separator != b',' {
                self.splitter = csv_core::ReaderBuilder::new().delimiter(separator).build();
            }
        }
        self.begun = true;
    }

    /// The next record or comment, wherever it stands, as in the output of Stan; blank lines are passed over.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>> {
        if !self.read_line()? {
            return Ok(None);
        }
        if self.line[0] == b'#' {
            let text = std::str::from_utf8(&self.line[1..]).map_err(|_| not_text(self.lines))?;
            return Ok(Some(Line::Comment(text.trim())));
        }
        self.begin();
        self.split().map(|record| Some(Line::Record(record)))
    }

    /// Reads a line that is not blank; `false` at the end of the file.
    fn read_line(&mut self) -> Result<bool> {
        loop {
            self.line.clear();
            if self.append_line()? == 0 {
                return Ok(false);
            }
            if self.lines == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
                self.line.drain(..3); // the byte order mark that Excel writes
            }
            if self.line.iter().any(|byte| !byte.is_ascii_whitespace()) {
                if ends_lines_by_cr(&self.line) {
                    return Err(Error::input("has lines that end in CR alone")
                        .at_line(self.lines)
                        .hint("save the file with lines that end in LF or CRLF"));
                }
                return Ok(true);
            }
        }
    }

    /// Appends a line to what is held and says how many bytes it has; what is no text is refused as soon as it is seen.
    fn append_line(&mut self) -> Result<usize> {
        let mut length = 0;
        loop {
            let at = self.lines + 1;
            let piece = match self.source.fill_buf() {
                Err(cause) if cause.kind() == std::io::ErrorKind::Interrupted => continue,
                piece => piece.map_err(|cause| Error::input(format!("cannot be read: {cause}")).at_line(at))?,
            };
            let end = piece.iter().position(|&byte| byte == b'\n');
            let piece = &piece[..end.map_or(piece.len(), |end| end + 1)];
            if let Some(byte) = piece.iter().find(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) {
                if std::str::from_utf8(piece).is_err() {
                    return Err(not_text(at));
                }
                let message = format!("has the control character \\u{{{byte:x}}}, which text files do not have");
                return Err(Error::input(message).at_line(at).hint("is it a text file? Name its format"));
            }
            if (self.line.len() + piece.len()) as u64 > self.longest {
                return Err(Error::resource(format!("is longer than {}", size_text(self.longest))).at_line(at));
            }
            self.line.extend_from_slice(piece);
            let used = piece.len();
            self.source.consume(used);
            length += used;
            if end.is_some() || used == 0 {
                self.lines += u64::from(length > 0);
                return Ok(length);
            }
        }
    }

    /// Splits the line just read, and the following ones as long as a quoted field goes on.
    fn split(&mut self) -> Result<Record<'_>> {
        let start = self.lines;
        self.splitter.reset();
        let (mut filled, mut fields) = (0, 0);
        'lines: loop {
            let mut from = 0;
            loop {
                let (result, read, wrote, ended) =
                    self.splitter.read_record(&self.line[from..], &mut self.fields[filled..], &mut self.ends[fields..]);
                (from, filled, fields) = (from + read, filled + wrote, fields + ended);
                match result {
                    ReadRecordResult::OutputFull if self.fields.len() as u64 > self.longest => {
                        return Err(
                            Error::resource(format!("is longer than {}", size_text(self.longest))).at_line(start)
                        );
                    }
                    ReadRecordResult::OutputFull => self.fields.resize(2 * self.fields.len(), 0),
                    ReadRecordResult::OutputEndsFull if fields >= MOST_FIELDS => {
                        return Err(Error::input(format!("has more than {MOST_FIELDS} fields")).at_line(start));
                    }
                    ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                    ReadRecordResult::InputEmpty => break,
                    ReadRecordResult::Record | ReadRecordResult::End => break 'lines,
                }
            }
            let ended = self.line.ends_with(b"\n");
            self.line.clear();
            let more = self.append_line()?;
            // Without input the splitter closes the record; a quote that is still open shows by the newline in front of it.
            if more == 0 && ended {
                return Err(Error::input("a quoted field does not end").at_line(start));
            }
        }
        let text = std::str::from_utf8(&self.fields[..filled]).map_err(|_| not_text(start))?;
        let ends = &self.ends[..fields];
        // A character that straddles two fields is not text either.
        if ends.iter().any(|&end| !text.is_char_boundary(end)) {
            return Err(not_text(start));
        }
        Ok(Record { line: start, text, ends })
    }
}

/// What separates the fields of a first line: commas, unless there are none outside of quotes and brackets, but semicolons or tabs, or blanks between quotes, as R's
/// write.table writes them.
fn separator_of(line: &[u8]) -> u8 {
    let line = line.trim_ascii();
    let (mut quoted, mut bracketed) = (false, false);
    let mut outside = Vec::new();
    for &byte in line {
        match byte {
            b'"' => quoted = !quoted,
            b'[' | b']' if !quoted => bracketed = byte == b'[',
            _ if !quoted && !bracketed => outside.push(byte),
            _ => {}
        }
    }
    let found = [b',', b';', b'\t'].into_iter().find(|separator| outside.contains(separator));
    let blanks = || line.windows(3).any(|three| three == b"\" \"");
    found.unwrap_or_else(|| if blanks() { b' ' } else { b',' })
}

/// `#` alone or before a blank.
fn is_leading_comment(line: &[u8]) -> bool {
    let rest = &line[line.iter().take_while(|&&byte| byte == b'#').count()..];
    rest.len() < line.len() && rest.first().is_none_or(u8::is_ascii_whitespace)
}

/// Words that spreadsheets write where a value could not be computed.
pub(crate) fn is_spreadsheet_error(field: &str) -> bool {
    field.starts_with('#') && (field.ends_with(['!', '?']) || field.eq_ignore_ascii_case("#n/a"))
}

/// Whether text follows a CR outside of quotes.
fn ends_lines_by_cr(line: &[u8]) -> bool {
    let text = line.trim_ascii_end();
    text.contains(&b'\r') && !text.contains(&b'"')
}

fn not_text(line: u64) -> Error {
    Error::input("is not UTF-8 text").at_line(line).hint("save the file as UTF-8, or name its format")
}

impl<'a> Record<'a> {
    /// Number of fields.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Field i without the blanks around it.
    pub fn field(&self, i: usize) -> &'a str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        self.text[start..self.ends[i]].trim()
    }

    /// The fields without the blanks around them.
    pub fn fields(&self) -> impl Iterator<Item = &'a str> + Clone {
        (0..self.len()).map(|i| self.field(i))
    }

    /// Checks the number of fields.
    pub fn expect(&self, fields: usize) -> Result<()> {
        if self.len() == fields {
            return Ok(());
        }
        let s = if self.len() == 1 { "" } else { "s" };
        Err(Error::input(format!("has {} field{s}, expected {fields}", self.len())).at_line(self.line))
    }
}

/// Writes one line of fields, quoted where needed.
pub(crate) fn write_record<'a>(output: &mut dyn Write, fields: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let mut line = String::new();
    for (i, field) in fields.into_iter().enumerate() {
        if i > 0 {
            line.push(',');
        }
        let plain = !field.is_empty() && field.trim() == field && !field.contains(['"', ',', '\n', '\r', '#']);
        if plain {
            line.push_str(field);
        } else {
            line.push('"');
            line.push_str(&field.replace('"', "\"\""));
            line.push('"');
        }
    }
    line.push('\n');
    output.write_all(line.as_bytes()).map_err(cannot_write)
}

/// Words for a value that is not there.
pub(crate) fn is_missing(field: &str) -> bool {
    matches!(field, "" | "." | "?")
        || ["na", "nan", "n/a", "null", "none", "<na>"].iter().any(|word| field.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> Result<Vec<(u64, Vec<String>)>> {
        let mut records = Records::new(text);
        let mut out = Vec::new();
        while let Some(record) = records.next_record()? {
            out.push((record.line, record.fields().map(String::from).collect()));
        }
        Ok(out)
    }

    fn record(line: u64, fields: &[&str]) -> (u64, Vec<String>) {
        (line, fields.iter().map(|field| field.to_string()).collect())
    }

    #[test]
    fn lines_are_counted_through_blanks_comments_and_quotes() {
        let text = b"\xef\xbb\xbf# note, \"open\n\r\na, b\r\n1,2\n\n\"x\ny\",\"say \"\"so\"\"\"\n , \n3,4";
        let expected = vec![
            record(3, &["a", "b"]),
            record(4, &["1", "2"]),
            record(6, &["x\ny", "say \"so\""]),
            record(8, &["", ""]),
            record(9, &["3", "4"]),
        ];
        assert_eq!(all(text).unwrap(), expected);
        assert!(all(b"").unwrap().is_empty());
        assert!(all(b"\n \n# x\n##\n").unwrap().is_empty());
        assert_eq!(all(b"1,\n").unwrap(), [record(1, &["1", ""])]);
    }

    /// Rows of a spreadsheet in which a value could not be computed were dropped without a word.
    #[test]
    fn only_lines_before_the_first_record_are_comments() {
        assert_eq!(
            all(b"# x y\nx,y\n#DIV/0!,2\n# 3,4\n").unwrap(),
            [record(2, &["x", "y"]), record(3, &["#DIV/0!", "2"]), record(4, &["# 3", "4"])]
        );
        assert_eq!(all(b"#REF!,2\n").unwrap(), [record(1, &["#REF!", "2"])]);
        assert!(["#DIV/0!", "#NAME?", "#N/A"].iter().all(|word| is_spreadsheet_error(word)));
        assert!(!["#x", "x!", ""].iter().any(|word| is_spreadsheet_error(word)));
    }

    /// A file that is one line without end: it is refused before it is read.
    #[test]
    fn a_line_has_a_longest_length() {
        struct Endless(u8, u64);
        impl Read for Endless {
            fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
                out.fill(self.0);
                self.1 += out.len() as u64;
                assert!(self.1 < 1 << 22, "{} bytes were read", self.1);
                Ok(out.len())
            }
        }
        let message = |byte| {
            let mut records = Records { longest: 1 << 16, ..Records::new(Endless(byte, 0)) };
            records.next_record().map(drop).unwrap_err().to_string()
        };
        assert_eq!(message(b'1'), "line 1: is longer than 64.0 KiB");
        assert_eq!(message(b'"'), "line 1: is longer than 64.0 KiB");
        assert_eq!(message(0), "line 1: has the control character \\u{0}, which text files do not have");
    }

    #[test]
    fn long_records_grow_the_buffers() {
        let text: Vec<String> = (0..5000).map(|i| i.to_string()).collect();
        let fields = &all(text.join(",").as_bytes()).unwrap()[0].1;
        assert_eq!(fields, &text);
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let message = |text: &[u8]| all(text).unwrap_err().to_string();
        assert_eq!(message(b"1,2\n\xff\xfe,2\n"), "line 2: is not UTF-8 text");
        assert_eq!(message(b"1\n\"open\n2\n3\n"), "line 2: a quoted field does not end");
    }

    #[test]
    fn written_fields_are_read_back() {
        let fields = ["plain", "", " blank ", "comma,", "quote\"", "new\nline", "# not a comment", "é"];
        let mut bytes = Vec::new();
        write_record(&mut bytes, fields).unwrap();
        let trimmed: Vec<&str> = fields.iter().map(|field| field.trim()).collect();
        assert_eq!(all(&bytes).unwrap(), [record(1, &trimmed)]);
        let mut bytes = Vec::new();
        write_record(&mut bytes, ["# first"]).unwrap();
        assert_eq!(all(&bytes).unwrap(), [record(1, &["# first"])]);
    }

    #[test]
    fn words_for_nothing() {
        assert!(["", "NA", "nan", "NaN", "null", "None", "N/A", "."].iter().all(|word| is_missing(word)));
        assert!(!["0", "na1", "-", "inf"].iter().any(|word| is_missing(word)));
    }
}
