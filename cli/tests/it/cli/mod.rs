//! The command line as users see it. Each `.md` file in this folder is a session, which shows the output of commands,
//! standard error first. `...` stands for any lines and `[..]` for any text. `SESSIONS=overwrite cargo test sessions`
//! rewrites the sessions.

#[cfg(target_os = "linux")]
mod screens;
#[cfg(target_os = "linux")]
mod signals;

/// A test for each session.
mod sessions {
    macro_rules! sessions {
        ($($name:ident)*) => {$(
            #[test]
            fn $name() {
                crate::sessions::expect_session(stringify!($name));
            }
        )*};
    }

    sessions! { bad_input count solutions trace verify }
    #[cfg(target_os = "linux")]
    sessions! { check files long_runs records results streams_of_linux }

    #[test]
    fn every_file_is_a_session() {
        let folder = format!("{}/cli/tests/it/cli", crate::helpers::PROJECT);
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let lists: Vec<&str> = include_str!("mod.rs").lines().filter(|line| line.contains("sessions! {")).collect();
        for name in names.filter_map(|name| Some(name.strip_suffix(".md")?.to_owned())) {
            assert!(lists.iter().any(|list| list.split(' ').any(|word| word == name)), "no test for {name}.md");
        }
    }
}
