//! Colours and styles. Pictures name colours by their role; the page defines the roles as CSS variables for the light and
//! the dark theme, and a picture in a file of its own has the values written out, because not every viewer of SVG knows
//! variables.

/// How many machines have a colour of their own; those after them have the same colours with broken lines.
pub(super) const COLORS: usize = 8;

/// A role with its colour in the light and in the dark theme.
type Role = (&'static str, &'static str, &'static str);

/// Paper is what everything lies on; text is readable on it (7:1), and lines are visible (3:1).
const ROLES: [Role; 5 + COLORS] = [
    ("paper", "#ffffff", "#14181d"),
    ("panel", "#f3f5f7", "#1d232a"),
    ("ink", "#1b2026", "#e8ecf0"),
    ("muted", "#4a535d", "#b0bac4"),
    ("grid", "#d5dbe1", "#343c45"),
    ("m0", "#0969da", "#58a6ff"),
    ("m1", "#bc4c00", "#f0883e"),
    ("m2", "#1a7f37", "#3fb950"),
    ("m3", "#8250df", "#bc8cff"),
    ("m4", "#bf3989", "#f778ba"),
    ("m5", "#0e7490", "#39c5cf"),
    ("m6", "#7d4e00", "#d4a72c"),
    ("m7", "#3d444d", "#c9d1d9"),
];

const PAGE: &str = include_str!("page.css");
const PICTURE: &str = include_str!("picture.css");

/// The page's style, its pictures' included.
pub(super) fn page_style() -> String {
    let variables = |color: fn(&Role) -> &'static str| {
        ROLES.iter().map(|role| format!("--{}:{};", role.0, color(role))).collect::<String>()
    };
    let (light, dark) = (variables(|role| role.1), variables(|role| role.2));
    format!(
        ":root{{color-scheme:light dark;{light}}}\n@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{PAGE}{PICTURE}{}",
        machines()
    )
}

/// The style of a picture that is a file of its own.
pub(super) fn picture_style() -> String {
    let themed = |color: fn(&Role) -> &'static str| {
        ROLES.iter().fold(format!("{PICTURE}{}", machines()), |style, role| {
            style.replace(&format!("var(--{})", role.0), color(role))
        })
    };
    let (light, dark) = (themed(|role| role.1), themed(|role| role.2));
    format!("{light}@media (prefers-color-scheme:dark){{\n{dark}}}\n")
}

fn machines() -> String {
    (0..COLORS).map(|index| format!(".m{index}{{stroke:var(--m{index});fill:var(--m{index})}}\n")).collect()
}

/// The classes of a machine's lines and marks.
pub(super) fn machine_class(index: usize) -> String {
    format!("m{} c{}", index % COLORS, (index / COLORS).min(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, as WCAG 2 defines it.
    fn luminance(color: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_can_be_read_and_lines_can_be_seen_in_both_themes() {
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
        let [paper, panel, ..] = ROLES;
        for (name, light, dark) in ROLES {
            let least = match name {
                "paper" | "panel" | "grid" => continue,
                "ink" | "muted" => 7.0,
                _ => 4.5,
            };
            for ground in [paper, panel] {
                assert!(contrast(light, ground.1) >= least, "{name}, light: {}", contrast(light, ground.1));
                assert!(contrast(dark, ground.2) >= least, "{name}, dark: {}", contrast(dark, ground.2));
            }
        }
    }

    #[test]
    fn files_have_their_colours_written_out() {
        let style = picture_style();
        assert!(!style.contains("var(") && style.contains("#0969da") && style.contains("#58a6ff"));
        // It stands in XML as it is.
        assert!(!style.contains(['<', '&']) && style.matches('{').count() == style.matches('}').count());
    }
}
