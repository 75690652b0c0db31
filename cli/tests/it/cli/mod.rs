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
}
