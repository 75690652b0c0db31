//! The command line, as its users meet it: each `.md` file beside this one is a session whose output must come out as it
//! stands there, standard error first. `...` stands for any lines and `[..]` for any text.

mod bench;
#[cfg(target_os = "linux")]
mod signals;

/// A test for each session.
mod sessions {
    macro_rules! sessions {
        ($($(#[$only:meta])? $name:ident)*) => {$(
            $(#[$only])?
            #[test]
            fn $name() {
                crate::console::expect_session(include_str!(concat!(stringify!($name), ".md")));
            }
        )*};
    }

    sessions! {
        bad_input
        #[cfg(target_os = "linux")]
        check
        count
        #[cfg(target_os = "linux")]
        files
        #[cfg(target_os = "linux")]
        long_runs
        #[cfg(target_os = "linux")]
        records
        #[cfg(target_os = "linux")]
        results
        solutions
        #[cfg(target_os = "linux")]
        streams_of_linux
        trace
        verify
    }
}
