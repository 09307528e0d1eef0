//! A figure as a PDF document: one page of paths. Letters are outlines, so that no font is needed.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use mixgist::{Error, Result};
use resvg::tiny_skia::{PathSegment, Transform};
use resvg::usvg::{FillRule, Group, LineCap, LineJoin, Node, Options, Paint, Path, Stroke, Tree};

use crate::figure::Figure;

/// A unit of a figure is 1/96 of an inch, one of a page 1/72.
const POINTS_PER_UNIT: f32 = 0.75;

impl Figure {
    /// The figure as a PDF document of one page that is as large as the figure.
    pub fn to_pdf(&self) -> Result<Vec<u8>> {
        let tree = self.tree()?;
        let [width, height] = [tree.size().width(), tree.size().height()].map(|length| length * POINTS_PER_UNIT);
        let mut page = Page::default();
        // The page's origin is its lower left corner.
        page.transform(Transform::from_row(POINTS_PER_UNIT, 0.0, 0.0, -POINTS_PER_UNIT, 0.0, height));
        page.group(tree.root(), 1.0)?;
        let title = if self.title.is_empty() { &self.description } else { &self.title };
        page.document(width, height, title)
    }

    /// What PNG and PDF are made from.
    pub(crate) fn tree(&self) -> Result<Tree> {
        Tree::from_str(&self.to_outlines(), &Options::default()).map_err(|cause| broken(&cause))
    }
}

pub(crate) fn broken(cause: &dyn std::fmt::Display) -> Error {
    Error::input(format!("the figure cannot be drawn: {cause}"))
}

/// What is drawn on a page so far.
#[derive(Default)]
struct Page {
    content: String,
    /// Opacities of areas and lines that were used, in thousandths; the page names them G0, G1, …
    opacities: Vec<[u32; 2]>,
}

impl Page {
    /// Draws a group, as opaque as `opacity` says. Our groups that are not opaque hold one path, so that what holds for the group holds for its path.
    fn group(&mut self, group: &Group, opacity: f32) -> Result<()> {
        let opacity = opacity * group.opacity().get();
        self.content.push_str("q\n");
        self.transform(group.transform());
        if let Some(clip) = group.clip_path() {
            for node in clip.root().children() {
                let Node::Path(path) = node else { return Err(broken(&"it is cut by something else than a path")) };
                self.path(path, clip.transform(), false);
            }
            self.content.push_str("W n\n");
        }
        for node in group.children() {
            match node {
                Node::Group(group) => self.group(group, opacity)?,
                Node::Path(path) if path.is_visible() => self.painted(path, opacity)?,
                Node::Path(_) => {}
                Node::Image(_) | Node::Text(_) => return Err(broken(&"it holds something else than paths")),
            }
        }
        self.content.push_str("Q\n");
        Ok(())
    }

    fn painted(&mut self, path: &Path, opacity: f32) -> Result<()> {
        if let Some(fill) = path.fill() {
            self.opacity([fill.opacity().get() * opacity, 1.0]);
            self.color(fill.paint(), "rg")?;
            self.path(path, Transform::identity(), false);
            self.content.push_str(if fill.rule() == FillRule::EvenOdd { "f*\n" } else { "f\n" });
        }
        if let Some(stroke) = path.stroke() {
            self.opacity([1.0, stroke.opacity().get() * opacity]);
            self.color(stroke.paint(), "RG")?;
            self.pen(stroke);
            self.path(path, Transform::identity(), true);
            self.content.push_str("S\n");
        }
        Ok(())
    }

    fn transform(&mut self, by: Transform) {
        if !by.is_identity() {
            self.numbers(&[by.sx, by.ky, by.kx, by.sy, by.tx, by.ty], "cm\n");
        }
    }

    fn color(&mut self, paint: &Paint, operator: &str) -> Result<()> {
        let Paint::Color(color) = paint else { return Err(broken(&"it has colours that are no plain ones")) };
        self.numbers(&[color.red, color.green, color.blue].map(|part| f32::from(part) / 255.0), operator);
        self.content.push('\n');
        Ok(())
    }

    fn opacity(&mut self, of: [f32; 2]) {
        let of = of.map(|share| (1000.0 * share).round() as u32);
        let place = self.opacities.iter().position(|known| *known == of).unwrap_or_else(|| {
            self.opacities.push(of);
            self.opacities.len() - 1
        });
        let _ = writeln!(self.content, "/G{place} gs");
    }

    fn pen(&mut self, stroke: &Stroke) {
        let cap = match stroke.linecap() {
            LineCap::Butt => 0,
            LineCap::Round => 1,
            LineCap::Square => 2,
        };
        let join = match stroke.linejoin() {
            LineJoin::Miter | LineJoin::MiterClip => 0,
            LineJoin::Round => 1,
            LineJoin::Bevel => 2,
        };
        self.numbers(&[stroke.width().get()], "w ");
        let _ = write!(self.content, "{cap} J {join} j ");
        self.numbers(&[stroke.miterlimit().get()], "M [");
        self.numbers(stroke.dasharray().unwrap_or_default(), "] ");
        self.numbers(&[stroke.dashoffset()], "d\n");
    }

    /// The path itself. A line of no length has square ends in a drawing, but none on a page: there it has a length that nobody sees.
    fn path(&mut self, path: &Path, by: Transform, is_stroked: bool) {
        const UNSEEN: f32 = 0.01;
        let mapped = |mut at: resvg::tiny_skia::Point| {
            by.map_point(&mut at);
            at
        };
        let mut last = resvg::tiny_skia::Point::zero();
        for segment in path.data().segments() {
            match segment {
                PathSegment::MoveTo(at) => {
                    last = mapped(at);
                    self.numbers(&[last.x, last.y], "m\n");
                }
                PathSegment::LineTo(at) => {
                    let mut at = mapped(at);
                    if is_stroked && at == last {
                        at.x += UNSEEN;
                    }
                    self.numbers(&[at.x, at.y], "l\n");
                    last = at;
                }
                // A page knows cubic curves alone.
                PathSegment::QuadTo(pull, at) => {
                    let (pull, at) = (mapped(pull), mapped(at));
                    let toward = |from: f32, pull: f32| from + (pull - from) * 2.0 / 3.0;
                    self.numbers(
                        &[
                            toward(last.x, pull.x),
                            toward(last.y, pull.y),
                            toward(at.x, pull.x),
                            toward(at.y, pull.y),
                            at.x,
                            at.y,
                        ],
                        "c\n",
                    );
                    last = at;
                }
                PathSegment::CubicTo(first, second, at) => {
                    let [first, second, at] = [first, second, at].map(mapped);
                    self.numbers(&[first.x, first.y, second.x, second.y, at.x, at.y], "c\n");
                    last = at;
                }
                PathSegment::Close => self.content.push_str("h\n"),
            }
        }
    }

    /// Numbers with an operator behind them. A ten-thousandth of a unit is not seen.
    fn numbers(&mut self, numbers: &[f32], operator: &str) {
        for number in numbers {
            let text = format!("{number:.4}");
            let short = text.trim_end_matches('0').trim_end_matches('.');
            let _ = write!(self.content, "{} ", if short == "-0" { "0" } else { short });
        }
        self.content.push_str(operator);
    }

    /// The file: its objects, then where each of them begins.
    fn document(&self, width: f32, height: f32, title: &str) -> Result<Vec<u8>> {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        packed.write_all(self.content.as_bytes()).map_err(|cause| broken(&cause))?;
        let packed = packed.finish().map_err(|cause| broken(&cause))?;
        let mut states = String::new();
        for (place, [area, line]) in self.opacities.iter().enumerate() {
            let [area, line] = [area, line].map(|share| f64::from(*share) / 1000.0);
            let _ = write!(states, "/G{place} << /ca {area} /CA {line} >> ");
        }
        let title: String = title.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
        let objects: [Vec<u8>; 5] = [
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
                 /Group << /S /Transparency /CS /DeviceRGB >> /Resources << /ExtGState << {states}>> >> >>"
            )
            .into_bytes(),
            [
                format!("<< /Length {} /Filter /FlateDecode >>\nstream\n", packed.len()).into_bytes(),
                packed,
                b"\nendstream".to_vec(),
            ]
            .concat(),
            format!("<< /Title <FEFF{title}> /Producer (mixgist {}) >>", env!("CARGO_PKG_VERSION")).into_bytes(),
        ];
        // The bytes above 127 tell programs that this is no text.
        let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
        let mut starts = String::from("0000000000 65535 f \n");
        for (place, object) in objects.iter().enumerate() {
            let _ = writeln!(starts, "{:010} 00000 n ", file.len());
            file.extend(format!("{} 0 obj\n", place + 1).as_bytes());
            file.extend(object);
            file.extend(b"\nendobj\n");
        }
        let (table, count) = (file.len(), objects.len() + 1);
        file.extend(
            format!(
                "xref\n0 {count}\n{starts}trailer\n<< /Size {count} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{table}\n%%EOF\n"
            )
            .as_bytes(),
        );
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::Command;

    use resvg::tiny_skia::Pixmap;

    use super::*;
    use crate::figure::{Axis, Dots, Fill, Layer, Panel, Side};
    use crate::palette::{Color, MARKERS, Marker};

    /// Every marker, half transparent, an area that the frame cuts, a dashed line and a text.
    fn figure() -> Figure {
        let mut panel =
            Panel::new(Axis::linear("length (µm)", 0.0, 8.0), Axis::linear("y", 0.0, 1.0)).sized(240.0, 150.0);
        let ring = vec![[-2.0, 0.2], [5.0, 0.1], [9.0, 1.4], [1.0, 0.7]];
        panel = panel.with(Layer::Area {
            rings: vec![ring],
            fill: Fill { color: Color::BLUE, opacity: 0.3 },
            outline: Some(crate::figure::Stroke::new(Color::INK, 2.0).dashed(crate::figure::Dash::Dashed)),
        });
        for (i, marker) in MARKERS.into_iter().chain([Marker::Cross]).enumerate() {
            let at = vec![[1.0 + i as f64, 0.5], [1.0 + i as f64, 0.52]];
            let dots = Dots { at, marker, radius: 6.0, color: Color::VERMILION, opacity: 0.5, group: None };
            panel = panel.with(Layer::Dots(dots));
        }
        let text = Layer::Text { at: [4.0, 0.8], text: "estimate".into(), side: Side::Centre, color: Color::INK };
        Figure::single(panel.with(text)).described("marks (µ)", "Marks.")
    }

    #[test]
    fn a_page_is_as_large_as_its_figure_and_its_parts_are_where_it_says() {
        let file = figure().to_pdf().unwrap();
        let text = String::from_utf8_lossy(&file);
        assert!(text.starts_with("%PDF-1.4\n") && text.ends_with("%%EOF\n"));
        let tail = String::from_utf8(file[file.len() - 300..].to_vec());
        let tail = tail.unwrap_or_else(|_| String::from_utf8_lossy(&file[file.len() - 300..]).into_owned());
        let table: usize = tail.split("startxref\n").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
        let entries = std::str::from_utf8(&file[table..]).unwrap();
        for (place, line) in entries.lines().skip(3).take(5).enumerate() {
            let start: usize = line[..10].parse().unwrap();
            let expected = format!("{} 0 obj\n", place + 1);
            assert_eq!(&file[start..start + expected.len()], expected.as_bytes());
        }
        let size = figure().tree().unwrap().size();
        let page = format!("/MediaBox [0 0 {} {}]", 0.75 * size.width(), 0.75 * size.height());
        assert!(text.contains(&page) && text.contains("<FEFF006D"), "{page}");
        // The content unpacks, and every state that is opened is closed.
        let begin = file.windows(7).position(|bytes| bytes == b"stream\n").unwrap() + 7;
        let mut content = String::new();
        flate2::read::ZlibDecoder::new(&file[begin..]).read_to_string(&mut content).unwrap();
        let count = |line: &str| content.lines().filter(|other| *other == line).count();
        assert!(count("q") > 3 && count("q") == count("Q"));
        assert!(!content.contains("NaN") && !content.contains("inf"));
    }

    /// Another program draws the page as the figure is drawn, where one is installed: pixels differ at the edges of shapes alone.
    #[test]
    fn another_program_shows_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let (pdf, out) = (folder.path().join("figure.pdf"), folder.path().join("page"));
        std::fs::write(&pdf, figure().to_pdf().unwrap()).unwrap();
        let made = Command::new("pdftoppm").args(["-r", "192", "-png", "-singlefile"]).args([&pdf, &out]).output();
        let Ok(made) = made else {
            println!("SKIPPED: pdftoppm (poppler) is not installed");
            return;
        };
        assert!(made.status.success() && made.stderr.is_empty(), "{}", String::from_utf8_lossy(&made.stderr));
        let page = Pixmap::decode_png(&std::fs::read(out.with_extension("png")).unwrap()).unwrap();
        let image = Pixmap::decode_png(&figure().to_png(192.0).unwrap()).unwrap();
        assert!(page.width().abs_diff(image.width()) <= 1 && page.height().abs_diff(image.height()) <= 1);
        let (width, height) = (page.width().min(image.width()), page.height().min(image.height()));
        let gray = |map: &Pixmap, x: u32, y: u32| {
            let pixel = map.pixel(x, y).unwrap();
            (f64::from(pixel.red()) + f64::from(pixel.green()) + f64::from(pixel.blue())) / 3.0
        };
        let pixels = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let different = pixels().filter(|&(x, y)| (gray(&page, x, y) - gray(&image, x, y)).abs() > 60.0).count();
        let inked = pixels().filter(|&(x, y)| gray(&image, x, y) < 200.0).count();
        assert!(inked > 5000 && different * 20 < inked, "{different} of {inked}");
    }
}
