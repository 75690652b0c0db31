//! Colours and styles. Pictures name colours by their role; the page defines the roles as CSS variables for the light and
//! the dark theme, and a picture in a file of its own has the values written out, because not every viewer of SVG knows
//! variables.

/// How many colours tell series apart in one picture.
pub(crate) const COLORS: usize = 7;

/// How many shades a heat map has, from much slower to much faster.
pub(crate) const SHADES: usize = 7;

/// A role with its colour in the light and in the dark theme.
type Role = (&'static str, &'static str, &'static str);

/// Paper is what everything lies on; text is readable on it and on the shades, lines are visible, and the colours of series
/// are told apart by those who see fewer colours too. Shades go from orange to blue, which everybody tells apart.
const ROLES: [Role; 7 + COLORS + SHADES] = [
    ("paper", "#ffffff", "#14181d"),
    ("panel", "#f3f5f7", "#1d232a"),
    ("ink", "#1b2026", "#e8ecf0"),
    ("muted", "#4a535d", "#b0bac4"),
    ("grid", "#d5dbe1", "#343c45"),
    ("back", "#b9c1c9", "#4b555f"),
    ("accent", "#0969da", "#58a6ff"),
    ("s0", "#0a2f7a", "#ffc806"),
    ("s1", "#1e8fcf", "#5bf9ee"),
    ("s2", "#d9480f", "#d93a10"),
    ("s3", "#9902ff", "#b040ff"),
    ("s4", "#c3757d", "#b3607f"),
    ("s5", "#5c0300", "#d7fea5"),
    ("s6", "#350026", "#7079c0"),
    ("h0", "#f0934a", "#8a4a0e"),
    ("h1", "#fdbb78", "#6d431a"),
    ("h2", "#fee0c2", "#4a3520"),
    ("h3", "#f3f5f7", "#262d35"),
    ("h4", "#d3e6f2", "#1c3448"),
    ("h5", "#9ecae1", "#1b4668"),
    ("h6", "#6aaed6", "#1f5f93"),
];

const PAGE: &str = include_str!("page.css");
const PICTURE: &str = include_str!("picture.css");

/// The page's style, its pictures' included.
pub(crate) fn page_style() -> String {
    let variables = |color: fn(&Role) -> &'static str| {
        ROLES.iter().map(|role| format!("--{}:{};", role.0, color(role))).collect::<String>()
    };
    let (light, dark) = (variables(|role| role.1), variables(|role| role.2));
    format!(
        ":root{{color-scheme:light dark;{light}}}\n@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{PAGE}{PICTURE}{}",
        series()
    )
}

/// The style of a picture that is a file of its own.
pub(crate) fn picture_style() -> String {
    let themed = |color: fn(&Role) -> &'static str| {
        ROLES.iter().fold(format!("{PICTURE}{}", series()), |style, role| {
            style.replace(&format!("var(--{})", role.0), color(role))
        })
    };
    let (light, dark) = (themed(|role| role.1), themed(|role| role.2));
    format!("{light}@media (prefers-color-scheme:dark){{\n{dark}}}\n")
}

fn series() -> String {
    let colors = (0..COLORS).map(|index| format!(".s{index}{{stroke:var(--s{index});fill:var(--s{index})}}\n"));
    let shades = (0..SHADES).map(|index| format!(".h{index}{{fill:var(--h{index})}}\n"));
    colors.chain(shades).collect()
}

/// The class of a series' lines and marks. Those after the last colour are grey, told apart by their marks alone.
pub(crate) fn series_class(index: usize) -> String {
    if index < COLORS { format!("s{index}") } else { "neutral".to_owned() }
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

    fn role(name: &str) -> Role {
        ROLES.into_iter().find(|role| role.0 == name).unwrap()
    }

    #[test]
    fn text_can_be_read_and_lines_can_be_seen_in_both_themes() {
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
        for (name, light, dark) in ROLES {
            let (grounds, least) = match name {
                "paper" | "panel" | "grid" | "back" => continue,
                "ink" | "muted" => ([role("paper"), role("panel")], 7.0),
                "accent" => ([role("paper"), role("panel")], 4.5),
                // What is written on a shade is ink.
                _ if name.starts_with('h') => ([role("ink"), role("ink")], 4.5),
                _ => ([role("paper"), role("panel")], 3.0),
            };
            for ground in grounds {
                assert!(contrast(light, ground.1) >= least, "{name}, light: {}", contrast(light, ground.1));
                assert!(contrast(dark, ground.2) >= least, "{name}, dark: {}", contrast(dark, ground.2));
            }
        }
    }

    #[test]
    fn files_have_their_colours_written_out() {
        let style = picture_style();
        assert!(!style.contains("var(") && style.contains("#0a2f7a") && style.contains("#ffc806"));
        // It stands in XML as it is.
        assert!(!style.contains(['<', '&']) && style.matches('{').count() == style.matches('}').count());
    }
}
